import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { maxRows, type RowWindow, windowOf } from '../../lib/window.ts'

/** Heights of a row as in the style sheet of the table, px; on phones a row has two lines. */
const ROW_PX = 37
const PHONE_ROW_PX = 65
/** Rows beyond the screen; each takes part of a frame when a jump replaces all rows. */
const MARGIN = 5
const PHONE = '(max-width: 760px)'
/** Rows that show another record in one frame; a page of new rows would take several frames. */
const ROWS_PER_FRAME = 8

/** Where the rows of a long list come from. */
interface LongSource<Row> {
  total: number
  /** Changes when rows have been loaded or changed. */
  version: Signal<number>
  /** A row by its index; undefined until it is loaded. */
  row: (index: number) => Row | undefined
  /** Called with the rows around the screen. */
  show: (window: RowWindow) => void
}

/** A row as it is shown now. */
interface ShownRow<Row> {
  index: number
  /** Rows keep their elements while the list scrolls: making new ones takes most of a frame. */
  slot: number
  /** Undefined until the slot has shown a row. */
  row: Row | undefined
  /** Whether `row` is still the one that its slot showed before. */
  isAwaited: boolean
}

/** The rows around the screen, and the heights of the space that stands for the others. */
export interface LongRows<Row> {
  total: number
  rows: readonly ShownRow<Row>[]
  beforePx: number
  afterPx: number
  /** The element of the rows. */
  body: { current: HTMLTableSectionElement | null }
  /** To be called when an element of a row gets the focus, which stays with its record. */
  keepFocus: () => void
}

/** Shows the part of a long list that is on the screen; the page scrolls, and the rows follow. */
export function useLongRows<Row>(
  { total, version, row, show }: LongSource<Row>,
  id: (row: Row) => string,
): LongRows<Row> {
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to } = useWindow(body, total).value
  version.value
  useEffect(() => show({ from, to }), [show, from, to])
  const height = rowHeight()
  const slot = useSlots({ from, to }, maxRows({ height: innerHeight, rowHeight: height }, MARGIN))
  const rows = useGradually(
    Array.from({ length: to - from }, (_, at) => from + at).map((index) => {
      return { index, slot: slot(index), row: row(index) }
    }),
    id,
  )
  return {
    total,
    rows,
    beforePx: from * height,
    afterPx: (total - to) * height,
    body,
    keepFocus: useFocusOfRow(body),
  }
}

/**
 * The slots of the rows of a window. Most rows of one that moves a little keep theirs; after a jump the slots
 * stay where they are, because an element that moves costs more than one that shows another record.
 */
function useSlots({ from, to }: RowWindow, slots: number): (index: number) => number {
  const kept = useRef({ from, to, offset: 0 })
  const last = kept.current
  const common = Math.min(to, last.to) - Math.max(from, last.from)
  const isJump = common < (to - from) / 2
  const offset = isJump ? (last.from + last.offset - from) % slots : last.offset
  kept.current = { from, to, offset }
  return (index) => (index + offset + slots) % slots
}

/**
 * The rows as they are shown in this frame: of those that show another record than before, at most
 * `ROWS_PER_FRAME` have it already; the others show the one before, out of sight, until the next frames.
 */
function useGradually<Row>(
  rows: readonly Pick<ShownRow<Row>, 'index' | 'slot' | 'row'>[],
  id: (row: Row) => string,
): ShownRow<Row>[] {
  const last = useRef<(Row | undefined)[]>([])
  const frame = useSignal(0)
  frame.value
  // A frame may render more than once.
  const budget = useRef<{ at: CSSNumberish | null; left: number }>({ at: null, left: 0 })
  const at = document.timeline.currentTime
  if (budget.current.at !== at) budget.current = { at, left: ROWS_PER_FRAME }
  let isComplete = true
  const shown = rows.map(({ index, slot, row }) => {
    const before = last.current[slot]
    const isNew = row !== undefined && (before === undefined || id(before) !== id(row))
    if (isNew && budget.current.left === 0) isComplete = false
    if (row === undefined || (isNew && budget.current.left === 0))
      return { index, slot, row: before, isAwaited: true }
    if (isNew) budget.current.left -= 1
    last.current[slot] = row
    return { index, slot, row, isAwaited: false }
  })
  useEffect(() => {
    if (isComplete) return
    const next = requestAnimationFrame(() => {
      frame.value += 1
    })
    return () => cancelAnimationFrame(next)
  })
  return shown
}

/** Keeps the focus with its record when rows show other records; returns the handler of the focus. */
function useFocusOfRow(body: { current: HTMLElement | null }): () => void {
  const focused = useRef<string>(undefined)
  const rowInFocus = () => document.activeElement?.closest('tr')?.dataset['id']
  useLayoutEffect(() => {
    const active = document.activeElement
    if (!(active instanceof HTMLElement) || !body.current?.contains(active)) return
    const wanted = focused.current
    if (wanted === undefined || rowInFocus() === wanted) return
    active.blur()
    const row = body.current.querySelector(`[data-id="${CSS.escape(wanted)}"]`)
    row?.querySelector<HTMLElement>(active.localName)?.focus({ preventScroll: true })
  })
  return () => {
    focused.current = rowInFocus()
  }
}

function rowHeight(): number {
  return matchMedia(PHONE).matches ? PHONE_ROW_PX : ROW_PX
}

/** The rows of the list on the screen, which follow the scrolling of the page. */
function useWindow(body: { current: HTMLElement | null }, rows: number): Signal<RowWindow> {
  const current = useSignal<RowWindow>({ from: 0, to: 0 })
  useEffect(() => {
    // A scroll is announced before anything else of its frame changes the page, so that reading is cheap.
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0
      const next = windowOf({ scrolled: -top, height: innerHeight, rowHeight: rowHeight(), rows }, MARGIN)
      const { from, to } = current.peek()
      if (next.from !== from || next.to !== to) current.value = next
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [rows])
  return current
}
