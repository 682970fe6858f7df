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

  /** Takes one token and returns 0, or returns the seconds until there is one when the bucket is empty. */
  take({ perSecond, burst }: TokenRate, now: number): number {
    const tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1_000) * perSecond)
    // A refusal changes nothing, so that repeated calls add up no rounding errors.
    if (tokens < 1) return (1 - tokens) / perSecond
    this.#tokens = tokens - 1
    this.#at = now
    return 0
  }

  /** Returns a taken token; the next `take` discards what exceeds the bucket. */
  giveBack(): void {
    this.#tokens += 1
  }
}
