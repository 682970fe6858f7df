import { type Signal, signal } from '@preact/signals'
import { type ApiError, asApiError } from './api.ts'

/** Something the server has: the newest copy and how the last attempt to read it went. */
export interface Resource<T> {
  /** Undefined until the first answer; kept when a later attempt fails. */
  value: Signal<T | undefined>
  error: Signal<ApiError | undefined>
  /** Reads now; an attempt under way is dropped. Never rejects. */
  load(): Promise<void>
  /**
   * Reads soon, at least `spacingMs` after the last read began: many calls become one read, and a change
   * that came with the last call is always seen.
   */
  loadSoon(spacingMs?: number): void
  /** Forgets the copy and drops what is under way. */
  clear(): void
}

/** Changes often come in pairs (a status, then its consequences): one read serves both. */
const GATHER_MS = 40

/** Makes a resource that is read with `read`. */
export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  let current = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let due = Number.POSITIVE_INFINITY
  let lastRead = Number.NEGATIVE_INFINITY

  const stop = () => {
    current.abort()
    clearTimeout(timer)
    due = Number.POSITIVE_INFINITY
  }
  const load = async () => {
    stop()
    const mine = new AbortController()
    current = mine
    lastRead = performance.now()
    try {
      const answer = await read(mine.signal)
      if (mine.signal.aborted) return
      value.value = answer
      error.value = undefined
    } catch (failure) {
      if (!mine.signal.aborted) error.value = asApiError(failure)
    }
  }
  return {
    value,
    error,
    load,
    loadSoon(spacingMs = 400) {
      const now = performance.now()
      const wanted = Math.max(now + GATHER_MS, lastRead + spacingMs)
      if (wanted >= due) return
      clearTimeout(timer)
      due = wanted
      timer = setTimeout(load, wanted - now)
    },
    clear() {
      stop()
      value.value = undefined
      error.value = undefined
    },
  }
}
