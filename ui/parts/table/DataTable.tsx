import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Grip } from './Grip.tsx'
import { select } from './selection.ts'
import { nextSort, sortDirection } from './sort.ts'

/** A column. One of them names the row and is its link: the first, unless another `names` it. */
export interface Column<Row> {
  title: string
  cell: (row: Row, opening: Opening) => ComponentChildren
  names?: boolean
  /** Right-aligned, in tabular figures. */
  number?: boolean
  /** Field by which the server sorts; the heading becomes a button. */
  sort?: string | undefined
  /** Place in the two-line rows of phones: beside the name, a line of its own, or left out. */
  phone?: 'state' | 'wide' | 'absent'
  /** The heading is only read aloud, for columns of buttons. */
  untitled?: boolean
  /** Class of its cells, such as `time`. */
  class?: string
  /** px; with `resize` its border can be moved. */
  width?: number
  resize?: (width: number) => void
}

/** Whether a row shows its details, and how to change it. */
export interface Opening {
  isOpen: boolean
  toggle: () => void
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  /** Classes instead of those of a table whose rows have two lines on phones. */
  class?: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  id: (row: Row, index: number) => string
  /** Address that a row opens. */
  href?: (row: Row) => string
  /** Called when a row is pressed beside its links and buttons. */
  open?: (row: Row, opening: Opening) => void
  /** Id of the row whose address is open. */
  current?: string
  /** What a row shows below itself while it is open; one at a time is. */
  detail?: (row: Row) => ComponentChildren
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

const PICK_PX = 38

/**
 * A table of rows that the server has sorted and divided into pages. The keys j and k walk along rows with a
 * link; with Shift, all rows from the last selected one are selected.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, id, sort, selected, busy } = props
  const [opened, setOpened] = useState<string | undefined>(undefined)
  const last = useRef<string>(undefined)
  const ids = rows.map(id)
  const pick = (row: string, isRange: boolean) => {
    if (selected) selected.value = select(ids, selected.peek(), { id: row, last: last.current, isRange })
    last.current = row
  }
  const hasWidths = columns.some(({ width }) => width !== undefined)
  const width = columns.reduce((sum, column) => sum + (column.width ?? 0), selected ? PICK_PX : 0)
  return (
    <div class="scroll">
      <table
        class={`book ${props.class ?? 'folds data'}`}
        aria-label={label}
        aria-busy={busy}
        style={hasWidths ? { minWidth: `${width}px` } : undefined}
      >
        {hasWidths && (
          <colgroup>
            {selected && <col style={{ width: `${PICK_PX}px` }} />}
            {columns.map((column) => (
              <col key={column.title} style={{ width: `${column.width}px` }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {selected && <SelectAll ids={ids} selected={selected} />}
            {columns.map((column) => (
              <Head key={column.title} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const key = ids[at] ?? ''
            const toggle = () => setOpened(opened === key ? undefined : key)
            return (
              <TableRow
                key={key}
                {...props}
                row={row}
                rowId={key}
                opening={{ isOpen: opened === key, toggle }}
                pick={pick}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  row: Row
  rowId: string
  opening: Opening
  pick: (id: string, isRange: boolean) => void
}

function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, rowId, opening, columns, href, open, current, detail, selected, rowClass, pick } = props
  const isCurrent = current === rowId
  const isPicked = selected?.value.has(rowId) === true
  const state = isCurrent || opening.isOpen ? 'opened' : isPicked ? 'picked' : undefined
  const onClick = ({ target }: MouseEvent) => {
    const isElsewhere = target instanceof Element && !target.closest('a, button, input')
    if (isElsewhere && getSelection()?.isCollapsed !== false) open?.(row, opening)
  }
  const naming = Math.max(
    0,
    columns.findIndex(({ names }) => names),
  )
  return (
    <>
      <tr class={rowClass?.(row) ?? state} onClick={open && onClick}>
        {selected && (
          <td class="pick">
            <input
              type="checkbox"
              aria-label={`Select ${props.name?.(row) ?? rowId}`}
              data-select
              checked={isPicked}
              onClick={(event) => pick(rowId, event.shiftKey)}
            />
          </td>
        )}
        {columns.map((column, at) => {
          const content = column.cell(row, opening)
          const classes =
            [column.number && 'number', column.phone, column.class].filter(Boolean).join(' ') || undefined
          if (at !== naming) {
            return (
              <td key={column.title} class={classes}>
                {content}
              </td>
            )
          }
          return (
            <th key={column.title} scope="row" class={classes}>
              {href ? (
                <a href={href(row)} data-row aria-current={isCurrent ? 'true' : undefined}>
                  {content}
                </a>
              ) : (
                content
              )}
            </th>
          )
        })}
      </tr>
      {opening.isOpen && detail && (
        <tr class="detail">
          <td colSpan={columns.length}>{detail(row)}</td>
        </tr>
      )}
    </>
  )
}

function Head<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const { title, number, sort: field, untitled, width, resize } = column
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
      {resize && width !== undefined && <Grip name={title} width={width} resize={resize} />}
    </th>
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
