import { type Clock, type Log, TokenBucket } from '../../base/index.ts'

/** Limits the events of one driver; its token bucket holds the events of one second. */
export class EventRateLimit {
  readonly #limit: () => number
  readonly #clock: Clock
  readonly #log: Log
  readonly #bucket: TokenBucket
  #dropped = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  /** `perSecond` is called for each event, because a reload may change the setting; 0 = no limit. */
  constructor(perSecond: () => number, clock: Clock, log: Log) {
    this.#limit = perSecond
    this.#clock = clock
    this.#log = log
    this.#bucket = new TokenBucket(perSecond(), clock.monotonic())
  }

  /** Whether one more event may pass; if not, logs a warning at most once per second. */
  allows(): boolean {
    const perSecond = this.#limit()
    if (perSecond === 0) return true
    const now = this.#clock.monotonic()
    if (this.#bucket.take({ perSecond, burst: perSecond }, now) === 0) return true
    this.#dropped += 1
    if (now - this.#loggedAt >= 1000) {
      this.#log.warn('rate limit exceeded, dropping event', { dropped: this.#dropped })
      this.#loggedAt = now
      this.#dropped = 0
    }
    return false
  }
}
