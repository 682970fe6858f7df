import { expect, test } from 'bun:test'
import type { Op } from '../../../../src/qasm/index.ts'
import { amplitudeDamping, depolarizing } from '../../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../../src/simulator/noise/noise-model.ts'
import { EXACT_READOUT } from '../../../../src/simulator/readout/readout.ts'
import { h, measure, measureAll, phase, reset, ry, x } from '../../support/ops.ts'
import { distributionOf } from '../../support/reference.ts'
import { chiSquare, chiSquareLimit, runOps } from '../../support/run.ts'

const METHOD = 'density_matrix'

/** Decay with a probability after each gate, on its first qubit. */
const decay = (gamma: number) =>
  defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [amplitudeDamping(gamma)]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })

test('without noise it samples the state', async () => {
  const ops = [
    h(0),
    ry(0.7, 1),
    x(2, 0),
    phase(0.4, [0, 1]),
    h(1),
    reset(0),
    ry(1.1, 0, 2),
    measure(1, -1),
    ...measureAll(3),
  ]
  const { counts = {} } = await runOps(ops, 3, { method: METHOD, shots: 20_000 })
  const { value, freedom } = chiSquare(counts, distributionOf(ops, 3, 3))
  expect(value).toBeLessThan(chiSquareLimit(freedom))
})

test('a qubit decays by each of its gates', async () => {
  const idle = Array.from({ length: 6 }, () => phase(0, [0]))
  const gates = [x(0), ...idle.map(() => ({ ...x(0), matrix: Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0) }))]
  const { counts = {} } = await runOps([...gates, measure(0)], 1, {
    method: METHOD,
    shots: 100_000,
    noise: decay(0.1),
  })
  expect(Math.abs((counts['1'] ?? 0) - 100_000 * 0.9 ** 7)).toBeLessThan(800)
})

test('it is chosen for noise when there are more shots than states, and otherwise refused by its size', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [depolarizing(0.1, 1), amplitudeDamping(0.1)]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })
  const ops = [h(0), x(1, 0), ...measureAll(2)]
  expect((await runOps(ops, 2, { noise, shots: 10 })).provenance['method']).toBe(METHOD)
  const wide: Op[] = Array.from({ length: 14 }, (_, qubit) => h(qubit))
  await expect(runOps([...wide, ...measureAll(14)], 14, { method: METHOD })).rejects.toThrow(
    'density_matrix: needs 14 qubits, at most 13 fit',
  )
  await expect(runOps([h(0), measure(0, 0), h(0), measure(0, 1)], 2, { method: METHOD })).rejects.toThrow(
    'density_matrix: the circuit has mid-circuit measurements',
  )
})
