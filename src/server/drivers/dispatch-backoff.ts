import { type BackoffLimits, backoffMs, type Clock } from '../../base/index.ts'

interface Penalty {
  epoch: number
  /** Dispatches in a row that the driver did not accept. */
  times: number
  /** Monotonic ms. */
  until: number
}

const BACKOFF: BackoffLimits = { initialMs: 250, maxMs: 10_000 }

/**
 * Delays the next dispatch to a driver that did not accept the last one: 250 ms, doubled each time, at most
 * 10 s. Without the delay, a busy driver would be offered the whole queue, job by job. A new lease has no
 * delay.
 */
export class DispatchBackoff {
  readonly #clock: Clock
  readonly #penalties = new Map<string, Penalty>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts or doubles the delay of a driver that did not accept a dispatch. */
  penalize(driver: string, epoch: number): void {
    const before = this.#penalties.get(driver)
    const times = before?.epoch === epoch ? before.times + 1 : 1
    const until = this.#clock.monotonic() + backoffMs(times, BACKOFF)
    this.#penalties.set(driver, { epoch, times, until })
  }

  /** Ends the delay of a driver that works; its next refusal counts as the first. */
  clear(driver: string): void {
    this.#penalties.delete(driver)
  }

  /** Whether the driver must not be sent anything now. */
  isActive(driver: string, epoch: number): boolean {
    const penalty = this.#penalties.get(driver)
    return penalty !== undefined && penalty.epoch === epoch && this.#clock.monotonic() < penalty.until
  }
}
