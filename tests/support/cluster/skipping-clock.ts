import { type Clock, systemClock } from '../../../src/base/index.ts'

/**
 * Time limits and pauses of the client of a cluster, recognized by their length, ms: an aborted exchange,
 * the rest of the sequencers, a connection, a reply; the pauses between two questions.
 */
const REAL_MS: ReadonlySet<number> = new Set([200, 1_000, 3_000, 60_000, 1, 2, 4, 8, 16, 20])
/** Anything from here on is a time limit: nothing is played for so long, ms. */
const LIMIT_MS = 24 * 3_600_000

/**
 * A clock on which only waits for pulses and for currents take time, and end at once: a fake cluster plays
 * without delay. Time limits and pauses are waited for, without their time passing.
 */
export class SkippingClock implements Clock {
  readonly #start: number
  #passedMs = 0

  /** @param start wall clock at the beginning, ms since 1970 */
  constructor(start: number) {
    this.#start = start
  }

  now(): number {
    return this.#start + this.#passedMs
  }

  monotonic(): number {
    return this.#passedMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (REAL_MS.has(ms) || ms >= LIMIT_MS) return systemClock.sleep(ms, signal)
    signal?.throwIfAborted()
    this.#passedMs += ms
    await new Promise((resolve) => setImmediate(resolve))
  }
}
