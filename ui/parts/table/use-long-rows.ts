import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { maxRows, type RowWindow, windowOf } from '../../lib/window.ts'

/** Heights of a row as in the style sheet of the table, px; on phones a row has two lines. */
const ROW_PX = 37
const PHONE_ROW_PX = 65
/** Rows beyond the screen; each takes part of a frame when a jump replaces all rows. */
const MARGIN = 5
const PHONE = '(max-width: 760px)'
/** Rows that show another record in one frame; a page of new rows would take several frames at once. */
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
  const slots = maxRows({ height: innerHeight, rowHeight: height }, MARGIN)
  const rows = useGradually(
    Array.from({ length: to - from }, (_, at) => ({ index: from + at, row: row(from + at) })),
    slots,
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
 * The rows as they are shown in this frame: of those that show another record than before, at most
 * `ROWS_PER_FRAME` have it already; the others show the one before, out of sight, until the next frames.
 */
function useGradually<Row>(
  rows: readonly { index: number; row: Row | undefined }[],
  slots: number,
  id: (row: Row) => string,
): ShownRow<Row>[] {
  const last = useRef<(Row | undefined)[]>([])
  const frame = useSignal(0)
  frame.value
  let left = ROWS_PER_FRAME
  let isComplete = true
  const shown = rows.map(({ index, row }) => {
    const slot = index % slots
    const before = last.current[slot]
    const isNew = row !== undefined && (before === undefined || id(before) !== id(row))
    if (isNew && left === 0) isComplete = false
    if (row === undefined || (isNew && left === 0)) return { index, slot, row: before, isAwaited: true }
    if (isNew) left -= 1
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
    let frame = 0
    const measure = () => {
      frame = 0
      const top = body.current?.getBoundingClientRect().top ?? 0
      const next = windowOf({ scrolled: -top, height: innerHeight, rowHeight: rowHeight(), rows }, MARGIN)
      const { from, to } = current.peek()
      if (next.from !== from || next.to !== to) current.value = next
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [rows])
  return current
}
