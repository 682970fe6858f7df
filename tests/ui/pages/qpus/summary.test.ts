import { expect, test } from 'bun:test'
import { medianPoints } from '../../../../ui/pages/qpus/summary.ts'

test('medianPoints() finds the series of a metric, under the name that device files give it', () => {
  const series = [
    { parameter: 'cz_rb.fidelity', unit: '', values: [] },
    {
      parameter: 'coherence.t1',
      unit: 's',
      values: [
        { at: '2026-11-20 10:00:00.000Z', value: 5e-5, count: 5 },
        { at: 'not a time', value: 1, count: 1 },
        { at: '2026-11-21 10:00:00.000Z', value: 6e-5, count: 5 },
      ],
    },
  ]
  const points = medianPoints(series, { id: 't1', factor: 1e6 })
  expect(points.map(({ value }) => Math.round(value))).toEqual([50, 60])
  expect((points[1]?.at ?? 0) - (points[0]?.at ?? 0)).toBe(86_400_000)
  expect(medianPoints(series, { id: 't2', factor: 1e6 })).toEqual([])
})
