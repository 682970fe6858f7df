import type { Signal } from '@preact/signals'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Collection, Row } from '../collections/model.ts'
import { Value } from '../collections/Value.tsx'
import type { Column } from './columns.ts'

interface RecordTableProps {
  collection: Collection
  all: readonly Collection[]
  rows: readonly Row[]
  columns: readonly Column[]
  resize: (name: string, width: number) => void
  sort: { by: string; set: (by: string) => void }
  selected: Signal<ReadonlySet<string>>
  /** Id of the record in the drawer. */
  opened: string
  hrefOf: (id: string) => string
  open: (id: string) => void
  busy: boolean
}

const WIDTHS: Readonly<Record<string, number>> = {
  bool: 96,
  number: 120,
  date: 138,
  autodate: 138,
  relation: 132,
  select: 110,
  email: 200,
  json: 220,
}
const ID_WIDTH = 152

/** A table of records of any collection, with columns that keep their widths. */
export function RecordTable(props: RecordTableProps) {
  const { collection, all, columns, resize, opened, hrefOf, open, ...rest } = props
  return (
    <DataTable
      {...rest}
      label={collection.name}
      class="records"
      id={({ id }) => id}
      href={({ id }) => hrefOf(id)}
      open={({ id }) => open(id)}
      current={opened}
      columns={columns.map(({ field, width }) => ({
        title: field.name,
        names: field.name === 'id',
        number: field.type === 'number',
        sort: field.type === 'json' ? undefined : field.name,
        width: width ?? (field.name === 'id' ? ID_WIDTH : (WIDTHS[field.type] ?? 168)),
        resize: (next: number) => resize(field.name, next),
        cell: (row: Row) => <Value row={row} field={field} all={all} />,
      }))}
    />
  )
}
