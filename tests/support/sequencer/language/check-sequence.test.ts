import { describe, expect, test } from 'bun:test'
import type { Sequence } from '../../../../src/devices/bench/sequencer/sequence.ts'
import { MODULE_KINDS, type SequencerMemory } from '../../../../src/devices/chip/hardware/modules.ts'
import { checkSequence } from './check-sequence.ts'

const RESOURCES = {
  waveforms: { pulse: { index: 0, data: [0, 0.5, 1, 0.5] }, none: { index: 1, data: [0, 0, 0, 0] } },
  acquisitions: { '0': { index: 0, bins: 4 } },
}

function problemsOf(
  program: string,
  rest: Partial<Sequence> = {},
  limits: SequencerMemory = MODULE_KINDS.QRM.memory,
) {
  return checkSequence({ ...RESOURCES, program, ...rest }, limits)
}

describe('checkSequence', () => {
  test('accepts a program of measurements in a loop', () => {
    expect(
      problemsOf(`
        set_mrk 2        # the marker of the output
        wait_sync 4
        upd_param 4
        move 0,R0
        move 4,R1
 start: reset_ph
        upd_param 4
        wait 65532
        set_awg_gain 8192,0
        play 0,1,4
        wait 96
        acquire 0,R0,4
        add R0,1,R0
        wait 996
        loop R1,@start
        stop
      `),
    ).toEqual([])
  })

  test.each([
    ['wait 0', 'line 1: wait: operand 1 is 0; accepted: 4 to 65535 or a register R0 to R63'],
    ['wait 3', 'line 1: wait: operand 1 is 3; accepted: 4 to 65535 or a register R0 to R63'],
    ['wait 65536', 'line 1: wait: operand 1 is 65536; accepted: 4 to 65535 or a register R0 to R63'],
    ['play 0,0,3', 'line 1: play: operand 3 is 3; accepted: 4 to 65535'],
    ['upd_param R1', 'line 1: upd_param: operand 1 is R1; accepted: 4 to 65535'],
    ['play 0,R1,4', 'line 1: play takes either numbers or registers: 0,R1,4'],
    ['set_awg_gain 1,R1', 'line 1: set_awg_gain takes either numbers or registers: 1,R1'],
    [
      'set_awg_gain 32768,0',
      'line 1: set_awg_gain: operand 1 is 32768; accepted: -32768 to 32767 or a register R0 to R63',
    ],
    ['play 1024,0,4', 'line 1: play: operand 1 is 1024; accepted: 0 to 1023 or a register R0 to R63'],
    ['acquire R1,0,4', 'line 1: acquire: operand 1 is R1; accepted: 0 to 31'],
    ['acquire 32,0,4', 'line 1: acquire: operand 1 is 32; accepted: 0 to 31'],
    [
      'set_freq 2000000001',
      'line 1: set_freq: operand 1 is 2000000001; accepted: -2000000000 to 2000000000 or a register R0 to R63',
    ],
    [
      'set_ph 1000000001',
      'line 1: set_ph: operand 1 is 1000000001; accepted: 0 to 1000000000 or a register R0 to R63',
    ],
    ['move -1,R0', 'line 1: move: operand 1 is -1; accepted: 0 to 4294967295 or a register R0 to R63'],
    ['move 1,R64', 'line 1: move: operand 2 is R64; accepted: a register R0 to R63'],
    ['sub 5,R1,R2', 'line 1: sub: operand 1 is 5; accepted: a register R0 to R63'],
    ['jge R1,R2,@end', 'line 1: jge: operand 2 is R2; accepted: 0 to 4294967295'],
    [
      'loop R1,@nowhere',
      'line 1: loop: operand 2 is @nowhere; accepted: a defined @label or 0 to 16383 or a register R0 to R63',
    ],
    ['wait 4,4', 'line 1: wait takes 1 operands, not 2'],
    ['jump @end', 'line 1: unknown instruction jump'],
    ['!', 'line 1: cannot be read: !'],
    ['acquire 1,0,4', 'line 1: there is no acquisition 1'],
    ['acquire 0,4,4', 'line 1: bin 4 of acquisition 0, which has 4'],
    ['play 0,7,4', 'line 1: there is no waveform 7'],
  ])('refuses %s', (line, problem) => {
    expect(problemsOf(`${line}\nend: stop`)).toEqual([problem])
  })

  test('refuses a register that is read right after it was written, also across a jump', () => {
    expect(problemsOf('move 4,R0\nwait R0\nstop')).toEqual([
      'line 2: wait reads R0 right after move in line 1 wrote it and gets the old value; put a nop between',
    ])
    expect(problemsOf('move 4,R0\nnop\nwait R0\nstop')).toEqual([])
    expect(problemsOf('move 4,R1\nnop\nagain: add R1,1,R2\nloop R1,@again\nstop')).toEqual([
      'line 3: add reads R1 right after loop in line 4 wrote it and gets the old value; put a nop between',
    ])
  })

  test('refuses a program that runs past its end, and a label twice', () => {
    expect(problemsOf('wait 4')).toEqual(['line 1: the program can run past its end; end it with stop'])
    expect(problemsOf('a: wait 4\na: stop')).toEqual(['line 2: the label a is defined twice'])
  })

  test('counts instructions, samples and bins by kind of module', () => {
    const [control, readout] = [MODULE_KINDS.QCM.memory, MODULE_KINDS.QRM.memory]
    const long = `${'wait 4\n'.repeat(12_288)}stop`
    expect(problemsOf(long)).toEqual(['12289 instructions; the sequencer holds 12288'])
    expect(problemsOf(long, { acquisitions: {} }, control)).toEqual([])
    expect(problemsOf('acquire 0,0,4\nstop', {}, control)).toEqual([
      '4 bins; the sequencer holds 0',
      'line 1: acquire on a module without inputs',
    ])
    const halves = {
      a: { index: 0, data: Array(8_200).fill(0) },
      b: { index: 1, data: Array(8_200).fill(0) },
    }
    expect(problemsOf('stop', { waveforms: halves })).toEqual([
      '16400 samples of waveforms; the sequencer holds 16384',
    ])
    expect(problemsOf('stop', { acquisitions: { '0': { index: 0, bins: readout.bins + 1 } } })).toEqual([
      '131073 bins; the sequencer holds 131072',
    ])
  })

  test('refuses indices that are out of range or used twice, and samples beyond full scale', () => {
    const wave = (index: number, data = [0]) => ({ index, data })
    expect(problemsOf('stop', { waveforms: { a: wave(3), b: wave(3) } })).toEqual([
      'waveforms a and b have the same index 3',
    ])
    expect(problemsOf('stop', { acquisitions: { x: { index: 32, bins: 1 } } })).toEqual([
      'acquisition x: index 32 is not 0 to 31',
    ])
    expect(problemsOf('stop', { waveforms: { a: wave(0, [1.01]), b: wave(1, [Number.NaN]) } })).toEqual([
      'waveform a: a sample is not within −1 to 1',
      'waveform b: a sample is not within −1 to 1',
    ])
  })

  test('refuses a text beyond what a module accepts before it reads it', () => {
    expect(problemsOf('x'.repeat(10_496_001))).toEqual([
      'the program has 10496001 bytes; at most 10496000 are accepted',
    ])
  })
})
