import { AppError } from '../../base/index.ts'
import { type Caller, callerName } from '../http/caller.ts'
import type { EventStream } from './event-stream.ts'

const MAX_STREAMS = 2_000
const MAX_STREAMS_PER_USER = 5
/** Maximum number of unread bytes of all clients together. */
const MAX_TOTAL_UNREAD_BYTES = 128 * 1024 * 1024

/** The open streams and their limits. */
export class Streams {
  readonly #streams = new Map<string, EventStream>()

  get size(): number {
    return this.#streams.size
  }

  /** All streams, oldest first; a copy, so that streams may end during the iteration. */
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

  /** @throws AppError `limited` when the account has reached its maximum number of streams. */
  assertBelowUserLimit(caller: Caller): void {
    if (caller.kind === 'guest') return
    const name = callerName(caller)
    const open = this.all().filter((stream) => callerName(stream.caller) === name)
    if (open.length < MAX_STREAMS_PER_USER) return
    throw new AppError(
      'limited',
      `A user can have at most ${MAX_STREAMS_PER_USER} streams; close another page first`,
      {
        retryAfter: 60,
      },
    )
  }

  /**
   * Closes the oldest stream of a guest if the maximum number of streams is reached.
   * @throws AppError `unavailable` when all streams belong to accounts.
   */
  evictOldestGuest(): void {
    if (this.size < MAX_STREAMS) return
    const oldest = this.all().find((stream) => stream.caller.kind === 'guest')
    if (!oldest)
      throw new AppError('unavailable', `All ${MAX_STREAMS} streams are in use`, { retryAfter: 60 })
    oldest.close()
  }

  /** Drops the slowest clients until the unread bytes of all clients together are within the limit. */
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
