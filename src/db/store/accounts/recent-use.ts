import { MINUTE_MS } from '../../../base/index.ts'

/** The minute of a time in ms since the epoch, which use is counted by. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS)
}

/**
 * How much QPU time one user has used in a window that ends now: what the fair policy orders users by, in the
 * server and in its simulation.
 */
export class RecentUse {
  readonly #windowMs: number
  readonly #byMinute = new Map<number, number>()
  #total = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Adds `ms` of a job that ended at `now`. */
  add(now: number, ms: number): void {
    const minute = minuteOf(now)
    this.set(minute, (this.#byMinute.get(minute) ?? 0) + ms)
  }

  /** Replaces the use of one minute. */
  set(minute: number, ms: number): void {
    this.#total += ms - (this.#byMinute.get(minute) ?? 0)
    this.#byMinute.set(minute, ms)
  }

  /** ms used in the window before `now`; minutes that have left it are forgotten. */
  of(now: number): number {
    const first = firstMinuteOf(now, this.#windowMs)
    for (const [minute, ms] of this.#byMinute) {
      if (minute >= first) break
      this.#byMinute.delete(minute)
      this.#total -= ms
    }
    return this.#total
  }
}

/** The first minute of a window that ends at `now`. */
export function firstMinuteOf(now: number, windowMs: number): number {
  return minuteOf(now - windowMs) + 1
}

/** A user and the first job that may run, or that is waiting. */
interface Claimant {
  /** ms used recently. */
  use: number
  /** Position of the job in the order of submission. */
  seq: number
}

/** The fair order: the user with the least recent use first, then the job that was submitted first. */
export function compareFair(one: Claimant, other: Claimant): number {
  return one.use - other.use || one.seq - other.seq
}
