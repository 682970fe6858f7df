import type { Clock } from '../../base/index.ts'

/** Others wait 5 ms for a write at most; the other half is for its commit. */
const MAX_STEP_MS = 2.5
const MAX_ROWS = 500
const INITIAL_ROWS = 100

/** How many rows a repeated write may change at once so that each stays short, found by measuring. */
export class AdaptiveBatchSize {
  readonly #clock: Clock
  #rows: number

  constructor(clock: Clock, initialRows = INITIAL_ROWS) {
    this.#clock = clock
    this.#rows = initialRows
  }

  /** Does one write of a bounded number of rows; the next one is larger or smaller by the time that it took. */
  run<T>(work: (rows: number) => T): T {
    const start = this.#clock.monotonic()
    const value = work(this.#rows)
    const tookMs = this.#clock.monotonic() - start
    if (tookMs > MAX_STEP_MS) this.#rows = Math.max(1, Math.floor(this.#rows / 2))
    else if (tookMs < MAX_STEP_MS / 2) this.#rows = Math.min(MAX_ROWS, Math.ceil(this.#rows * 1.25))
    return value
  }
}
