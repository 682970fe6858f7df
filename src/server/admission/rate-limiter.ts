import { AppError, type Clock, type kinds, TokenBucket } from '../../base/index.ts'
import type { Rate } from './limits.ts'

/**
 * Maximum number of keys that a limit counts in memory; the least recently used ones, whose buckets are the
 * fullest, are evicted first.
 */
const MAX_KEYS = 50_000

/**
 * Enforces a declared limit with one token bucket per key. The error of a refused call contains the time to
 * wait.
 */
export class RateLimiter {
  readonly #limit: () => kinds.RateLimit
  readonly #clock: Clock
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(rate: Rate, clock: Clock) {
    this.#limit = rate.current
    this.#clock = clock
  }

  /** Takes `count` tokens. @throws AppError `limited` when the key's bucket has fewer. */
  take(key: string, count = 1): void {
    const retryAfter = this.draw(key, count)
    if (retryAfter === 0) return
    throw new AppError('limited', `Too many requests; try again in ${retryAfter} s`, { retryAfter })
  }

  /** Takes from the key's bucket; false when it is empty. */
  allows(key: string): boolean {
    return this.draw(key) === 0
  }

  /**
   * Takes `count` tokens, at most the burst, from the key's bucket; returns the whole seconds to wait when it
   * has fewer, else 0.
   */
  draw(key: string, count = 1): number {
    const limit = this.#limit()
    if (limit.burst === 0) return 0
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(key) ?? new TokenBucket(limit.burst, now)
    const waitS = bucket.take(limit, now, count)
    if (waitS > 0) return Math.max(1, Math.ceil(waitS))
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > MAX_KEYS) this.#evictOldest()
    return 0
  }

  /** Returns a token that `draw` has taken. */
  giveBack(key: string): void {
    this.#buckets.get(key)?.giveBack()
  }

  /** Fills the bucket of a key. */
  forget(key: string): void {
    this.#buckets.delete(key)
  }

  #evictOldest(): void {
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key)
      if (this.#buckets.size <= MAX_KEYS * 0.9) return
    }
  }
}
