import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { linearTicks, logAxis } from '../../../ui/plots/axis.ts'

test.each([
  [0, [0]],
  [1, [0, 1]],
  [7, [0, 2, 4, 6, 8]],
  [540, [0, 200, 400, 600]],
  [1950, [0, 500, 1000, 1500, 2000]],
  [1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]],
])('linearTicks(%p) of counts are round: %p', (highest, ticks) => {
  expect(linearTicks(highest, 1)).toEqual(ticks)
})

test('ticks of probabilities have no rounding errors', () => {
  expect(linearTicks(0.29)).toEqual([0, 0.1, 0.2, 0.3])
  expect(linearTicks(0.0041)).toEqual([0, 0.001, 0.002, 0.003, 0.004, 0.005])
})

test('ticks reach the highest value in at most five steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-7, max: 1e7, noNaN: true }), (highest) => {
      const ticks = linearTicks(highest)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * (1 - 1e-8))
      expect(ticks.length).toBeLessThanOrEqual(6)
    }),
  )
})

test('a logarithmic axis has whole decades and one at least; what is not positive lies at its end', () => {
  expect(logAxis(1, 480).ticks).toEqual([1, 10, 100, 1000])
  expect(logAxis(0.001, 0.5).ticks).toEqual([0.001, 0.01, 0.1, 1])
  expect(logAxis(1, 1).ticks).toEqual([1, 10])
  const { at } = logAxis(1, 1000)
  expect([at(1), at(1000), at(0)]).toEqual([0, 1, 0])
  expect(at(10)).toBeCloseTo(1 / 3, 9)
})
