import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { csvText, saveFile } from '../../lib/save-file.ts'
import type { Column } from './DataTable.tsx'

/**
 * The order of a list that is complete in the browser, kept in the address as `sort`, and its file. Columns
 * with a value are sorted by their heads and are in the file.
 */
export function useLocalTable<Row>(rows: readonly Row[], given: readonly Column<Row>[]) {
  const query = useQuery()
  const { toast } = useApp()
  const columns = given.map((column) => (column.value ? { ...column, sort: fieldOf(column) } : column))
  const by = query.get('sort')
  const column = columns.find(({ sort }) => sort !== undefined && (by === sort || by === `-${sort}`))
  const sorted = column
    ? rows.toSorted((one, other) => compare(column, one, other, by.startsWith('-')))
    : rows
  return {
    columns,
    rows: sorted,
    sort: { by, set: (next: string) => query.set({ sort: next }) },
    save(name: string) {
      saveFile(new Blob([csvOf(columns, sorted)], { type: 'text/csv' }), name)
      toast(`${name} has the columns with a value of all rows.`)
    },
  }
}

const fieldOf = ({ title }: Column<never>) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')

/** Rows without a value come last in both orders. */
function compare<Row>({ value }: Column<Row>, one: Row, other: Row, isReverse: boolean): number {
  const [left, right] = [value?.(one) ?? undefined, value?.(other) ?? undefined]
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined)
  const order =
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : String(left).localeCompare(String(right), 'en', { numeric: true })
  return isReverse ? -order : order
}

/** The columns with a value as CSV with a head. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const filed = columns.filter(({ value }) => value !== undefined)
  return csvText([
    filed.map(({ title }) => title),
    ...rows.map((row) => filed.map(({ value }) => value?.(row) ?? '')),
  ])
}
