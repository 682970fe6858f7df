import { expect, test } from 'bun:test'
import { medianOf } from '../../../src/base/portable/median.ts'

test('medianOf() is the middle value, the mean of two middle ones, and NaN without values', () => {
  expect(medianOf([5, 1, 3])).toBe(3)
  expect(medianOf([4, 1, 3, 2])).toBe(2.5)
  expect(medianOf(Float64Array.of(-10, 9))).toBe(-0.5)
  expect(medianOf([])).toBeNaN()
})
