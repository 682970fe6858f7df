import { expect, test } from 'bun:test'
import { studentFactor } from '../../../../src/devices/fitting/solve/student-t.ts'

test.each([
  [1, 13.968 / 2],
  [2, 4.5266 / 2],
  [3, 3.3068 / 2],
  [5, 2.6487 / 2],
  [7, 2.4288 / 2],
  [10, 2.2837 / 2],
  [30, 2.0868 / 2],
])('studentFactor(%d) is half the quantile of 95.45 %%', (freedom, factor) => {
  expect(Math.abs(studentFactor(freedom) / factor - 1)).toBeLessThan(0.012)
})

test('studentFactor() of no freedom is infinite', () => {
  expect(studentFactor(0)).toBe(Number.POSITIVE_INFINITY)
})
