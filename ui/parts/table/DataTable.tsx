import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { Empty } from '../Panel.tsx'
import { ColumnChoice } from './ColumnChoice.tsx'
import { Grip } from './Grip.tsx'
import { Pager, type Pages } from './Pager.tsx'
import { select } from './selection.ts'
import { nextSort, sortDirection } from './sort.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'
import type { LongRows } from './use-long-rows.ts'

/** A column. One of them names the row and is its link: the first, unless another `names` it. */
export interface Column<Row> {
  title: string
  cell: (row: Row, opening: Opening) => ComponentChildren
  names?: boolean
  /** What stands beside the link of the column that names the row. */
  beside?: (row: Row) => ComponentChildren
  /** Right-aligned, in tabular figures. */
  number?: boolean
  /** What a complete list is sorted by, and its CSV has. */
  value?: (row: Row) => string | number | null | undefined
  /** Field by which the server sorts; the heading becomes a button. */
  sort?: string | undefined
  /** Place in the two-line rows of phones: beside the name, a line of its own, or left out. */
  phone?: 'state' | 'wide' | 'absent'
  /** The heading is only read aloud, for columns of buttons. */
  untitled?: boolean
  /** Class of its cells, such as `time`, and of its heading. */
  class?: string
  head?: string
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
  class?: string | undefined
  rows: readonly Row[] | LongRows<Row>
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
  /** Name of a row for its check box and where it is cut; its id by default. */
  name?: (row: Row) => string
  /** Whether other rows are being loaded. */
  busy?: boolean
  /** Class of a row, such as `mine`. */
  rowClass?: (row: Row) => string | undefined
}

interface ListProps<Row> extends DataTableProps<Row> {
  /** Name of the list under which the choice of its columns is kept; without one there is no choice. */
  list?: string | undefined
  /** What stands in place of a table without rows; a text is an empty state. */
  empty?: ComponentChildren
  /** Which page of the list the rows are. */
  pages?: Pages | undefined
}

const PICK_PX = 38

/**
 * A table of rows that the server has sorted and divided into pages, or of a long list of which those around
 * the screen are rendered. The keys j and k walk along rows with a link; with Shift, all rows from the last
 * selected one are selected.
 */
export function DataTable<Row>({ list, empty, pages, ...props }: ListProps<Row>) {
  const shown = 'body' in props.rows ? undefined : props.rows.length
  const table = list === undefined ? <Table {...props} /> : <ChosenColumns {...props} list={list} />
  return (
    <>
      {shown !== 0 || !empty ? table : typeof empty === 'string' ? <Empty>{empty}</Empty> : empty}
      {pages && <Pager {...pages} shown={shown ?? 0} />}
    </>
  )
}

/** A table with a choice of its columns but the one that names the row. */
function ChosenColumns<Row>({ list, ...props }: DataTableProps<Row> & { list: string }) {
  const { hidden, toggle, reset } = useHiddenColumns(list)
  const naming = namingOf(props.columns)
  const isShown = ({ title }: Column<Row>, index: number) => index === naming || !hidden.includes(title)
  const choice = props.columns.flatMap((column, index) =>
    index === naming || column.untitled ? [] : { title: column.title, isShown: isShown(column, index) },
  )
  const columns = useMemo(() => props.columns.filter(isShown), [props.columns, hidden.join()])
  return (
    <>
      <div class="table-tools">
        <ColumnChoice columns={choice} toggle={toggle} reset={reset} />
      </div>
      <Table {...props} columns={columns} />
    </>
  )
}

/** The index of the column that names the rows. */
function namingOf<Row>(columns: readonly Column<Row>[]): number {
  return Math.max(
    0,
    columns.findIndex(({ names }) => names),
  )
}

function Table<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, id, sort, selected, busy } = props
  const [opened, setOpened] = useState<string | undefined>(undefined)
  const last = useRef<string>(undefined)
  const long = 'body' in rows ? rows : undefined
  const shown =
    'body' in rows
      ? rows.rows
      : rows.map((row, index) => ({ index, slot: id(row, index), row, isAwaited: false }))
  const ids = shown.flatMap(({ row, index, isAwaited }) =>
    row === undefined || isAwaited ? [] : [id(row, index)],
  )
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
        aria-rowcount={long && long.total + 1}
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
            {selected &&
              (long ? (
                <th scope="col" class="pick">
                  <span class="unseen">Selected</span>
                </th>
              ) : (
                <SelectAll ids={ids} selected={selected} />
              ))}
            {columns.map((column) => (
              <Head key={column.title} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody ref={long?.body ?? null} onFocusIn={long?.keepFocus}>
          <Space px={long?.beforePx} />
          {shown.map(({ index, slot, row, isAwaited }) => {
            if (row === undefined) return <Awaited key={slot} index={index} span={columns.length + 1} />
            const rowId = id(row, index)
            const toggle = () => setOpened(opened === rowId ? undefined : rowId)
            return (
              <TableRow
                key={slot}
                {...props}
                row={row}
                rowId={rowId}
                index={long && index}
                isAwaited={isAwaited}
                opening={{ isOpen: opened === rowId, toggle }}
                pick={pick}
              />
            )
          })}
          <Space px={long?.afterPx} />
        </tbody>
      </table>
    </div>
  )
}

/** In place of the rows of a long list that are not rendered. */
function Space({ px = 0 }: { px: number | undefined }) {
  return px > 0 ? <tr class="space" style={{ height: `${px}px` }} /> : null
}

/** A row of a long list that is being loaded. */
function Awaited({ index, span }: { index: number; span: number }) {
  return (
    <tr class="loading" aria-rowindex={index + 2}>
      <td colSpan={span}>
        <span class="unseen">Loading</span>
      </td>
    </tr>
  )
}

interface TableRowProps<Row> extends DataTableProps<Row> {
  row: Row
  rowId: string
  /** In a long list. */
  index: number | undefined
  isAwaited: boolean
  opening: Opening
  pick: (id: string, isRange: boolean) => void
}

function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, rowId, opening, columns, href, open, current, detail, selected, pick, isAwaited } = props
  const isCurrent = current === rowId
  const isPicked = selected?.value.has(rowId) === true
  const marked = isCurrent || opening.isOpen ? 'opened' : isPicked ? 'picked' : undefined
  const state = isAwaited ? 'awaited' : (props.rowClass?.(row) ?? marked)
  const name = props.name?.(row)
  const onClick = ({ target }: MouseEvent) => {
    const isElsewhere = target instanceof Element && !target.closest('a, button, input')
    if (isElsewhere && getSelection()?.isCollapsed !== false) open?.(row, opening)
  }
  const address = href?.(row)
  // The same element is not rendered again; `toggle` does the same as long as the row stays open or closed.
  const cells = useMemo(
    () => (
      <Cells
        row={row}
        columns={columns}
        opening={opening}
        isCurrent={isCurrent}
        isAwaited={isAwaited}
        name={name}
        href={address}
      />
    ),
    [row, columns, opening.isOpen, isCurrent, isAwaited, name, address],
  )
  return (
    <>
      <tr
        class={state}
        onClick={open && onClick}
        aria-rowindex={props.index === undefined ? undefined : props.index + 2}
        data-id={isAwaited ? undefined : rowId}
      >
        {selected && (
          <td class="pick">
            <input
              type="checkbox"
              aria-label={`Select ${name ?? rowId}`}
              data-select={isAwaited ? undefined : ''}
              checked={isPicked}
              onClick={(event) => pick(rowId, event.shiftKey)}
            />
          </td>
        )}
        {cells}
      </tr>
      {opening.isOpen && detail && (
        <tr class="detail">
          <td colSpan={columns.length}>{detail(row)}</td>
        </tr>
      )}
    </>
  )
}

interface CellsProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  opening: Opening
  isCurrent: boolean
  isAwaited: boolean
  name: string | undefined
  href: string | undefined
}

/** The cells of the columns. A list that keeps its columns renders those of the rows that changed. */
function Cells<Row>(props: CellsProps<Row>) {
  const { row, columns, opening, isCurrent, isAwaited, name, href } = props
  const naming = namingOf(columns)
  return (
    <>
      {columns.map((column, at) => {
        const content = column.cell(row, opening)
        const classes =
          [column.number && 'number', column.phone, column.class].filter(Boolean).join(' ') || undefined
        if (at !== naming) {
          return (
            <td key={column.title} class={classes} data-title={titleOnPhones(column)}>
              {content}
            </td>
          )
        }
        return (
          <th key={column.title} scope="row" class={classes}>
            {href === undefined ? (
              content
            ) : (
              <a
                href={href}
                data-row={isAwaited ? undefined : ''}
                aria-current={isCurrent ? 'true' : undefined}
                title={name}
              >
                {content}
              </a>
            )}
            {column.beside?.(row)}
          </th>
        )
      })}
    </>
  )
}

/** Phones hide the headings, so cells name their column; a state and buttons speak for themselves. */
function titleOnPhones<Row>({ title, phone, untitled }: Column<Row>): string | undefined {
  return untitled || phone === 'state' || phone === 'absent' ? undefined : title
}

function Head<Row>({ column, sort }: { column: Column<Row>; sort: DataTableProps<Row>['sort'] }) {
  const { title, number, sort: field, untitled, width, resize, head } = column
  const direction = sort && field ? sortDirection(sort.by, field) : undefined
  return (
    <th
      scope="col"
      class={[number && 'number', head].filter(Boolean).join(' ') || undefined}
      aria-sort={direction}
    >
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
