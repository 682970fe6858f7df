import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { nextSort, sortDirection } from './sort.ts'

/** A column. The first one names the row and is its link. */
export interface Column<Row> {
  title: string
  cell: (row: Row) => ComponentChildren
  /** Right-aligned, in tabular figures. */
  number?: boolean
  /** Field by which the server sorts; the heading becomes a button. */
  sort?: string
  /** Place in the two-line rows of phones: beside the name, a line of its own, or left out. */
  phone?: 'state' | 'wide' | 'absent'
  /** The heading is only read aloud, for columns of buttons. */
  untitled?: boolean
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  id: (row: Row) => string
  /** Address that a row opens. */
  href?: (row: Row) => string
  /** `field` or `-field`, and how to change it. */
  sort?: { by: string; set: (by: string) => void }
  /** Ids of the selected rows; a column of check boxes appears. */
  selected?: Signal<ReadonlySet<string>>
  /** Name of a row for its check box; its id by default. */
  name?: (row: Row) => string
  /** Whether other rows are being loaded. */
  busy?: boolean
  /** Class of a row, such as `mine`. */
  rowClass?: (row: Row) => string | undefined
}

/**
 * A table of rows that the server has sorted and divided into pages. Rows have two lines on phones. The keys
 * j and k walk along rows with a link.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, id, href, sort, selected, busy, rowClass } = props
  return (
    <div class="scroll">
      <table class="book folds data" aria-label={label} aria-busy={busy}>
        <thead>
          <tr>
            {selected && <SelectAll ids={rows.map(id)} selected={selected} />}
            {columns.map((column) => (
              <Head key={column.title} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)} class={rowClass?.(row)}>
              {selected && <Select id={id(row)} name={props.name?.(row) ?? id(row)} selected={selected} />}
              {columns.map((column, at) => (
                <Cell key={column.title} column={column} row={row} first={at === 0} href={href?.(row)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const { title, number, sort: field, untitled } = column
  const direction = sort && field ? sortDirection(sort.by, field) : undefined
  return (
    <th scope="col" class={number ? 'number' : undefined} aria-sort={direction}>
      {sort && field ? (
        <button type="button" class="link sorts" onClick={() => sort.set(nextSort(sort.by, field, number))}>
          {title}
          <span aria-hidden="true">
            {direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}
          </span>
        </button>
      ) : (
        <span class={untitled ? 'unseen' : undefined}>{title}</span>
      )}
    </th>
  )
}

interface CellProps<Row> {
  column: Column<Row>
  row: Row
  first: boolean
  href: string | undefined
}

function Cell<Row>({ column, row, first, href }: CellProps<Row>) {
  const content = column.cell(row)
  const classes = [column.number && 'number', column.phone].filter(Boolean).join(' ') || undefined
  if (!first) return <td class={classes}>{content}</td>
  return (
    <th scope="row" class={classes}>
      {href === undefined ? (
        content
      ) : (
        <a href={href} data-row>
          {content}
        </a>
      )}
    </th>
  )
}

interface SelectProps {
  id: string
  name: string
  selected: Signal<ReadonlySet<string>>
}

function Select({ id, name, selected }: SelectProps) {
  return (
    <td class="pick">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        data-select
        checked={selected.value.has(id)}
        onChange={({ currentTarget }) => {
          const next = new Set(selected.peek())
          if (currentTarget.checked) next.add(id)
          else next.delete(id)
          selected.value = next
        }}
      />
    </td>
  )
}

function SelectAll({ ids, selected }: { ids: readonly string[]; selected: Signal<ReadonlySet<string>> }) {
  const chosen = ids.filter((id) => selected.value.has(id)).length
  return (
    <th scope="col" class="pick">
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={chosen > 0 && chosen === ids.length}
        indeterminate={chosen > 0 && chosen < ids.length}
        onChange={({ currentTarget }) => {
          const others = [...selected.peek()].filter((id) => !ids.includes(id))
          selected.value = new Set(currentTarget.checked ? [...others, ...ids] : others)
        }}
      />
    </th>
  )
}
