import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { assemble } from './assemble.ts'
import { emulate, type SequencerEvent } from './emulate.ts'

function run(program: string): { events: SequencerEvent[]; end: number } {
  const { instructions, problems } = assemble(program)
  expect(problems).toEqual([])
  const events: SequencerEvent[] = []
  const steps = emulate(instructions)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return { events, end: value }
    events.push(value)
  }
}

/** The value that a program leaves in R0, by the bin of an acquisition. */
function leftInR0(program: string): number {
  const event = run(`${program}\nnop\nacquire 0,R0,4\nstop`).events.at(-1)
  return event?.kind === 'acquire' ? event.bin : Number.NaN
}

describe('emulate', () => {
  test('counts time from the first synchronization', () => {
    const { events, end } = run('wait 100\nwait_sync 4\nupd_param 8\nwait 65535\nplay 0,1,20\nstop')
    expect(events.map(({ kind, t }) => [kind, t])).toEqual([
      ['update', 0],
      ['play', 65_543],
    ])
    expect(end).toBe(65_563)
  })

  test('fills one bin a shot', () => {
    const { events, end } = run(`
      move 0,R0
      move 512,R1
start: acquire 0,R0,4
      add R0,1,R0
      wait 996
      loop R1,@start
      stop`)
    expect(events.map((event) => event.kind === 'acquire' && event.bin)).toEqual([...Array(512).keys()])
    expect(end).toBe(512_000)
  })

  test('reads the old value of a register that the previous instruction wrote', () => {
    expect(leftInR0('move 5,R0\nnop\nmove 9,R1\nadd R1,1,R0')).toBe(1)
    expect(leftInR0('move 5,R0\nnop\nmove 9,R1\nnop\nadd R1,1,R0')).toBe(10)
  })

  test('lets settings take effect with the next instruction that applies them', () => {
    const { events } = run(
      'set_awg_gain 16384,-32768\nwait 4\nupd_param 4\nset_awg_offs 0,16384\nplay 0,0,4\nstop',
    )
    expect(events.map(({ output }) => [output.gain, output.offset])).toEqual([
      [
        [0.5, -1],
        [0, 0],
      ],
      [
        [0.5, -1],
        [0, 0.5],
      ],
    ])
  })

  test('takes gains and frequencies from registers as signed numbers', () => {
    const { events } = run(`
      move 4294934528,R0   # -32768
      move 3894967296,R1   # -400000000 steps: -100 MHz
      set_awg_gain R0,R0
      set_freq R1
      upd_param 4
      stop`)
    expect(events[0]?.output).toMatchObject({ gain: [-1, -1], hz: -100e6 })
  })

  test('the oscillator runs on across a change of frequency, and restarts when it is reset', () => {
    const { events } = run(`
      set_freq 40000000     # 10 MHz: a turn in 100 ns
      upd_param 25
      set_freq 80000000     # 20 MHz from a quarter turn on
      set_ph 250000000
      upd_param 10
      set_ph_delta 500000000
      upd_param 4
      reset_ph
      upd_param 4
      stop`)
    const states = events.map(({ output }) => [output.turns, output.phase])
    expect(states[1]).toEqual([0.25, 0.25])
    expect(states[2]?.[0]).toBeCloseTo(0.45, 12)
    expect(states[2]?.[1]).toBe(0.75)
    expect(states[3]).toEqual([0, 0])
  })

  test('calculates in 32 bits without a sign', () => {
    const word = fc.nat({ max: 2 ** 32 - 1 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        const small = (name: string) =>
          `move ${a},R1\nmove ${b},R2\nnop\n${name} R1,R2,R0\nnop\nand R0,16777215,R0`
        const expected = (value: bigint) => Number(BigInt.asUintN(32, value) & 0xffffffn)
        expect(leftInR0(small('add'))).toBe(expected(BigInt(a) + BigInt(b)))
        expect(leftInR0(small('sub'))).toBe(expected(BigInt(a) - BigInt(b)))
        expect(leftInR0(small('xor'))).toBe(expected(BigInt(a) ^ BigInt(b)))
        expect(
          leftInR0(`move ${a},R1\nnop\njlt R1,${b},@less\nmove 1,R0\njmp @end\nless: move 2,R0\nend: nop`),
        ).toBe(a < b ? 2 : 1)
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['move 3,R0\nnop\nwait R0\nstop', 'line 3: wait: a duration of 3 ns'],
    ['acquire 0,0,296\nacquire 0,1,4\nstop', 'line 2: acquire: less than 300 ns after the previous one'],
    ['wait_trigger 1,4\nstop', 'line 1: wait_trigger: this emulator does not follow it'],
    ['nop', 'the program ran past its end'],
  ])('ends %j with an error', (program, message) => {
    expect(() => run(program)).toThrow(message)
  })
})
