import { expect, test } from 'bun:test'
import { select } from '../../../../ui/parts/table/selection.ts'

test('Shift selects all rows between two clicks', () => {
  const rows = ['a', 'b', 'c', 'd']
  const one = select(rows, new Set(), { id: 'b', last: undefined, isRange: true })
  expect([...one]).toEqual(['b'])
  expect([...select(rows, one, { id: 'd', last: 'b', isRange: true })]).toEqual(['b', 'c', 'd'])
  expect([...select(rows, new Set(rows), { id: 'a', last: 'c', isRange: true })]).toEqual(['d'])
})
