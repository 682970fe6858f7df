import { AppError, type Clock } from '../../base/index.ts'
import type { RateLimit } from '../setting.ts'

interface Bucket {
  tokens: number
  at: number
}

/** Buckets kept at most; the fullest are forgotten first, which costs nobody anything. */
const MAX_KEYS = 50_000

/** One token bucket per key. Refused calls say when to come back. */
export class RateLimiter {
  readonly #limit: RateLimit
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** @throws AppError `limited` when the key's bucket is empty. */
  take(key: string): void {
    const { perSecond, burst } = this.#limit
    if (burst === 0) return
    const now = this.#clock.monotonic()
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
    if (tokens < 1) {
      const retryAfter = Math.max(1, Math.ceil((1 - tokens) / perSecond))
      throw new AppError('limited', `Too many requests; try again in ${retryAfter} s`, { retryAfter })
    }
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: tokens - 1, at: now })
    if (this.#buckets.size > MAX_KEYS) this.#forgetOldest()
  }

  #forgetOldest(): void {
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
}

const MINUTE_MS = 60_000
/** Longest wait after repeated wrong passwords. */
const MAX_BLOCK_MS = 15 * MINUTE_MS

/**
 * Slows password guessing: after `perMinute` failures of one key the next tries wait 1, 2, 4 … up to
 * 15 minutes. A success clears the key, and so does a quiet time as long as the longest wait.
 */
export class LoginThrottle {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #failures = new Map<string, Failures>()

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** @throws AppError `limited` while the key is blocked. */
  check(key: string): void {
    const wait = (this.#failures.get(key)?.blockedUntil ?? 0) - this.#clock.monotonic()
    if (this.#perMinute === 0 || wait <= 0) return
    const retryAfter = Math.ceil(wait / 1000)
    throw new AppError('limited', `Too many login attempts; try again in ${retryAfter} s`, { retryAfter })
  }

  /** Counts a wrong password. */
  failed(key: string): void {
    const now = this.#clock.monotonic()
    const before = this.#failures.get(key)
    const quietMs = (before?.count ?? 0) < this.#perMinute ? MINUTE_MS : MAX_BLOCK_MS
    const count = before && now - before.last <= quietMs ? before.count + 1 : 1
    const excess = count - this.#perMinute
    const blockMs = excess < 0 ? 0 : Math.min(MAX_BLOCK_MS, MINUTE_MS * 2 ** Math.min(excess, 10))
    this.#failures.delete(key)
    this.#failures.set(key, { count, last: now, blockedUntil: now + blockMs })
    if (this.#failures.size <= MAX_KEYS) return
    const oldest = this.#failures.keys().next().value
    if (oldest !== undefined) this.#failures.delete(oldest)
  }

  /** Forgets the failures of a key. */
  succeeded(key: string): void {
    this.#failures.delete(key)
  }
}
