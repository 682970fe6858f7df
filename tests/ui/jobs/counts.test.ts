import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { axisTicks, describeCounts, toBars, toCsv } from '../../../ui/jobs/counts.ts'

const counts = { '11': 480, '00': 500, '01': 12, '10': 8 }

test('toBars() orders by outcome or by count', () => {
  expect(toBars(counts, 'outcome', 32).map(({ label }) => label)).toEqual(['00', '01', '10', '11'])
  expect(toBars(counts, 'count', 32).map(({ label }) => label)).toEqual(['00', '11', '01', '10'])
})

test('toBars() returns the share and the binomial deviation of each count', () => {
  const [first] = toBars(counts, 'count', 32)
  expect(first?.share).toBe(0.5)
  expect(first?.sigma).toBeCloseTo(Math.sqrt(1000 * 0.5 * 0.5), 12)
})

test('toBars() combines the outcomes beyond the limit as other, after the rest in either order', () => {
  for (const order of ['outcome', 'count'] as const) {
    const bars = toBars(counts, order, 3)
    expect(bars.map(({ label }) => label)).toEqual(['00', '11', 'other'])
    expect(bars.at(-1)?.count).toBe(20)
  }
  expect(toBars(counts, 'count', 4).some(({ label }) => label === 'other')).toBeFalse()
})

test('toBars() of no counts returns no bars', () => {
  expect(toBars({}, 'count', 8)).toEqual([])
  expect(toBars({ '0': 0 }, 'count', 8)).toEqual([{ label: '0', count: 0, share: 0, sigma: 0 }])
})

test('toBars() loses no shot and never exceeds the number of bars', () => {
  const outcomes = fc.dictionary(fc.stringMatching(/^[01]{1,8}$/), fc.nat(10_000))
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 2, max: 40 }), (measured, most) => {
      const bars = toBars(measured, 'outcome', most)
      const total = Object.values(measured).reduce((sum, count) => sum + count, 0)
      expect(bars.length).toBeLessThanOrEqual(most)
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    }),
  )
})

test.each([
  [0, [0]],
  [1, [0, 1]],
  [7, [0, 2, 4, 6, 8]],
  [540, [0, 200, 400, 600]],
  [1950, [0, 500, 1000, 1500, 2000]],
  [1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]],
])('axisTicks(%p) are round: %p', (highest, ticks) => {
  expect(axisTicks(highest)).toEqual(ticks)
})

test('axisTicks() reaches the highest value in at most five steps of whole numbers', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e7, noNaN: true }), (highest) => {
      const ticks = axisTicks(highest)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest)
      expect(ticks.length).toBeLessThanOrEqual(6)
      expect(ticks.every(Number.isInteger)).toBeTrue()
    }),
  )
})

test('toCsv() lists every outcome, most frequent first', () => {
  expect(toCsv(counts)).toBe('outcome,count\n00,500\n11,480\n01,12\n10,8\n')
})

test('describeCounts() names the most frequent outcomes only', () => {
  expect(describeCounts(toBars(counts, 'outcome', 3))).toBe(
    'Histogram of counts. Most frequent: 00: 500, 11: 480',
  )
})
