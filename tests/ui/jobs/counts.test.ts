import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeCounts, toBars, toCsv } from '../../../ui/jobs/counts.ts'

const counts = { '11': 480, '00': 500, '01': 12, '10': 8 }

test('toBars() orders by outcome or by count', () => {
  expect(toBars(counts, 'outcome', 32).bars.map(({ label }) => label)).toEqual(['00', '01', '10', '11'])
  expect(toBars(counts, 'count', 32).bars.map(({ label }) => label)).toEqual(['00', '11', '01', '10'])
})

test('toBars() returns the share and the binomial deviation of each count', () => {
  const [first] = toBars(counts, 'count', 32).bars
  expect(first?.share).toBe(0.5)
  expect(first?.sigma).toBeCloseTo(Math.sqrt(1000 * 0.5 * 0.5), 12)
})

test('what has no bar is a number, so that it cannot set the scale of the bars', () => {
  for (const order of ['outcome', 'count'] as const) {
    const { bars, other } = toBars(counts, order, 2)
    expect(bars.map(({ label }) => label)).toEqual(['00', '11'])
    expect(other).toEqual({ outcomes: 2, count: 20, share: 0.02 })
  }
  expect(toBars(counts, 'count', 4).other).toBeUndefined()
  // 985 outcomes of which none is frequent.
  const flat = Object.fromEntries(
    Array.from({ length: 985 }, (_, n) => [n.toString(2).padStart(10, '0'), 1 + (n % 2)]),
  )
  const { bars, other } = toBars(flat, 'outcome', 32)
  expect([bars.length, Math.max(...bars.map(({ count }) => count)), other?.outcomes]).toEqual([32, 2, 953])
})

test('toBars() of no counts returns no bars', () => {
  expect(toBars({}, 'count', 8)).toEqual({ bars: [], other: undefined })
  expect(toBars({ '0': 0 }, 'count', 8).bars).toEqual([{ label: '0', count: 0, share: 0, sigma: 0 }])
})

test('toBars() loses no shot and never exceeds the number of bars', () => {
  const outcomes = fc.dictionary(fc.stringMatching(/^[01]{1,8}$/), fc.nat(10_000))
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 2, max: 40 }), (measured, most) => {
      const { bars, other } = toBars(measured, 'outcome', most)
      const total = Object.values(measured).reduce((sum, count) => sum + count, 0)
      expect(bars.length).toBeLessThanOrEqual(most)
      expect(bars.reduce((sum, { count }) => sum + count, other?.count ?? 0)).toBe(total)
      expect(bars.length + (other?.outcomes ?? 0)).toBe(Object.keys(measured).length)
    }),
  )
})

test('toCsv() lists every outcome, most frequent first', () => {
  expect(toCsv(counts)).toBe('outcome,count,probability\n00,500,0.5\n11,480,0.48\n01,12,0.012\n10,8,0.008\n')
})

test('describeCounts() names the most frequent outcomes only', () => {
  expect(describeCounts(toBars(counts, 'outcome', 3))).toBe(
    'Histogram of counts. Most frequent: 00: 500, 11: 480, 01: 12; 1 further outcomes with 8 shots have no bar',
  )
})
