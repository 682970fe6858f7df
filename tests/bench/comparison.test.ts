import { expect, test } from 'bun:test'
import { compareFigures } from '../../bench/compare/comparison.ts'

test('compareFigures() compares medians; a time is worse when longer, a rate when smaller', () => {
  const slower = { old: [10, 100, 12], new: [15, 1, 18] }
  expect(compareFigures('start', { unit: 'ms', ...slower })).toEqual({
    ...{ name: 'start', unit: 'ms', old: 12, new: 15 },
    worsePercent: 25,
  })
  expect(
    compareFigures('jobs', { unit: 'per s', old: [90, 100, 110], new: [80, 50, 125] }).worsePercent,
  ).toBe(25)
  expect(compareFigures('jobs', { unit: 'per s', old: [100], new: [125] }).worsePercent).toBeCloseTo(-20)
})
