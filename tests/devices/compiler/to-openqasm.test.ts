import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decompose } from '../../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../../src/devices/compiler/decompose/native.ts'
import { place } from '../../../src/devices/compiler/levels.ts'
import { toOpenQasm } from '../../../src/devices/compiler/to-openqasm.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { part } from '../../support/whole.ts'
import { line } from './support/couplings.ts'
import { outcomeProbabilities, totalVariation } from './support/exact.ts'
import { randomCircuit } from './support/random-circuit.ts'
import { onRowOfFour } from './support/row-of-four.ts'

const read = (text: string) => lowerProgram(parseProgram(text), []).ops ?? []

test('toOpenQasm() writes a program with the same outcomes', () => {
  for (const level of [0, 1, 2] as const) {
    const { qubits, ops } = randomCircuit(11 + level, 5)
    const { steps } = place({ steps: decompose(ops), qubits, fixed: new Map(), coupling: line(6) }, level)
    const text = toOpenQasm(toNative(steps), qubits)
    expect(totalVariation(outcomeProbabilities(read(text)), outcomeProbabilities(ops))).toBeLessThan(1e-9)
  }
})

test('toOpenQasm() writes every other operation', () => {
  const text = 'delay[20ns] $1; reset $0; barrier $0, $1; c[1] = measure $0;'
  const ops = read(`OPENQASM 3.0; bit[2] c; ${text}`)
  const written = toOpenQasm(toNative(decompose(ops)), 2)
  expect(written.split('\n').slice(2)).toEqual([
    'bit[2] c;',
    'delay[20ns] $1;',
    'reset $0;',
    'barrier $0, $1;',
    'c[1] = measure $0;',
    '',
  ])
  expect(toOpenQasm(toNative(decompose(read(written))), 2)).toBe(written)
})

test('the text of a circuit has every measurement that is played, also of no bit and of an overwritten one', () => {
  const statements = [
    ...[
      'h A;',
      'rx(0.4) A;',
      'cz A, B;',
      'cx B, A;',
      'id A;',
      'delay[1us / 3] A;',
      'barrier A, B;',
      'reset A;',
    ],
    ...['measure A;', 'c[0] = measure A;', 'c[1] = measure B;', 'box { h A; measure A; }'],
  ]
  const played = ({ schedule, readings }: ReturnType<typeof onRowOfFour>) => ({
    pulses: schedule.pulses.map(({ at, port, amplitude }) => `${port} ${at} ${amplitude.toFixed(9)}`).sort(),
    readings: schedule.acquisitions
      .map(({ at, qubit }, index) => `${qubit} ${at} ${readings[index]?.clbit}`)
      .sort(),
    duration: schedule.duration,
  })
  const isPlayed = fc.property(fc.nat(), fc.constantFrom(0, 1, 2), (seed, level) => {
    const rng = createRng(seed)
    const body = Array.from({ length: 16 }, () => {
      const low = Math.floor(3 * rng.next())
      const [a, b] = rng.next() < 0.5 ? [low, low + 1] : [low + 1, low]
      const statement = statements[Math.floor(rng.next() * statements.length)] ?? ''
      return statement.replaceAll('A', `q[${a}]`).replaceAll('B', `q[${b}]`)
    })
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[2] c; ${body.join(' ')}`
    const circuit = onRowOfFour(text, { level })
    const { program, schedule } = circuit
    expect(program.match(/measure/g) ?? []).toHaveLength(schedule.acquisitions.length)
    const again = onRowOfFour(program, { level: 0 })
    expect({ text, ...played(again) }).toEqual({ text, ...played(circuit) })
  })
  fc.assert(isPlayed, { numRuns: part(2_000, 60), endOnFailure: true, includeErrorInReport: true })
})
