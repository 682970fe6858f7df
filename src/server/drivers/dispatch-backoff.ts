import type { Clock } from '../../base/index.ts'

interface Hold {
  epoch: number
  times: number
  /** Monotonic ms. */
  until: number
}

const FIRST_MS = 250
const LONGEST_MS = 10_000

/**
 * Drivers that did not take their last dispatch get the next one after a pause: 250 ms, doubled each time, at
 * most 10 s. Without it a busy driver would be offered the whole queue, job by job. A new lease starts afresh.
 */
export class Holds {
  readonly #clock: Clock
  readonly #holds = new Map<string, Hold>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The driver did not take a dispatch. */
  hold(driver: string, epoch: number): void {
    const before = this.#holds.get(driver)
    const times = before?.epoch === epoch ? before.times : 0
    const pauseMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** times)
    this.#holds.set(driver, { epoch, times: times + 1, until: this.#clock.monotonic() + pauseMs })
  }

  /** The driver works: its next refusal is a first one. */
  release(driver: string): void {
    this.#holds.delete(driver)
  }

  isHeld(driver: string, epoch: number): boolean {
    const hold = this.#holds.get(driver)
    return hold !== undefined && hold.epoch === epoch && this.#clock.monotonic() < hold.until
  }
}
