import { expect, test } from 'bun:test'
import { meanOf } from '../../../src/base/index.ts'

test('the mean of numbers is their sum by their number, and 0 without any', () => {
  expect(meanOf([1, 2, 6])).toBe(3)
  expect(meanOf(Float64Array.of(-1, 1))).toBe(0)
  expect(meanOf([])).toBe(0)
})
