import { type Signal, signal } from '@preact/signals'
import { ApiError, asApiError } from './api.ts'
import type { LiveEvent } from './model/live.ts'

/** A server resource: the newest value and the outcome of the last request. */
export interface Resource<T> {
  /** Undefined until the first response; kept when a later request fails. */
  value: Signal<T | undefined>
  error: Signal<ApiError | undefined>
  /** Whether a request is under way. */
  loading: Signal<boolean>
  /** Loads now and aborts a pending request. Never rejects. */
  load(): Promise<void>
  /**
   * Loads soon, at least `spacingMs` after the last request began: many calls become one request, and a
   * change that preceded the last call is always included.
   */
  loadSoon(spacingMs?: number): void
  /** Follows an event of its one record: loads it soon; of one that was deleted, nothing is requested. */
  follow(event: Pick<LiveEvent, 'action'>): void
  /** Clears the value and aborts a pending request. */
  clear(): void
}

/** Changes often arrive in pairs (a status, then its consequences); one request serves both. */
const GATHER_MS = 40
/** Changes wait for a request that began less than this ago, which they would otherwise abort without end. */
export const MAX_READ_MS = 10_000

/** Creates a resource that is loaded with `read`. */
export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  const loading = signal(false)
  let current = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let due = Number.POSITIVE_INFINITY
  let lastRead = Number.NEGATIVE_INFINITY
  /** Whether changes wait for the end of the request under way. */
  let isWaiting = false

  const stop = () => {
    current.abort()
    clearTimeout(timer)
    due = Number.POSITIVE_INFINITY
    isWaiting = false
  }
  const load = async () => {
    stop()
    const mine = new AbortController()
    current = mine
    lastRead = performance.now()
    loading.value = true
    try {
      const loaded = await read(mine.signal)
      if (mine.signal.aborted) return
      value.value = loaded
      error.value = undefined
    } catch (failure) {
      if (!mine.signal.aborted) error.value = asApiError(failure)
    } finally {
      if (mine === current) loading.value = false
      if (mine === current && isWaiting) loadSoon()
    }
  }
  const loadDue = () => {
    isWaiting = loading.peek() && performance.now() - lastRead < MAX_READ_MS
    due = Number.POSITIVE_INFINITY
    if (!isWaiting) void load()
  }
  const loadSoon = (spacingMs = 400) => {
    const now = performance.now()
    const wanted = Math.max(now + GATHER_MS, lastRead + spacingMs)
    if (wanted >= due) return
    clearTimeout(timer)
    due = wanted
    timer = setTimeout(loadDue, wanted - now)
  }
  return {
    value,
    error,
    loading,
    load,
    loadSoon,
    follow({ action }) {
      if (action !== 'delete') return loadSoon()
      stop()
      loading.value = false
      error.value = new ApiError(404, 'It was deleted')
    },
    clear() {
      stop()
      loading.value = false
      value.value = undefined
      error.value = undefined
    },
  }
}
