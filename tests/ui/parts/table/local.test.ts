import { expect, test } from 'bun:test'
import type { Column } from '../../../../ui/parts/table/DataTable.tsx'
import { csvOf } from '../../../../ui/parts/table/local.ts'

test('csvOf() has the columns with a value, and no text that a spreadsheet would run', () => {
  const columns: Column<{ name: string; queue?: number }>[] = [
    { title: 'QPU', value: ({ name }) => name, cell: () => '' },
    { title: 'Actions', cell: () => '' },
    { title: 'Queue', number: true, value: ({ queue }) => queue, cell: () => '' },
  ]
  const rows = [{ name: '=kelvin, "25"', queue: -2 }, { name: 'boreas' }]
  expect(csvOf(columns, rows)).toBe('QPU,Queue\r\n"\'=kelvin, ""25""",-2\r\nboreas,\r\n')
})
