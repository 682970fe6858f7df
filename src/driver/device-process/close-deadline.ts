import { type Clock, withTimeout } from '../../base/index.ts'

/** Time for a device to close. */
const CLOSE_TIMEOUT_MS = 2_000
/** The same for a device that asks for more, such as one that ramps a current back. */
const MAX_CLOSE_MS = 30_000

/** The time for a device to close, counted from the creation of this object; the device may extend it. */
export class CloseDeadline {
  readonly #clock: Clock
  readonly #startedAt: number
  #totalMs = CLOSE_TIMEOUT_MS

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.monotonic()
  }

  /** The time granted so far, from the start. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** Grants `ms` from now, at most 30 s from the start; a deadline never moves forward. */
  extend(ms: number): void {
    const totalMs = this.#clock.monotonic() - this.#startedAt + ms
    this.#totalMs = Math.max(this.#totalMs, Math.min(totalMs, MAX_CLOSE_MS))
  }

  /** Waits until `closed` settles or the time is over; whether it settled in time. */
  async wait(closed: Promise<unknown>): Promise<boolean> {
    const settled = closed.then(
      () => true,
      () => true,
    )
    for (;;) {
      const leftMs = this.#startedAt + this.#totalMs - this.#clock.monotonic()
      if (leftMs <= 0) return false
      const isClosed = await withTimeout(settled, {
        clock: this.#clock,
        ms: leftMs,
        onTimeout: () => false,
      })
      if (isClosed) return true
    }
  }
}
