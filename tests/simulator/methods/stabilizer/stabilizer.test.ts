import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Op } from '../../../../src/qasm/index.ts'
import { amplitudeDamping, pauliChannel } from '../../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../../src/simulator/noise/noise-model.ts'
import { EXACT_READOUT, type ReadoutError } from '../../../../src/simulator/readout/readout.ts'
import { CLIFFORD, type Pattern, randomCircuit, toProgram } from '../../../oracle/random-circuit.ts'
import { compareCounts } from '../../../oracle/statistics.ts'
import { h, measure, measureAll, phase, reset, ry, x } from '../../support/ops.ts'
import { countsOfProgram, runOps } from '../../support/run.ts'

const SHOTS = 2_000

/** A GHZ state of many qubits, all measured. */
function ghz(qubits: number): Op[] {
  const ladder = Array.from({ length: qubits - 1 }, (_, qubit) => x(qubit + 1, qubit))
  return [h(0), ...ladder, ...measureAll(qubits)]
}

test.each<Pattern>(['end', 'some', 'middle', 'feedback'])(
  'random Clifford circuits measured at the %s are distributed as the statevector',
  async (pattern) => {
    const rounds = 40
    for (let seed = 0; seed < rounds; seed++) {
      const shape = { seed, qubits: 1 + (seed % 8), length: 5 + seed, pattern, modifiers: false }
      const text = toProgram(randomCircuit({ ...shape, gates: CLIFFORD }))
      const ours = await countsOfProgram(text, { method: 'stabilizer', seed, shots: SHOTS })
      const exact = await countsOfProgram(text, { method: 'statevector', seed: seed + 1_000, shots: SHOTS })
      // Exceeded once in 10,000 runs of the whole test.
      expect(compareCounts(ours, exact).p, text).toBeGreaterThan(1e-4 / rounds)
    }
  },
)

test('1,000 qubits in a GHZ state agree in every shot', async () => {
  const { counts = {}, provenance } = await runOps(ghz(1_000), 1_000, { shots: 10_000 })
  expect(provenance['method']).toBe('stabilizer')
  expect(Object.keys(counts).sort()).toEqual(['0'.repeat(1_000), '1'.repeat(1_000)])
  expect(Math.abs((counts['0'.repeat(1_000)] ?? 0) - 5_000)).toBeLessThan(300)
})

test('a repetition code detects any single flip by its syndromes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 60 }), fc.nat(), async (distance, place) => {
      const flipped = place % distance
      const ancillas = Array.from({ length: distance - 1 }, (_, index) => distance + index)
      const ops: Op[] = [
        ...Array.from({ length: distance - 1 }, (_, qubit) => x(qubit + 1, qubit)),
        x(flipped),
        ...ancillas.flatMap((ancilla, index) => [
          x(ancilla, index),
          x(ancilla, index + 1),
          measure(ancilla, index),
          reset(ancilla),
        ]),
      ]
      const syndrome = ancillas.map((_, index) => (index === flipped || index + 1 === flipped ? '1' : '0'))
      const run = { shots: 50, method: 'stabilizer', clbits: distance - 1 }
      const { counts } = await runOps(ops, 2 * distance - 1, run)
      expect(counts).toEqual({ [syndrome.toReversed().join('')]: 50 })
    }),
    { numRuns: 30 },
  )
})

test('a measured qubit keeps its outcome, and its partner shares it', async () => {
  const ops = [h(0), x(1, 0), measure(0, 0), h(2), measure(0, 1), measure(1, 2), measure(2, 3)]
  const { counts = {} } = await runOps(ops, 4, { method: 'stabilizer', shots: SHOTS })
  expect(Object.keys(counts).sort()).toEqual(['0000', '0111', '1000', '1111'])
})

test('gates that are not Clifford are refused by name, also in programs with feedback', async () => {
  const ops = [{ ...ry(0.3, 0), name: 'ry' }, ...measureAll(1)]
  await expect(runOps(ops, 1, { method: 'stabilizer' })).rejects.toThrow('the gate ry is not Clifford')
  const controlled = [h(0), h(1), h(2), phase(Math.PI, [0, 1, 2]), h(2), ...measureAll(3)]
  await expect(runOps(controlled, 3, { method: 'stabilizer' })).rejects.toThrow('not Clifford')
  const steered =
    'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q; if (!c) t q; c = measure q;'
  await expect(countsOfProgram(steered, { method: 'stabilizer', seed: 1, shots: SHOTS })).rejects.toThrow(
    'the gate t is not Clifford',
  )
})

test('shots keep their outcomes when more of them are run', async () => {
  const ops = [h(0), measure(0, 0), h(0), h(1), x(2, 1), measure(0, 1), measure(2, 2)]
  const memory = async (shots: number) => {
    const run = { shots, method: 'stabilizer', memory: 'bits' } as const
    return (await runOps(ops, 3, run)).memory as string[]
  }
  expect((await memory(5_000)).slice(0, 100)).toEqual(await memory(100))
})

test('a readout error flips outcomes of mid-circuit and of final measurements', async () => {
  const ops = [x(0), measure(0, 0), h(0), h(0), measure(0, 1)]
  const run = { shots: 20_000, method: 'stabilizer', readoutError: 0.1 } as const
  const { counts = {} } = await runOps(ops, 2, run)
  const [first, last] = [0, 1].map((bit) =>
    Object.entries(counts).reduce((sum, [key, count]) => sum + (key[1 - bit] === '0' ? count : 0), 0),
  )
  expect(Math.abs((first ?? 0) - 2_000)).toBeLessThan(250)
  expect(Math.abs((last ?? 0) - 2_000)).toBeLessThan(250)
})

test.each(['none', 'bits', 'packed_bits'] as const)(
  'each outcome has its own probability of being misread, also of a qubit that stays |0>; memory: %s',
  async (memory) => {
    const errors: ReadoutError[] = [
      [0.02, 0.3],
      [0.2, 0],
      [0, 0.4],
      [0.25, 0.01],
      [1, 0.5],
    ]
    const noise = defineNoiseModel({ source: 'test', readoutErrorOf: (qubit) => errors[qubit] ?? [0, 0] })
    // Qubits 1, 3 and 4 stay |0>; bit 5 is measured mid-circuit, in |1>.
    const ops = [x(0), x(2), measure(0, 5), h(0), h(0), ...measureAll(5)]
    const shots = 20_000
    const { counts = {} } = await runOps(ops, 5, { shots, clbits: 6, method: 'stabilizer', memory, noise })
    const ones = (bit: number) =>
      Object.entries(counts).reduce((sum, [key, count]) => sum + (key.at(-1 - bit) === '1' ? count : 0), 0)
    const expected = [0.7, 0.2, 0.6, 0.25, 1, 0.7]
    for (const [bit, share] of expected.entries())
      expect(Math.abs(ones(bit) / shots - share), `bit ${bit}`).toBeLessThanOrEqual(
        0.02 * Math.sqrt(1 - share),
      )
  },
)

test('Pauli noise acts with its probability, mid-circuit, at the end and in programs with feedback', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) =>
      onQubit(qubit, [
        pauliChannel(
          new Map([
            ['X', 0.1],
            ['Y', 0.1],
            ['Z', 0.5],
          ]),
        ),
      ]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })
  const ops = [x(0), measure(0, 0), x(0), measure(0, 1)]
  const { counts = {} } = await runOps(ops, 2, { method: 'stabilizer', shots: 40_000, noise })
  const flipped = (bit: number, right: string) =>
    Object.entries(counts).reduce((sum, [key, count]) => sum + (key[1 - bit] === right ? 0 : count), 0)
  expect(Math.abs(flipped(0, '1') - 8_000)).toBeLessThan(400)
  // A flip by one of the two errors but not both: 2 · 0.2 · 0.8.
  expect(Math.abs(flipped(1, '0') - 12_800)).toBeLessThan(500)
  const steered =
    'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; x q; c = measure q; if (c) x q; c = measure q;'
  const ones =
    (await countsOfProgram(steered, { method: 'stabilizer', seed: 3, shots: SHOTS, noise }))['1'] ?? 0
  expect(Math.abs(ones - 0.8 * 0.2 * SHOTS)).toBeLessThan(100)
})

test('noise that is not made of Pauli operators is refused', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [amplitudeDamping(0.1)]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })
  const run = runOps([x(0), measure(0, 0)], 1, { method: 'stabilizer', noise })
  await expect(run).rejects.toThrow('stabilizer: the noise is not made of Pauli operators')
})
