import { expect, test } from 'bun:test'
import { nextSort, sortDirection } from '../../../../ui/parts/table/sort.ts'

test('nextSort() turns the order of the sorted column and begins others with their natural order', () => {
  expect(nextSort('', 'name')).toBe('name')
  expect(nextSort('name', 'name')).toBe('-name')
  expect(nextSort('-name', 'name')).toBe('name')
  expect(nextSort('name', 'shots', true)).toBe('-shots')
})

test('sortDirection() names the order for screen readers', () => {
  expect(sortDirection('name', 'name')).toBe('ascending')
  expect(sortDirection('-name', 'name')).toBe('descending')
  expect(sortDirection('-name', 'shots')).toBe('none')
})
