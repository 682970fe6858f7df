import type { Clock, Log } from '../../base/index.ts'

/** Bounds one driver's telemetry: a token bucket that holds one second's worth of events. */
export class EventRateLimit {
  readonly #limit: () => number
  readonly #clock: Clock
  readonly #log: Log
  #tokens: number
  #at: number
  #dropped = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** `perSecond` is called for each event, because a reload may change the setting; 0 = no limit. */
  constructor(perSecond: () => number, clock: Clock, log: Log) {
    this.#limit = perSecond
    this.#clock = clock
    this.#log = log
    this.#tokens = perSecond()
    this.#at = clock.monotonic()
  }

  /** Whether one more event may pass; if not, logs a warning at most once per second. */
  allows(): boolean {
    const perSecond = this.#limit()
    if (perSecond === 0) return true
    const now = this.#clock.monotonic()
    const earned = ((now - this.#at) / 1000) * perSecond
    this.#tokens = Math.min(perSecond, this.#tokens + earned)
    this.#at = now
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      return true
    }
    this.#dropped += 1
    if (now - this.#loggedAt >= 1000) {
      this.#log.warn('rate limit exceeded, dropping event', { dropped: this.#dropped })
      this.#loggedAt = now
      this.#dropped = 0
    }
    return false
  }
}
