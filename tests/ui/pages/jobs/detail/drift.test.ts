import { expect, test } from 'bun:test'
import type { CalibrationValue } from '../../../../../ui/api/model/qpus/chip.ts'
import { driftsOf } from '../../../../../ui/pages/jobs/detail/calibration/drift.ts'

const value = (element: string, parameter: string, at: string, found: number, error: number | null = null) =>
  ({
    element,
    parameter,
    at,
    value: found,
    error,
    unit: 's',
    routine: '',
    report: '',
  }) satisfies CalibrationValue

const BEFORE = [
  value('q12', 'coherence.t1', '1', 50e-6, 1e-6),
  value('q1', 'coherence.t1', '1', 50e-6, 3e-6),
  value('q1', 'readout.fidelity', '1', 0.9),
  value('q1', 'clock_freqs.f01', '1', 5e9),
  value('q2', 'coherence.t1', '1', 50e-6),
]

test('driftsOf() names what is worse or better since, the largest change first', () => {
  const now = [
    value('q12', 'coherence.t1', '2', 46e-6, 1e-6),
    // Within two standard errors.
    value('q1', 'coherence.t1', '2', 45e-6, 3e-6),
    value('q1', 'readout.fidelity', '2', 0.99),
    // Neither is better.
    value('q1', 'clock_freqs.f01', '2', 6e9),
    // Not measured since.
    value('q2', 'coherence.t1', '1', 50e-6),
  ]
  expect(driftsOf(BEFORE, now)).toMatchObject([
    { element: 'q1', share: expect.closeTo(0.1), isWorse: false },
    { element: 'q12', title: 'T1', share: expect.closeTo(0.08), isWorse: true },
  ])
  expect(driftsOf(BEFORE, now, new Set(['q12']))).toHaveLength(1)
  expect(driftsOf(BEFORE, [])).toEqual([])
})
