import { AppError } from '../../base/index.ts'
import { type Caller, callerName } from '../http/caller.ts'
import type { EventStream } from './event-stream.ts'

const MOST_STREAMS = 2_000
const MOST_PER_USER = 5
/** Bytes that may wait for all slow clients together. */
const MOST_WAITING_IN_ALL = 128 * 1024 * 1024

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
  refuseTooMany(caller: Caller): void {
    if (caller.kind === 'guest') return
    const name = callerName(caller)
    const open = this.all().filter((stream) => callerName(stream.caller) === name)
    if (open.length < MOST_PER_USER) return
    throw new AppError('limited', `At most ${MOST_PER_USER} streams per user; close another page first`, {
      retryAfter: 60,
    })
  }

  /**
   * Makes room for one more stream at the cost of nobody who is signed in.
   * @throws AppError `unavailable` when all streams belong to users.
   */
  makeRoom(): void {
    if (this.size < MOST_STREAMS) return
    const oldest = this.all().find((stream) => stream.caller.kind === 'guest')
    if (!oldest)
      throw new AppError('unavailable', `All ${MOST_STREAMS} streams are in use`, { retryAfter: 60 })
    oldest.close()
  }

  /** Drops the slowest clients while all together have too much waiting. */
  relieve(): void {
    let waiting = this.all().reduce((sum, stream) => sum + stream.waiting, 0)
    if (waiting <= MOST_WAITING_IN_ALL) return
    for (const stream of this.all().toSorted((a, b) => b.waiting - a.waiting)) {
      if (waiting <= MOST_WAITING_IN_ALL) return
      waiting -= stream.waiting
      stream.drop()
    }
  }
}
