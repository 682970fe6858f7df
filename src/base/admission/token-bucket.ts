/** Rate of a token bucket. */
interface TokenRate {
  /** Tokens that the bucket gains. */
  perSecond: number
  /** Tokens that the bucket holds when it is full. */
  burst: number
}

/**
 * A token bucket, initially full. The rate is an argument of each call, because it may change while the
 * server runs. Times are ms of `clock.monotonic()`.
 */
export class TokenBucket {
  #tokens: number
  #at: number

  constructor(tokens: number, now: number) {
    this.#tokens = tokens
    this.#at = now
  }

  /** Takes `count` tokens and returns 0, or returns the seconds until there are as many. */
  take(rate: TokenRate, now: number, count = 1): number {
    const seconds = this.wait(rate, now, count)
    // A refusal changes nothing, so that repeated calls add up no rounding errors.
    if (seconds > 0) return seconds
    this.#tokens = this.#available(rate, now) - count
    this.#at = now
    return 0
  }

  /** Returns a taken token; the next `take` discards what exceeds the bucket. */
  giveBack(): void {
    this.#tokens += 1
  }

  /** Seconds until there are `count` tokens, which must not be more than the burst; takes none. */
  wait(rate: TokenRate, now: number, count = 1): number {
    return Math.max(0, (count - this.#available(rate, now)) / rate.perSecond)
  }

  #available({ perSecond, burst }: TokenRate, now: number): number {
    return Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond)
  }
}
