import { COUNTS } from '../admission/limits.ts'
import type { Caller } from '../http/caller.ts'
import { readerOf } from '../http/reading.ts'
import type { EventStream } from './event-stream.ts'

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
    const client = readerOf(caller, address)
    const isGuest = caller.kind === 'guest'
    const limit = isGuest ? COUNTS.guestStreams.at({ account: this.#guestStreams() }) : COUNTS.streams
    limit.assertWithin('account', this.all().filter((stream) => stream.client === client).length + 1)
  }

  /**
   * Closes the oldest stream of a guest if the maximum number of streams is reached.
   * @throws AppError `unavailable` when all streams belong to accounts.
   */
  evictOldestGuest(): void {
    if (COUNTS.streams.isWithin('all', this.size + 1)) return
    const oldest = this.all().find((stream) => stream.caller.kind === 'guest')
    if (!oldest) throw COUNTS.streams.refuse('all')
    oldest.close()
  }

  /** Drops the slowest clients until the unread bytes of all clients together are within the limit. */
  dropSlowest(): void {
    let unreadBytes = this.all().reduce((sum, stream) => sum + stream.unreadBytes, 0)
    if (COUNTS.unreadEventBytes.isWithin('all', unreadBytes)) return
    for (const stream of this.all().toSorted((a, b) => b.unreadBytes - a.unreadBytes)) {
      if (COUNTS.unreadEventBytes.isWithin('all', unreadBytes)) return
      unreadBytes -= stream.unreadBytes
      stream.drop()
    }
  }
}
