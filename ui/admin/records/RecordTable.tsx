import type { Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Collection, Field, Row } from '../collections/model.ts'
import { Value } from '../collections/Value.tsx'
import { type Column, clampWidth } from './columns.ts'
import { select } from './selection.ts'

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
const PICK_WIDTH = 38

/** A table of records of any collection: sorted by the server, with columns that keep their widths. */
export function RecordTable(props: RecordTableProps) {
  const { collection, rows, columns, selected, busy } = props
  const last = useRef<string | undefined>(undefined)
  const ids = rows.map(({ id }) => id)
  const pick = (id: string, isRange: boolean) => {
    selected.value = select(ids, selected.peek(), { id, last: last.current, isRange })
    last.current = id
  }
  const width = columns.reduce((sum, column) => sum + widthOf(column), PICK_WIDTH)
  return (
    <div class="scroll">
      <table
        class="book records"
        aria-label={collection.name}
        aria-busy={busy}
        style={{ minWidth: `${width}px` }}
      >
        <colgroup>
          <col style={{ width: `${PICK_WIDTH}px` }} />
          {columns.map((column) => (
            <col key={column.field.name} style={{ width: `${widthOf(column)}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">
              <PickAll ids={ids} selected={selected} />
            </th>
            {columns.map((column) => (
              <Head key={column.field.name} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RecordRow key={row.id} row={row} pick={pick} {...props} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function widthOf({ field, width }: Column): number {
  return width ?? (field.name === 'id' ? ID_WIDTH : (WIDTHS[field.type] ?? 168))
}

function PickAll({ ids, selected }: { ids: readonly string[]; selected: Signal<ReadonlySet<string>> }) {
  const count = ids.filter((id) => selected.value.has(id)).length
  return (
    <input
      type="checkbox"
      aria-label="Select all records of this page"
      checked={count > 0 && count === ids.length}
      indeterminate={count > 0 && count < ids.length}
      onChange={({ currentTarget }) => {
        selected.value = new Set(currentTarget.checked ? ids : [])
      }}
    />
  )
}

function Head({ column, sort, resize }: RecordTableProps & { column: Column }) {
  const { name } = column.field
  const direction = sort.by === name ? 'ascending' : sort.by === `-${name}` ? 'descending' : undefined
  const isSortable = column.field.type !== 'json'
  return (
    <th scope="col" aria-sort={direction ?? 'none'} class={isNumber(column.field) ? 'number' : undefined}>
      {isSortable ? (
        <button
          type="button"
          class="link sorts"
          onClick={() => sort.set(direction === 'ascending' ? `-${name}` : name)}
        >
          {name}
          <span aria-hidden="true">
            {direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}
          </span>
        </button>
      ) : (
        name
      )}
      <Grip name={name} width={widthOf(column)} resize={resize} />
    </th>
  )
}

/** The border of a column: drag it, or use the arrow keys. */
function Grip({ name, width, resize }: { name: string; width: number; resize: RecordTableProps['resize'] }) {
  const drag = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof HTMLElement)) return
    const grip = event.currentTarget
    const from = event.clientX
    grip.setPointerCapture(event.pointerId)
    const move = (moved: PointerEvent) => resize(name, clampWidth(width + moved.clientX - from))
    grip.addEventListener('pointermove', move)
    grip.addEventListener('pointerup', () => grip.removeEventListener('pointermove', move), { once: true })
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a border that moves is a separator, and hr cannot be one
    <span
      class="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? 16 : event.key === 'ArrowLeft' ? -16 : 0
        if (step === 0) return
        event.preventDefault()
        resize(name, clampWidth(width + step))
      }}
    />
  )
}

interface RecordRowProps extends RecordTableProps {
  row: Row
  pick: (id: string, isRange: boolean) => void
}

function RecordRow({ row, columns, all, selected, opened, hrefOf, open, pick }: RecordRowProps) {
  const isPicked = selected.value.has(row.id)
  return (
    <tr
      class={opened === row.id ? 'opened' : isPicked ? 'picked' : undefined}
      onClick={({ target }) => {
        if (
          target instanceof Element &&
          !target.closest('a, input') &&
          getSelection()?.isCollapsed !== false
        ) {
          open(row.id)
        }
      }}
    >
      <td>
        <input
          type="checkbox"
          aria-label={`Select ${row.id}`}
          checked={isPicked}
          onClick={(event) => pick(row.id, event.shiftKey)}
        />
      </td>
      {columns.map(({ field }) =>
        field.name === 'id' ? (
          <th key="id" scope="row">
            <a href={hrefOf(row.id)} data-row aria-current={opened === row.id ? 'true' : undefined}>
              <Value row={row} field={field} all={all} />
            </a>
          </th>
        ) : (
          <td key={field.name} class={isNumber(field) ? 'number' : undefined}>
            <Value row={row} field={field} all={all} />
          </td>
        ),
      )}
    </tr>
  )
}

function isNumber({ type }: Field): boolean {
  return type === 'number'
}
