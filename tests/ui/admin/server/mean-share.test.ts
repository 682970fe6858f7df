import { expect, test } from 'bun:test'
import { meanShare } from '../../../../ui/admin/server/mean-share.ts'

test('the mean weighs a day that goes on by the time until now', () => {
  const days = [
    { day: '2026-06-09', qpu_seconds: 43_200 },
    { day: '2026-06-10', qpu_seconds: 21_600 },
  ]
  // Half of a day, and all of the six hours since midnight: not the 75 % of two equal days.
  expect(meanShare(days, Date.UTC(2026, 5, 10, 6))).toBeCloseTo(0.6, 12)
  expect(meanShare(days, Date.UTC(2026, 5, 11))).toBeCloseTo(0.375, 12)
  expect(meanShare([], 0)).toBe(0)
})
