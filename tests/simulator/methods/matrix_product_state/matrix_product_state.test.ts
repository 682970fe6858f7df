import { expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import type { Op } from '../../../../src/qasm/index.ts'
import { Algebra } from '../../../../src/simulator/methods/matrix_product_state/algebra.ts'
import { Outlook } from '../../../../src/simulator/methods/matrix_product_state/outlook/outlook.ts'
import { TensorChain } from '../../../../src/simulator/methods/matrix_product_state/tensor-chain.ts'
import { amplitudeDamping } from '../../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../../src/simulator/noise/noise-model.ts'
import { EXACT_READOUT } from '../../../../src/simulator/readout/readout.ts'
import { TimeBudget } from '../../../../src/simulator/timing/time-budget.ts'
import { type Pattern, randomCircuit, toProgram } from '../../../oracle/random-circuit.ts'
import { compareCounts } from '../../../oracle/statistics.ts'
import { h, measure, measureAll, ry, swap, x } from '../../support/ops.ts'
import { countsOfProgram, engine, runOps } from '../../support/run.ts'

const SHOTS = 2_000
const METHOD = 'matrix_product_state'

test.each<Pattern>(['end', 'some', 'middle', 'feedback'])(
  'random circuits measured at the %s are distributed as the statevector',
  async (pattern) => {
    const rounds = 15
    for (let seed = 0; seed < rounds; seed++) {
      const shape = { seed, qubits: 1 + (seed % 6), length: 5 + 2 * seed, pattern }
      const text = toProgram(randomCircuit(shape))
      const ours = await countsOfProgram(text, { method: METHOD, seed, shots: SHOTS })
      const exact = await countsOfProgram(text, { method: 'statevector', seed: seed + 1_000, shots: SHOTS })
      // Exceeded once in 10,000 runs of the whole test.
      expect(compareCounts(ours, exact).p, text).toBeGreaterThan(1e-4 / rounds)
    }
  },
  60_000,
)

test('100 qubits in a GHZ state with rotations agree, at a bond dimension of 2', async () => {
  const ladder = Array.from({ length: 99 }, (_, qubit) => x(qubit + 1, qubit))
  const { counts = {}, provenance } = await runOps([ry(1, 0), ...ladder, ...measureAll(100)], 100, {
    method: METHOD,
    shots: 10_000,
  })
  expect(provenance).toMatchObject({ method: METHOD, bond: 2 })
  expect(provenance['truncation']).toBeLessThan(1e-12)
  expect(Object.keys(counts).sort()).toEqual(['0'.repeat(100), '1'.repeat(100)])
  const expected = 10_000 * Math.sin(0.5) ** 2
  expect(Math.abs((counts['1'.repeat(100)] ?? 0) - expected)).toBeLessThan(250)
})

test('distant qubits are entangled and disentangled again', async () => {
  const ops: Op[] = [
    x(0),
    swap(0, 30),
    x(15, 30),
    swap(15, 2),
    measure(0, 0),
    measure(30, 1),
    measure(2, 2),
    measure(15, 3),
  ]
  expect((await runOps(ops, 31, { method: METHOD, clbits: 4, shots: 10 })).counts).toEqual({ '0110': 10 })
})

test('two chained registers that a control compares pair by pair need a bond dimension of 8 at most', async () => {
  const pairs = 7
  const ladder = (first: number) =>
    Array.from({ length: pairs }, (_, at) => [
      ry(0.7 + at / 5, first + at),
      ...(at > 0 ? [ry(1.1, first + at, first + at - 1), x(first + at, first + at - 1)] : []),
    ]).flat()
  const compared = Array.from({ length: pairs }, (_, at) => swap(1 + at, 1 + pairs + at, 0))
  const ops = [h(0), ...ladder(1), ...ladder(1 + pairs), ...compared, h(0), ...measureAll(2 * pairs + 1)]
  const { provenance } = await runOps(ops, 2 * pairs + 1, { method: METHOD, shots: 100 })
  expect(provenance['bond']).toBeLessThanOrEqual(8)
})

test('a measured part of the chain is distributed as in the statevector', async () => {
  const entangled = Array.from({ length: 3 }, (_, round) =>
    Array.from({ length: 7 }, (__, qubit) => [
      ry(0.4 + qubit + round, qubit),
      x((qubit + 1) % 7, qubit),
    ]).flat(),
  ).flat()
  for (const measured of [[3], [5, 3], [6, 0]]) {
    const ops = [...entangled, ...measured.map((qubit, clbit) => measure(qubit, clbit))]
    const options = { clbits: measured.length, shots: SHOTS }
    const { counts: ours = {} } = await runOps(ops, 7, { ...options, method: METHOD })
    const { counts: exact = {} } = await runOps(ops, 7, { ...options, method: 'statevector', seed: 2 })
    expect(compareCounts(ours, exact).p).toBeGreaterThan(1e-5)
  }
})

test('truncation by a small bond dimension is reported with the discarded weight, and refused above half of it', async () => {
  const entangled = Array.from({ length: 12 }, (_, round) =>
    Array.from({ length: 10 }, (__, qubit) => [
      ry(0.7 + qubit + round, qubit),
      x((qubit + 3) % 10, qubit),
    ]).flat(),
  ).flat()
  const program = [...entangled, ...measureAll(10)]
  const run = (bond: number) => runOps(program, 10, { method: METHOD, shots: 100, bond })
  const { provenance } = await run(30)
  expect(provenance['bond']).toBe(30)
  expect(provenance['truncation']).toBeGreaterThan(1e-3)
  await expect(run(4)).rejects.toMatchObject({
    code: 'too_many_qubits',
    message: expect.stringContaining('is too entangled: bonds of 4 lose more than half of its state'),
  })
})

test('noise acts in each shot with its probability in the state', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [amplitudeDamping(0.3)]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })
  const ops = [x(0), measure(0, 0), h(0), measure(0, 1)]
  const { counts = {} } = await runOps(ops, 2, { method: METHOD, shots: 20_000, noise })
  const ones = (bit: number) =>
    Object.entries(counts).reduce((sum, [key, count]) => sum + (key[1 - bit] === '1' ? count : 0), 0)
  expect(Math.abs(ones(0) - 14_000)).toBeLessThan(350)
  expect(Math.abs(ones(1) - 7_000)).toBeLessThan(350)
})

test('shots keep their outcomes when more of them are run', async () => {
  const ops = [h(0), measure(0, 0), h(0), h(1), x(2, 1), measure(0, 1), measure(2, 2)]
  const memory = async (shots: number) =>
    (await runOps(ops, 3, { shots, method: METHOD, memory: 'bits' })).memory as string[]
  expect((await memory(1_000)).slice(0, 100)).toEqual(await memory(100))
})

test('a run whose rest takes several times the time left is refused, with the step and the bond', () => {
  const algebra = new Algebra(engine)
  const truncation = { maxBondDimension: 64, threshold: 1e-16 }
  const qubits = Array.from({ length: 12 }, (_, qubit) => qubit)
  const chain = new TensorChain(qubits, { truncation, algebra, meeting: 'right' })
  for (let round = 0; round < 8; round++) {
    for (const qubit of qubits) {
      chain.apply(ry(0.7 + qubit + round, qubit))
      chain.apply(x((qubit + 3) % 12, qubit))
    }
  }
  const pairs = new Int32Array(2 ** 22).fill(6)
  /** A run that takes `pace` s from its first step to its second, in the same state. */
  const assertWith = (seconds: number, { rest = pairs, mayShrink = false, pace = 1 } = {}) => {
    let now = 0
    const limit = { signal: new AbortController().signal, deadline: 1_000 * seconds }
    const outlook = new Outlook(new TimeBudget({ ...systemClock, monotonic: () => now }, limit))
    const at = { steps: 90, pairs: rest, mayShrink: () => mayShrink }
    outlook.assertAffordable(chain, { ...at, step: 2, next: 0 })
    now += 1_000 * pace
    outlook.assertAffordable(chain, { ...at, step: 3, next: rest.length >> 4 })
  }
  expect(() => assertWith(1_000)).not.toThrow()
  const bond = chain.largestBondDimension
  expect(bond).toBeGreaterThan(7)
  expect(() => assertWith(1)).toThrow(`is too entangled: after step 3 of 90 its bonds have reached ${bond}`)
  expect(() => assertWith(1, { mayShrink: true })).not.toThrow()
  // Steps that take a hundredth of their estimate make it one of another state or machine.
  expect(() => assertWith(1, { pace: 0.06 })).not.toThrow()
  // A short rest is no reason, however little time is left: the time limit ends the run.
  expect(() => assertWith(0, { rest: pairs.subarray(0, 10) })).not.toThrow()
})
