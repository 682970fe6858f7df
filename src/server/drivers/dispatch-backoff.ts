import { type BackoffLimits, backoffMs, type Clock } from '../../base/index.ts'

interface Penalty {
  epoch: number
  times: number
  /** Monotonic ms. */
  until: number
}

const BACKOFF: BackoffLimits = { initialMs: 250, maxMs: 10_000 }

/**
 * Drivers that did not take their last dispatch get the next one after a pause: 250 ms, doubled each time, at
 * most 10 s. Without it a busy driver would be offered the whole queue, job by job. A new lease starts afresh.
 */
export class DispatchBackoff {
  readonly #clock: Clock
  readonly #penalties = new Map<string, Penalty>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The driver did not take a dispatch. */
  penalize(driver: string, epoch: number): void {
    const before = this.#penalties.get(driver)
    const times = before?.epoch === epoch ? before.times + 1 : 1
    const until = this.#clock.monotonic() + backoffMs(times, BACKOFF)
    this.#penalties.set(driver, { epoch, times, until })
  }

  /** The driver works: its next refusal is a first one. */
  clear(driver: string): void {
    this.#penalties.delete(driver)
  }

  isActive(driver: string, epoch: number): boolean {
    const penalize = this.#penalties.get(driver)
    return penalize !== undefined && penalize.epoch === epoch && this.#clock.monotonic() < penalize.until
  }
}
