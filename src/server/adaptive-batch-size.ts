import type { Clock } from '../base/index.ts'

/** Other writers wait at most 5 ms for a write; the other half is for its commit. */
const MAX_STEP_MS = 2.5
const MAX_ROWS = 500
const INITIAL_ROWS = 100

/** Measures repeated writes and adapts the number of rows of each, so that every write stays short. */
export class AdaptiveBatchSize {
  readonly #clock: Clock
  #rows: number

  constructor(clock: Clock, initialRows = INITIAL_ROWS) {
    this.#clock = clock
    this.#rows = initialRows
  }

  /** Runs one write with the current number of rows and adapts the number to the time that the write took. */
  run<T>(work: (rows: number) => T): T {
    const start = this.#clock.monotonic()
    const value = work(this.#rows)
    const tookMs = this.#clock.monotonic() - start
    if (tookMs > MAX_STEP_MS) this.#rows = Math.max(1, Math.floor(this.#rows / 2))
    else if (tookMs < MAX_STEP_MS / 2) this.#rows = Math.min(MAX_ROWS, Math.ceil(this.#rows * 1.25))
    return value
  }
}
