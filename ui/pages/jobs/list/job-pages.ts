import { type Signal, signal } from '@preact/signals'
import { type ApiError, asApiError } from '../../../api/api.ts'
import type { Job } from '../../../api/model/jobs.ts'
import { MAX_READ_MS } from '../../../api/resource.ts'
import { pagesOf, type RowWindow } from '../../../lib/window.ts'

const PAGE_ROWS = 50
/** Pages that are kept while scrolling. */
const MAX_PAGES = 12
const GATHER_MS = 40
/** After a refresh; if that took longer, as long as it took, so that a slow server is asked less often. */
const REST_MS = 50

/** A long list of jobs of which the pages around the screen are loaded. */
export interface JobPages {
  /** Number of jobs in the list; undefined until it is known. */
  total: Signal<number | undefined>
  /** Changes when rows have been loaded or changed. */
  version: Signal<number>
  error: Signal<ApiError | undefined>
  row(index: number): Job | undefined
  /** All jobs that are loaded, in any order. */
  loaded(): Job[]
  /** Loads the pages that a window needs and does not have. */
  show(window: RowWindow): void
  /** Loads the shown pages and the total; nothing is loaded before. */
  load(): void
  /** Loads the shown pages and the total again, soon: many calls become one. */
  refresh(): void
  /** Applies a change of a job if it is loaded; returns whether it is. */
  change(id: string, changes: Partial<Job>): boolean
  /** Aborts all requests. */
  close(): void
}

interface JobPagesOptions {
  read: (skip: number, limit: number, abort: AbortSignal) => Promise<Job[]>
  /** Counts the jobs of the list, unless their number is known from elsewhere. */
  count?: ((abort: AbortSignal) => Promise<number>) | undefined
}

/** Creates the list; nothing is loaded before `load`. */
export function createJobPages({ read, count }: JobPagesOptions): JobPages {
  const total = signal<number | undefined>(undefined)
  const version = signal(0)
  const error = signal<ApiError | undefined>(undefined)
  const pages = new Map<number, readonly Job[]>()
  /** Pages that are shown until a response replaces them. */
  const stale = new Set<number>()
  const loading = new Map<number, AbortController>()
  /** Changes of rows since the oldest request in flight began, whose response may be older than they are. */
  const recent = new Map<string, Partial<Job>>()
  let shown: RowWindow = { from: 0, to: PAGE_ROWS }
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the list may be loaded again, `performance.now()`. */
  let rested = Number.NEGATIVE_INFINITY
  let counting: AbortController | undefined
  let isBegun = false
  /** When the reload in progress began, `performance.now()`. */
  let reloading: number | undefined
  /** Whether a reload was due while another was in progress. */
  let isDue = false

  const changed = () => {
    version.value = version.peek() + 1
  }
  const fail = (mine: AbortController, failure: unknown) => {
    if (!mine.signal.aborted) error.value = asApiError(failure)
  }
  const loadPage = async (page: number) => {
    loading.get(page)?.abort()
    const mine = new AbortController()
    loading.set(page, mine)
    try {
      const rows = await read(page * PAGE_ROWS, PAGE_ROWS, mine.signal)
      if (mine.signal.aborted) return
      pages.set(
        page,
        rows.map((row) => ({ ...row, ...recent.get(row.id) })),
      )
      stale.delete(page)
      error.value = undefined
      dropFarPages(pages, shown)
      changed()
    } catch (failure) {
      fail(mine, failure)
    } finally {
      if (loading.get(page) === mine) loading.delete(page)
      if (loading.size === 0) recent.clear()
    }
  }
  const loadTotal = async () => {
    if (!count) return
    counting?.abort()
    const mine = new AbortController()
    counting = mine
    try {
      const counted = await count(mine.signal)
      if (!mine.signal.aborted) total.value = counted
    } catch (failure) {
      fail(mine, failure)
    }
  }
  const refresh = () => {
    // Changes that never end must not keep the list from being loaded.
    if (reloading !== undefined && performance.now() - reloading < MAX_READ_MS) {
      isDue = true
      return
    }
    const wait = Math.max(GATHER_MS, rested - performance.now())
    timer ??= setTimeout(reload, wait)
  }
  const reload = async () => {
    timer = undefined
    const started = performance.now()
    reloading = started
    rested = started + REST_MS
    const needed = pagesOf(shown, PAGE_ROWS)
    for (const page of pages.keys()) if (!needed.includes(page)) pages.delete(page)
    for (const page of needed) stale.add(page)
    await Promise.all([...needed.map(loadPage), loadTotal()])
    const ended = performance.now()
    rested = ended + Math.max(REST_MS, ended - started)
    if (reloading !== started) return
    reloading = undefined
    if (isDue) refresh()
    isDue = false
  }
  const showPages = () => {
    const needed = pagesOf(shown, PAGE_ROWS)
    for (const [page, request] of loading) {
      if (needed.includes(page)) continue
      request.abort()
      loading.delete(page)
    }
    for (const page of needed)
      if ((!pages.has(page) || stale.has(page)) && !loading.has(page)) void loadPage(page)
  }
  return {
    total,
    version,
    error,
    row: (index) => pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS],
    loaded: () => [...pages.values()].flat(),
    load() {
      isBegun = true
      showPages()
      void loadTotal()
    },
    show(window) {
      shown = window
      if (isBegun) showPages()
    },
    refresh,
    change(id, changes) {
      // Also of a job that is not loaded: an older change must not be put over the response that has it.
      if (loading.size > 0) recent.set(id, { ...recent.get(id), ...changes })
      for (const [page, rows] of pages) {
        const at = rows.findIndex((row) => row.id === id)
        const row = rows[at]
        if (!row) continue
        pages.set(page, rows.with(at, { ...row, ...changes }))
        changed()
        return true
      }
      return false
    },
    close() {
      clearTimeout(timer)
      isDue = false
      counting?.abort()
      for (const request of loading.values()) request.abort()
    },
  }
}

function dropFarPages(pages: Map<number, unknown>, { from }: RowWindow): void {
  const center = from / PAGE_ROWS
  const far = [...pages.keys()].sort((a, b) => Math.abs(b - center) - Math.abs(a - center))
  for (const page of far.slice(0, Math.max(0, pages.size - MAX_PAGES))) pages.delete(page)
}
