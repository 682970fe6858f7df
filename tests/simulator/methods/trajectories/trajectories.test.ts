import { expect, test } from 'bun:test'
import type { Op } from '../../../../src/qasm/index.ts'
import { amplitudeDamping, depolarizing, pauliChannel } from '../../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../../src/simulator/noise/noise-model.ts'
import { type Pattern, randomCircuit, toProgram } from '../../../oracle/random-circuit.ts'
import { compareCounts } from '../../../oracle/statistics.ts'
import { part } from '../../../support/whole.ts'
import { h, measure, measureAll, ry, x } from '../../support/ops.ts'
import { countsOfProgram, runOps } from '../../support/run.ts'

const METHOD = 'trajectories'
const SHOTS = 3_000

/** Some noise that depends on the state, some that does not, and an asymmetric readout error. */
const noise = defineNoiseModel({
  source: 'test',
  gateNoiseOf: (_, qubits) =>
    qubits.flatMap((qubit) => onQubit(qubit, [depolarizing(0.04, 1), amplitudeDamping(0.08, 0.1)])),
  relaxationOf: () => undefined,
  readoutErrorOf: (qubit) => [0.02, 0.05 + 0.01 * qubit],
})

test.each<Pattern>(['end', 'middle', 'feedback'])(
  'random circuits measured at the %s are distributed as matrix product states',
  async (pattern) => {
    const rounds = part(6, 2)
    for (let seed = 0; seed < rounds; seed++) {
      const text = toProgram(randomCircuit({ seed, qubits: 2 + (seed % 3), length: 8 + seed, pattern }))
      const ours = await countsOfProgram(text, { method: METHOD, seed, shots: SHOTS, noise })
      const others = await countsOfProgram(text, {
        method: 'matrix_product_state',
        seed: seed + 1_000,
        shots: SHOTS,
        noise,
      })
      // Exceeded once in 10,000 runs of the whole test.
      expect(compareCounts(ours, others).p, text).toBeGreaterThan(1e-4 / rounds)
    }
  },
  60_000,
)

test('shots keep their outcomes when more of them are run', async () => {
  const ops: Op[] = [
    h(0),
    x(1, 0),
    measure(0, 0),
    h(0),
    ry(0.4, 1),
    x(2, 1),
    measure(0, 1),
    measure(1, 2),
    measure(2, 3),
  ]
  const memory = async (shots: number) => {
    const run = { shots, method: METHOD, memory: 'bits', noise, clbits: 4 } as const
    return (await runOps(ops, 3, run)).memory as string[]
  }
  expect((await memory(2_000)).slice(0, 100)).toEqual(await memory(100))
})

test('weak noise on a large circuit computes few states: a circuit of 18 qubits ends within the time limit', async () => {
  const weak = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [pauliChannel(new Map([['X', 1e-5]]))]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => [0, 0],
  })
  const gates = Array.from({ length: 10 }, (_, round) =>
    Array.from({ length: 18 }, (__, qubit) => [ry(0.3 + round, qubit), x((qubit + 1) % 18, qubit)]).flat(),
  ).flat()
  const { provenance } = await runOps([...gates, ...measureAll(18)], 18, { noise: weak, shots: 200 })
  expect(provenance).toMatchObject({ method: METHOD, noise: 'test' })
})

test('strong noise on a large circuit is refused with its estimated time', async () => {
  const gates = Array.from({ length: 40 }, (_, round) =>
    Array.from({ length: 24 }, (__, qubit) => ry(0.3 + round, qubit)),
  ).flat()
  const run = runOps([...gates, ...measureAll(24)], 24, { noise, method: METHOD, shots: 10_000 })
  await expect(run).rejects.toThrow(/job needs about \d+ s, limit is 60 s/)
})
