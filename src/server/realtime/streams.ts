import { AppError } from '../../base/index.ts'
import type { Caller } from '../http/caller.ts'
import type { EventStream } from './event-stream.ts'
import { clientOf, STREAM_LIMITS } from './limits.ts'

/** The open streams and their limits. */
export class Streams {
  readonly #guestStreams: () => number
  readonly #streams = new Map<string, EventStream>()

  /** `guestStreams` returns the limit per address of guests. */
  constructor(guestStreams: () => number) {
    this.#guestStreams = guestStreams
  }

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

  /**
   * Checks that the account, or the guest's address, may have one more stream.
   * @throws AppError `limited` when its maximum number of streams is open.
   */
  assertBelowLimit(caller: Caller, address: string): void {
    const client = clientOf({ caller, address })
    const isGuest = caller.kind === 'guest'
    const limit = isGuest ? this.#guestStreams() : STREAM_LIMITS.streams.client
    if (this.all().filter((stream) => stream.client === client).length < limit) return
    const message = isGuest
      ? `An address can have at most ${limit} event streams without login; close another page, or send a login or API token with the request that opens the stream`
      : `A user can have at most ${limit} streams; close another page first`
    throw new AppError('limited', message, { retryAfter: 60 })
  }

  /**
   * Closes the oldest stream of a guest if the maximum number of streams is reached.
   * @throws AppError `unavailable` when all streams belong to accounts.
   */
  evictOldestGuest(): void {
    const { total } = STREAM_LIMITS.streams
    if (this.size < total) return
    const oldest = this.all().find((stream) => stream.caller.kind === 'guest')
    if (!oldest) throw new AppError('unavailable', `All ${total} streams are in use`, { retryAfter: 60 })
    oldest.close()
  }

  /** Drops the slowest clients until the unread bytes of all clients together are within the limit. */
  dropSlowest(): void {
    const { total } = STREAM_LIMITS.unreadBytes
    let unreadBytes = this.all().reduce((sum, stream) => sum + stream.unreadBytes, 0)
    if (unreadBytes <= total) return
    for (const stream of this.all().toSorted((a, b) => b.unreadBytes - a.unreadBytes)) {
      if (unreadBytes <= total) return
      unreadBytes -= stream.unreadBytes
      stream.drop()
    }
  }
}
