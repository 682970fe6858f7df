import { AppError, type Clock, withTimeout } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { Places } from '../admission/places.ts'

/** Reads what a request waits for; undefined while it is not so, unless it is the last time. */
type Look<T> = (isLast: boolean) => Promise<T | undefined>

interface WaitOptions {
  /** Id of the session. */
  id: string
  /** The account that the wait counts for. */
  account: string
  seconds: number
  /** Aborts when the client has left. */
  signal: AbortSignal
}

/** Requests that wait for a change of a session. */
export class SessionWaits {
  readonly #db: Pick<Database, 'changes'>
  readonly #clock: Clock
  readonly #places = new Places(COUNTS.waitingRequests)
  readonly #stop = new AbortController()

  constructor({ db, clock }: { db: Pick<Database, 'changes'>; clock: Clock }) {
    this.#db = db
    this.#clock = clock
  }

  /** Ends all waits. */
  stop(): void {
    this.#stop.abort()
  }

  /**
   * Calls `look` now and when the session has another state until it returns something, and for the last time
   * when the time is over or the server stops.
   * @throws AppError `limited` (`too_many_waiting_requests`).
   */
  async until<T>({ id, account, seconds, signal }: WaitOptions, look: Look<T>): Promise<T> {
    const leave = this.#places.enter(account)
    try {
      const found = await withTimeout((over) => this.#watch(id, over, look), {
        clock: this.#clock,
        ms: seconds * 1_000,
        signal,
        onTimeout: () => look(true),
      }).catch((error: unknown) => {
        // The client has left: nobody reads the response, and nothing has failed.
        if (signal.aborted) return look(true)
        throw error
      })
      if (found === undefined) throw new AppError('unavailable', 'The server is stopping; try again')
      return found
    } finally {
      leave()
    }
  }

  async #watch<T>(id: string, over: AbortSignal, look: Look<T>): Promise<T | undefined> {
    const ends = [over, this.#stop.signal]
    let wake: () => void = () => undefined
    let state: unknown
    const unsubscribe = this.#db.changes.subscribe((changes) => {
      for (const { collection, id: changed, record } of changes) {
        // New holders and charges change nothing that is waited for.
        if (collection !== 'sessions' || changed !== id || Object(record).state === state) continue
        state = Object(record).state
        wake()
      }
    })
    for (const end of ends) end.addEventListener('abort', () => wake(), { signal: over })
    try {
      for (;;) {
        const next = new Promise<void>((resolve) => {
          wake = resolve
        })
        const found = await look(this.#stop.signal.aborted)
        if (found !== undefined || ends.some(({ aborted }) => aborted)) return found
        await next
      }
    } finally {
      unsubscribe()
    }
  }
}
