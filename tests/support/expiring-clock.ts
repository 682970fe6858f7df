import { type Clock, systemClock } from '../../src/base/index.ts'

/** The clock of the machine, on which some time limits, told by their length, can be ended at once. */
export class ExpiringClock implements Clock {
  readonly #limitsMs: ReadonlySet<number>
  #expired = Promise.withResolvers<void>()

  constructor(limitsMs: readonly number[]) {
    this.#limitsMs = new Set(limitsMs)
  }

  now(): number {
    return systemClock.now()
  }

  monotonic(): number {
    return systemClock.monotonic()
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const slept = systemClock.sleep(ms, signal)
    await (this.#limitsMs.has(ms) ? Promise.race([slept, this.#expired.promise]) : slept)
  }

  /** Ends these limits, those that begin later too, until `renew`. */
  expire(): void {
    this.#expired.resolve()
  }

  renew(): void {
    this.#expired = Promise.withResolvers()
  }
}
