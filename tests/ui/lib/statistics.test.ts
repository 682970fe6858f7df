import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  chiSquareTail,
  correctedSigmas,
  normalTail,
  poisson,
  seededRandom,
  sigmasOf,
} from '../../../ui/lib/statistics.ts'

// Reference values of scipy.stats.
test.each([
  [3.841459, 1, 0.05],
  [18.307038, 10, 0.05],
  [37.697298, 15, 0.001],
  [2, 15, 0.9999794],
])('chiSquareTail(%p, %p) is %p', (chiSquare, freedom, probability) => {
  expect(chiSquareTail(chiSquare, freedom) / probability).toBeCloseTo(1, 3)
})

test('normalTail() and sigmasOf() are inverse to each other', () => {
  expect(normalTail(1)).toBeCloseTo(0.3173105, 6)
  expect(normalTail(3)).toBeCloseTo(0.0026998, 6)
  for (const sigmas of [0.5, 1, 3, 6]) expect(sigmasOf(normalTail(sigmas))).toBeCloseTo(sigmas, 6)
  expect(sigmasOf(1)).toBe(0)
})

test('the correction for many tests only reduces a deviation, more for more tests', () => {
  expect(correctedSigmas(4, 1)).toBeCloseTo(4, 6)
  const deviation = fc.double({ min: 0, max: 8, noNaN: true })
  fc.assert(
    fc.property(deviation, fc.integer({ min: 1, max: 10_000 }), (sigmas, tests) => {
      const corrected = correctedSigmas(sigmas, tests)
      expect(corrected).toBeLessThanOrEqual(sigmas + 1e-6)
      expect(correctedSigmas(sigmas, tests + 1)).toBeLessThanOrEqual(corrected + 1e-6)
    }),
  )
})

test.each([0, 0.3, 12, 400])('poisson(%p) has its mean and variance', (mean) => {
  const random = seededRandom(7)
  const values = Array.from({ length: 20_000 }, () => poisson(mean, random))
  const average = values.reduce((total, value) => total + value, 0) / values.length
  const variance = values.reduce((total, value) => total + (value - average) ** 2, 0) / values.length
  expect(Math.abs(average - mean)).toBeLessThanOrEqual(0.04 * Math.sqrt(mean))
  expect(Math.abs(variance - mean)).toBeLessThanOrEqual(0.06 * mean)
})
