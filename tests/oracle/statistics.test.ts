import { expect, test } from 'bun:test'
import { chiSquareTail, compareCounts } from './statistics.ts'

// Critical values of the chi-square distribution, NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
const TABLE: readonly [freedom: number, value: number, p: number][] = [
  [1, 3.841, 0.05],
  [1, 10.828, 0.001],
  [5, 11.07, 0.05],
  [10, 29.588, 0.001],
  [60, 79.082, 0.05],
  [100, 149.449, 0.001],
  [100, 77.929, 0.95],
]

test.each(TABLE)('with %i degrees of freedom %d is exceeded with p %d', (freedom, value, p) => {
  expect(chiSquareTail(value, freedom)).toBeCloseTo(p, 4)
})

test('equal samples do not differ', () => {
  expect(compareCounts({ a: 500, b: 500 }, { a: 1_000, b: 1_000 })).toEqual({ totalVariation: 0, p: 1 })
})

test('samples of different distributions are distinguished', () => {
  const { totalVariation, p } = compareCounts({ a: 600, b: 400 }, { a: 500, b: 500 })
  expect(totalVariation).toBeCloseTo(0.1)
  expect(p).toBeLessThan(1e-4)
})

test('rare outcomes are pooled, not dropped', () => {
  const rare = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`rare ${index}`, 2]))
  expect(compareCounts({ a: 920, ...rare }, { a: 1_000 }).p).toBeLessThan(1e-10)
})
