import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  defaultColumns,
  readColumns,
  showable,
  toggleColumn,
  writeColumns,
} from '../../../../ui/admin/records/columns.ts'
import { slots, users } from '../names.ts'

const namesOf = (columns: { field: { name: string } }[]) => columns.map(({ field }) => field.name)

test('large values and passwords are never columns, and the time of creation always is at first', () => {
  expect(namesOf(defaultColumns(slots))).toEqual(['id', 'user', 'qpu', 'guests', 'kind', 'start', 'created'])
  expect(showable(users).map(({ name }) => name)).not.toContain('password')
})

test('columns are remembered with their widths; fields that are gone and broken text do not matter', () => {
  const columns = toggleColumn(slots, defaultColumns(slots), 'guests').map((each) => ({
    ...each,
    width: 120,
  }))
  expect(readColumns(slots, writeColumns(columns))).toEqual(columns)
  expect(namesOf(readColumns(slots, '[{"name":"gone"},{"name":"kind","width":5}]'))).toEqual(['kind'])
  expect(readColumns(slots, '[{"name":"kind","width":5}]')[0]?.width).toBe(64)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) =>
      expect(readColumns(slots, text).length).toBeGreaterThan(0),
    ),
  )
})

test('a column that is shown again returns to its place; the id stays', () => {
  const without = toggleColumn(slots, defaultColumns(slots), 'qpu')
  expect(namesOf(without)).not.toContain('qpu')
  expect(namesOf(toggleColumn(slots, without, 'qpu'))).toEqual(namesOf(defaultColumns(slots)))
  expect(namesOf(toggleColumn(slots, defaultColumns(slots), 'id'))).toContain('id')
})
