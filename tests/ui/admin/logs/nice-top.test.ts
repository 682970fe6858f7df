import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { niceTop } from '../../../../ui/admin/logs/nice-top.ts'

test('the axis of the histogram ends at a round number above all bars', () => {
  expect([1, 3, 24, 41, 100, 101, 950].map(niceTop)).toEqual([2, 4, 40, 60, 100, 200, 1_000])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (most) => {
      const top = niceTop(most)
      expect(top).toBeGreaterThanOrEqual(most)
      expect(top).toBeLessThanOrEqual(Math.max(2, most * 2))
      expect(Number.isInteger(top / 2)).toBe(true)
    }),
  )
})
