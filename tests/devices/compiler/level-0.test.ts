import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { outcomeProbabilities, totalVariation } from './support/exact.ts'
import { onRowOfFour, PULSE_NS } from './support/row-of-four.ts'

const HEADER = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c;'
const compiled = (statements: string, level: 0 | 1 = 0) => onRowOfFour(`${HEADER} ${statements}`, { level })
const pulsesOf = (statements: string, level: 0 | 1 = 0) => compiled(statements, level).gates.pulses
const opsOf = (text: string) => lowerProgram(parseProgram(text), []).ops ?? []

const timesOf = ({ schedule }: ReturnType<typeof compiled>) =>
  schedule.pulses
    .map(({ at, port, duration, phase, amplitude }) => {
      const numbers = [amplitude, Math.cos(phase), Math.sin(phase)].map((each) => Math.round(1e6 * each) + 0)
      return `${port} ${at} ${duration} ${numbers}`
    })
    .sort()

/** Gates of one qubit, and their pulses. */
const ONE_QUBIT: readonly (readonly [string, number])[] = [
  ...['x', 'y', 'h', 'sx', 'sxdg', 'rx(0.3)', 'ry(-2)', 'r(1, 2)', 'u2(1, 2)', 'u3(1, 2, 3)'].map(
    (gate) => [gate, 1] as const,
  ),
  ...['U(1, 2, 3)', 'rx(0)', 'ry(0)', 'r(0, 1)', 'rx(2 * pi)', 'inv @ sx', 'pow(0.5) @ x'].map(
    (gate) => [gate, 1] as const,
  ),
  ...[
    'z',
    's',
    'sdg',
    't',
    'tdg',
    'rz(1)',
    'p(2)',
    'u1(3)',
    'phase(1)',
    'inv @ s',
    'pow(3) @ t',
    'U(0, 0, 1)',
    'u3(0, 0, 1)',
    'U(2 * pi, 0, 1)',
  ].map((gate) => [gate, 0] as const),
  ...['pow(2) @ x', 'pow(-2) @ sx', 'hh'].map((gate) => [gate, 2] as const),
  ...[
    ['pow(100) @ x', 100],
    ['pow(70) @ hh', 140],
    ['pow(0) @ x', 0],
    ['id', 0],
  ].map(([gate, pulses]) => [String(gate), Number(pulses)] as const),
]
const TWO_QUBITS = [
  'cz',
  'cx',
  'CX',
  'cp(0.3)',
  'cry(1)',
  'swap',
  'ctrl @ sx',
  'iswap',
  'rzx(0.4)',
  'pow(2) @ cx',
]
const GATE = 'gate hh a { h a; h a; }'

describe('optimization_level 0', () => {
  test.each(ONE_QUBIT)('plays %s by %i pulses', (gate, pulses) => {
    expect(pulsesOf(`${GATE} ${gate} q[0];`)).toBe(pulses)
    expect(pulsesOf(`${GATE} ${gate} q[0]; ${gate} q[0]; h q[0]; ${gate} q[0];`)).toBe(3 * pulses + 1)
  })

  test('plays each gate of a random program by itself, and keeps its outcomes', () => {
    const alone = new Map(TWO_QUBITS.map((gate) => [gate, pulsesOf(`${gate} q[0], q[1];`)]))
    const play = fc.property(fc.nat(), (seed) => {
      const rng = createRng(seed)
      const pick = <T>(list: readonly T[]) => list[Math.floor(rng.next() * list.length)] as T
      let pulses = 0
      const gates = Array.from({ length: 20 }, () => {
        if (rng.next() < 0.3) {
          const gate = pick(TWO_QUBITS)
          const low = pick([0, 1, 2])
          pulses += alone.get(gate) ?? 0
          return rng.next() < 0.5 ? `${gate} q[${low}], q[${low + 1}];` : `${gate} q[${low + 1}], q[${low}];`
        }
        const [gate, own] = pick(ONE_QUBIT)
        pulses += own
        return `${gate} q[${pick([0, 1, 2, 3])}];`
      })
      const text = `${GATE} ${gates.join(' ')} c = measure q;`
      const circuit = compiled(text)
      expect({ text, pulses: circuit.gates.pulses }).toEqual({ text, pulses })
      const outcomes = [circuit.program, `${HEADER} ${text}`].map((each) => outcomeProbabilities(opsOf(each)))
      expect(totalVariation(outcomes[0] ?? new Map(), outcomes[1] ?? new Map())).toBeLessThan(1e-9)
      // What was played is played again by the same pulses.
      expect(timesOf(onRowOfFour(circuit.program, { level: 0 }))).toEqual(timesOf(circuit))
    })
    fc.assert(play, { numRuns: 25, endOnFailure: true })
  })

  test('turns about the written axis, whatever the frame: what repeats a gate sees its error add up', () => {
    const axes = (statements: string) =>
      compiled(statements).schedule.pulses.map(({ phase }) => Math.abs(Math.round((phase * 180) / Math.PI)))
    expect(axes('rx(-pi) q[0]; x q[0]; y q[0]; U(pi, pi/4, -pi/4) q[0];')).toEqual([180, 0, 90, 135])
    expect(axes('x q[0]; rz(pi) q[0]; x q[0]; rz(pi/2) q[0]; x q[0];')).toEqual([0, 180, 90])
  })

  test('101 x are 101 pulses one after the other, by physical qubits too', () => {
    for (const [text, options] of [
      [`qubit q; ${'x q; '.repeat(101)} c = measure q;`, { level: 0 }],
      [`${'x $0; '.repeat(101)} c = measure $0;`, {}],
    ] as const) {
      const { gates, schedule, program } = onRowOfFour(
        `OPENQASM 3.0; include "stdgates.inc"; bit c; ${text}`,
        options,
      )
      expect(gates.pulses).toBe(101)
      const drives = schedule.pulses.filter(({ port }) => port === 'q0:mw')
      expect(drives.map(({ at }) => at)).toEqual(Array.from({ length: 101 }, (_, at) => 20 * at))
      expect(schedule.duration).toBe(101 * 20 + 1100)
      expect(program.match(/^U\(/gm)).toHaveLength(101)
    }
  })

  test('id waits as long as an x, u0(n) n times as long', () => {
    const durationOf = (statements: string, level: 0 | 1 = 0) => compiled(statements, level).schedule.duration
    const bare = durationOf('x q[1]; c = measure q;')
    for (const [waits, times] of [
      ['for int i in [1:1000] { id q[1]; }', 1000],
      ['u0(7) q[1];', 7],
      ['u0(0.5) q[1];', 0.5],
      ['pow(3) @ id q[1];', 3],
      ['inv @ id q[1];', 1],
    ] as const) {
      expect(durationOf(`x q[1]; ${waits} c = measure q;`) - bare).toBe(times * PULSE_NS[1])
      expect(pulsesOf(`x q[1]; ${waits} x q[1]; c = measure q;`)).toBe(2)
      expect(durationOf(`x q[1]; ${waits} c = measure q;`, 1)).toBe(bare)
    }
    expect(() => compiled('u0(-1) q[0];')).toThrow('u0(-1) would wait for a negative time')
  })

  test('a box keeps gates apart at every level, and begins and ends together on its qubits', () => {
    const boxes = 'box { x q[0]; } '.repeat(11)
    for (const level of [0, 1] as const) expect(pulsesOf(`${boxes} c = measure q;`, level)).toBe(11)
    expect(pulsesOf('h q[0]; box { h q[0]; h q[0]; } h q[0]; x q[1]; c = measure q;', 1)).toBe(3)
    const { program } = compiled('x q[0]; box { x q[1]; box { x q[0]; } } x q[2];')
    expect([...(program.match(/barrier .*/g) ?? [])]).toEqual([
      ...['barrier $1, $0;', 'barrier $0;', 'barrier $0;', 'barrier $1, $0;'],
    ])
  })
})
