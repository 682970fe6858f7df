import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  barsOf,
  formatMonth,
  monthsOf,
  partsOf,
  roundedUp,
  shiftMonth,
} from '../../../../ui/pages/accounting/months.ts'

test('months are counted over the end of a year', () => {
  expect(shiftMonth('2026-11', 3)).toBe('2027-02')
  expect(monthsOf('2026-11', '2027-01')).toEqual(['2026-11', '2026-12', '2027-01'])
  expect([formatMonth('2026-11'), monthsOf('2027-01', '2026-11')]).toEqual(['Nov 2026', []])
})

test('every month of the range has a bar', () => {
  const items = [
    { month: '2026-12', qpu_seconds: 5 },
    { month: '2026-12', qpu_seconds: 2 },
  ]
  const bars = barsOf({ from: '2026-11', to: '2027-01', items })
  expect(bars.map(({ seconds }) => seconds)).toEqual([0, 7, 0])
})

test('the axis ends at a round amount above the largest bar, and not far above', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1e8, noNaN: true }), (seconds) => {
      const end = roundedUp(seconds)
      expect(end).toBeGreaterThanOrEqual(seconds * (1 - 1e-6))
      expect(end).toBeLessThanOrEqual(seconds * 2.01)
    }),
  )
  expect([0.7, 45, 130, 5_400, 8_000].map(roundedUp)).toEqual([0.8, 50, 180, 6_000, 10_800])
})

test('the lines of the axis have round values', () => {
  const lines = [30, 0.8, 50, 180, 6_000, 10_800].map((end) => end / partsOf(end))
  expect(lines).toEqual([10, 0.2, 10, 60, 1_200, 3_600])
})
