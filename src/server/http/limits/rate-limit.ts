import {
  AppError,
  type BackoffLimits,
  backoffMs,
  type Clock,
  type kinds,
  TokenBucket,
} from '../../../base/index.ts'

/**
 * Maximum number of buckets in memory; the least recently used ones, which are the fullest, are evicted
 * first.
 */
const MAX_KEYS = 50_000

/** One token bucket per key. The error of a refused call contains the time to wait. */
export class RateLimiter {
  readonly #limit: () => kinds.RateLimit
  readonly #clock: Clock
  readonly #buckets = new Map<string, TokenBucket>()

  /** `limit` is a function if it can change while the server runs. */
  constructor(limit: kinds.RateLimit | (() => kinds.RateLimit), clock: Clock) {
    this.#limit = typeof limit === 'function' ? limit : () => limit
    this.#clock = clock
  }

  /** @throws AppError `limited` when the key's bucket is empty. */
  take(key: string): void {
    const retryAfter = this.#draw(key)
    if (retryAfter === 0) return
    throw new AppError('limited', `Too many requests; try again in ${retryAfter} s`, { retryAfter })
  }

  /** Takes from the key's bucket; false when it is empty. */
  allows(key: string): boolean {
    return this.#draw(key) === 0
  }

  /** Takes from the key's bucket; returns the whole seconds to wait when it is empty, else 0. */
  #draw(key: string): number {
    const limit = this.#limit()
    if (limit.burst === 0) return 0
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(key) ?? new TokenBucket(limit.burst, now)
    const waitS = bucket.take(limit, now)
    if (waitS > 0) return Math.max(1, Math.ceil(waitS))
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > MAX_KEYS) this.#evictOldest()
    return 0
  }

  #evictOldest(): void {
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key)
      if (this.#buckets.size <= MAX_KEYS * 0.9) return
    }
  }
}

interface Failures {
  count: number
  last: number
  blockedUntil: number
  /** Attempts whose outcome is not known yet. */
  pending: number
}

const MINUTE_MS = 60_000
/** Maximum wait after repeated wrong passwords. */
const MAX_BLOCK_MS = 15 * MINUTE_MS
const BLOCK: BackoffLimits = { initialMs: MINUTE_MS, maxMs: MAX_BLOCK_MS }

/**
 * Slows down password guessing: after `perMinute` failures of one key, further attempts have to wait 1, 2, 4
 * … up to 15 minutes. A success clears the key, and so does a time without failures: 1 minute, or 15 once
 * attempts must wait.
 */
export class LoginThrottle {
  readonly #perMinute: () => number
  readonly #clock: Clock
  readonly #keys = new Map<string, Failures>()

  /** `perMinute` is read at each attempt, because it can change while the server runs; 0 = no limit. */
  constructor(perMinute: () => number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /**
   * Runs one attempt; `attempt` returns undefined for a failure. Attempts in progress count as failures, so
   * that concurrent attempts gain nothing over consecutive ones.
   * @throws AppError `limited` while the key is blocked; `attempt` is not run then.
   */
  async run<T>(key: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#perMinute() === 0) return attempt()
    const entry = this.#admit(key)
    entry.pending += 1
    try {
      const result = await attempt()
      if (result === undefined) this.#failed(entry)
      else this.#keys.delete(key)
      return result
    } finally {
      entry.pending -= 1
    }
  }

  #admit(key: string): Failures {
    const now = this.#clock.monotonic()
    const entry = this.#keys.get(key) ?? { count: 0, last: now, blockedUntil: 0, pending: 0 }
    const quietMs = entry.count < this.#perMinute() ? MINUTE_MS : MAX_BLOCK_MS
    if (now - entry.last > quietMs) entry.count = 0
    const remaining = Math.max(1, this.#perMinute() - entry.count)
    const waitMs = entry.pending >= remaining ? 1_000 : entry.blockedUntil - now
    if (waitMs > 0) {
      const retryAfter = Math.ceil(waitMs / 1000)
      throw new AppError('limited', `Too many login attempts; try again in ${retryAfter} s`, { retryAfter })
    }
    this.#keys.delete(key)
    this.#keys.set(key, entry)
    this.#evictOldest()
    return entry
  }

  #failed(entry: Failures): void {
    entry.count += 1
    entry.last = this.#clock.monotonic()
    const excess = entry.count - this.#perMinute()
    entry.blockedUntil = entry.last + backoffMs(excess + 1, BLOCK)
  }

  #evictOldest(): void {
    if (this.#keys.size <= MAX_KEYS) return
    const oldest = this.#keys.keys().next().value
    if (oldest !== undefined) this.#keys.delete(oldest)
  }
}
