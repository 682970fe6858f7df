import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { daysUntil, driftOf, theilSen, trendOf } from '../../../../ui/plots/time-series/theil-sen.ts'

const DAY = 86_400_000

test('theilSen() finds a line exactly, also with a fifth of wild points', () => {
  const slopes = fc.integer({ min: -1_000, max: 1_000 })
  fc.assert(
    fc.property(slopes, slopes, fc.integer({ min: 10, max: 60 }), (slope, offset, count) => {
      const points = Array.from({ length: count }, (_, at) => ({
        at,
        value: at % 5 === 2 ? 1e9 * (at % 2 ? 1 : -1) : slope * at + offset,
      }))
      const clean = points.filter(({ value }) => Math.abs(value) < 1e8)
      expect(theilSen(clean)).toEqual({ slope, offset })
      expect(theilSen(points)?.slope).toBeCloseTo(slope, 0)
    }),
  )
})

test('theilSen() has no line for points at one time', () => {
  expect(theilSen([])).toBeUndefined()
  expect(
    theilSen([
      { at: 1, value: 1 },
      { at: 1, value: 2 },
    ]),
  ).toBeUndefined()
})

test('driftOf() takes the last 14 days and at least three values', () => {
  const now = 100 * DAY
  const value = (day: number, number: number) => ({ at: day * DAY, value: number })
  const drift = driftOf([value(10, 1e6), value(90, 1), value(95, 6), value(100, 11)], now)
  expect(drift?.perDay).toBeCloseTo(1)
  expect(drift?.values).toBe(3)
  expect(driftOf([value(90, 1), value(95, 6)], now)).toBeUndefined()
})

test('daysUntil() a limit: over it, towards it, away from it', () => {
  const line = { slope: -0.001 / DAY, offset: 0.999 }
  expect(daysUntil(line, { value: 0.99, side: 'below' }, 0)).toBeCloseTo(9)
  expect(daysUntil(line, { value: 0.9995, side: 'below' }, 0)).toBe(0)
  expect(daysUntil({ ...line, slope: 0 }, { value: 0.99, side: 'below' }, 0)).toBeUndefined()
  expect(daysUntil(line, { value: 1, side: 'above' }, 0)).toBeUndefined()
})

test('trendOf() begins at the first value of the drift and ends now', () => {
  const now = 30 * DAY
  const points = [1, 18, 22, 29].map((day) => ({ at: day * DAY, value: day }))
  const drift = driftOf(points, now)
  if (!drift) throw new Error('no drift')
  const { from, to } = trendOf(points, drift, now)
  expect([from.at, to.at]).toEqual([18 * DAY, now])
  expect(from.value).toBeCloseTo(18)
  expect(to.value).toBeCloseTo(30)
})
