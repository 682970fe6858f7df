import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { description } from '../../../../ui/api/model/qpus/chip.ts'
import { readChip } from '../../../../ui/plots/chip/chip.ts'
import { breachesOf, limitOf, readLimits, withLimits } from '../../../../ui/plots/chip/limits.ts'

const chip = readChip(
  v.parse(description, {
    qubits: [
      { name: 'q0', t1_s: 5e-5, readout_error: 0.05 },
      { name: 'q1', t1_s: 2e-5, readout_error: 0.01 },
      { name: 'q2', t1_s: 1e-6, operational: false },
    ],
    gates: [{ name: 'cz', on: [{ qubits: [0, 1], error: 0.1, duration_s: 9e-8 }] }],
  }),
  [],
)

test('limits are stored in base units and compared in shown ones', () => {
  const limits = { readout_fidelity: 0.97, t1: 3e-5, 'gate.cz': 0.95, 'duration.cz': 8e-8 }
  expect(
    limitOf(
      limits,
      chip.qubitMetrics.find(({ id }) => id === 't1'),
    ),
  ).toBeCloseTo(30, 9)
  expect(
    breachesOf(chip, limits).map(({ element, metric, isCoupler }) => [element, metric.id, isCoupler]),
  ).toEqual([
    ['q0', 'readout_fidelity', false],
    ['q1', 't1', false],
    ['q0_q1', 'gate.cz', true],
    ['q0_q1', 'duration.cz', true],
  ])
  expect(breachesOf(chip, {})).toEqual([])
})

test('the rest of a configuration stays, and what is no limit is ignored', () => {
  expect(withLimits({ a: 1, limits: { t1: 1 } }, { t2: 2 })).toEqual({ a: 1, limits: { t2: 2 } })
  expect(withLimits('text', { t2: 2 })).toEqual({ limits: { t2: 2 } })
  for (const bad of [null, 'x', {}, { limits: 3 }, { limits: { t1: 'a' } }])
    expect(readLimits(bad)).toEqual({})
})
