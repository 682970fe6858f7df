import type { Clock } from '../../base/index.ts'

/** Others wait 5 ms for a write at most; the other half is for its commit. */
const LONGEST_MS = 2.5
const MOST_ROWS = 500
const FIRST_ROWS = 100

/** How many rows a repeated write may change at once so that each stays short, found by measuring. */
export class Pace {
  readonly #clock: Clock
  #rows: number

  constructor(clock: Clock, firstRows = FIRST_ROWS) {
    this.#clock = clock
    this.#rows = firstRows
  }

  /** Does one write of a bounded number of rows; the next one is larger or smaller by the time that it took. */
  measure<T>(work: (rows: number) => T): T {
    const start = this.#clock.monotonic()
    const value = work(this.#rows)
    const tookMs = this.#clock.monotonic() - start
    if (tookMs > LONGEST_MS) this.#rows = Math.max(1, Math.floor(this.#rows / 2))
    else if (tookMs < LONGEST_MS / 2) this.#rows = Math.min(MOST_ROWS, Math.ceil(this.#rows * 1.25))
    return value
  }
}
