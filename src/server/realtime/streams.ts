import { AppError } from '../../base/index.ts'
import { type Caller, callerName } from '../http/caller.ts'
import type { EventStream } from './event-stream.ts'

const MAX_STREAMS = 2_000
const MAX_STREAMS_PER_USER = 5
/** Bytes that may wait for all slow clients together. */
const MAX_TOTAL_UNREAD_BYTES = 128 * 1024 * 1024

/** The open streams, and what they may cost. */
export class Streams {
  readonly #streams = new Map<string, EventStream>()

  get size(): number {
    return this.#streams.size
  }

  /** Oldest first; a copy, so that streams may end while it is walked. */
  all(): EventStream[] {
    return [...this.#streams.values()]
  }

  get(id: string): EventStream | undefined {
    return this.#streams.get(id)
  }

  add(stream: EventStream): void {
    this.#streams.set(stream.id, stream)
  }

  remove(id: string): void {
    this.#streams.delete(id)
  }

  /** @throws AppError `limited` when this account has as many streams as one may have. */
  assertBelowUserLimit(caller: Caller): void {
    if (caller.kind === 'guest') return
    const name = callerName(caller)
    const open = this.all().filter((stream) => callerName(stream.caller) === name)
    if (open.length < MAX_STREAMS_PER_USER) return
    throw new AppError(
      'limited',
      `At most ${MAX_STREAMS_PER_USER} streams per user; close another page first`,
      {
        retryAfter: 60,
      },
    )
  }

  /**
   * Makes room for one more stream at the cost of nobody who is signed in.
   * @throws AppError `unavailable` when all streams belong to users.
   */
  evictOldestGuest(): void {
    if (this.size < MAX_STREAMS) return
    const oldest = this.all().find((stream) => stream.caller.kind === 'guest')
    if (!oldest)
      throw new AppError('unavailable', `All ${MAX_STREAMS} streams are in use`, { retryAfter: 60 })
    oldest.close()
  }

  /** Drops the slowest clients while all together have too much waiting. */
  dropSlowest(): void {
    let unreadBytes = this.all().reduce((sum, stream) => sum + stream.unreadBytes, 0)
    if (unreadBytes <= MAX_TOTAL_UNREAD_BYTES) return
    for (const stream of this.all().toSorted((a, b) => b.unreadBytes - a.unreadBytes)) {
      if (unreadBytes <= MAX_TOTAL_UNREAD_BYTES) return
      unreadBytes -= stream.unreadBytes
      stream.drop()
    }
  }
}
