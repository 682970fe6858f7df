import { type Clock, TurnQueue } from '../../../base/index.ts'

/** Work in one turn of the event loop, in ms; the requests after that wait for another turn. */
const MAX_TURN_MS = 10
/** Waiting requests that start in one turn while they take little time. */
const MAX_BATCH = 32

/**
 * Lets the requests that arrive together start over several turns of the event loop, so that many expensive
 * ones of a caller add up to a long response time of that caller only: callers take turns, and new requests
 * are read in between.
 */
export class Turns {
  readonly #clock: Clock
  /** How to start each request that waits. */
  readonly #waiting = new TurnQueue<() => void>()
  #begun: number | undefined
  #batch = 1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a request of `caller` may start now: undefined, or the promise of a later turn. */
  enter(caller: string): Promise<void> | undefined {
    if (this.#begun === undefined) {
      this.#begun = this.#clock.monotonic()
      setImmediate(() => this.#nextTurn())
    }
    const elapsed = this.#clock.monotonic() - this.#begun
    if (this.#waiting.size === 0 && elapsed < MAX_TURN_MS) return undefined
    return new Promise((start) => this.#waiting.add(caller, start))
  }

  #nextTurn(): void {
    const now = this.#clock.monotonic()
    const elapsed = now - (this.#begun ?? now)
    this.#batch = elapsed < MAX_TURN_MS ? Math.min(MAX_BATCH, 2 * this.#batch) : 1
    if (this.#waiting.size === 0) {
      this.#begun = undefined
      return
    }
    this.#begun = now
    setImmediate(() => this.#nextTurn())
    for (let started = 0; started < this.#batch; started += 1) this.#waiting.take()?.()
  }
}
