import {
  AppError,
  type BackoffLimits,
  backoffMs,
  type Clock,
  HOUR_S,
  MINUTE_MS,
  MINUTE_S,
} from '../../../base/index.ts'
import { RATES, type Rate } from '../../admission/limits.ts'
import { MAX_KEYS, RateLimiter } from '../../admission/rate-limiter.ts'

/** What an attempt to log in is counted for. */
interface LoginAttempt {
  /** The account as it was named, whether it exists or not; '' for logins that name none. */
  account: string
  /** The key of limits per address. */
  address: string
  /** Whether the account has logged in from the address before; called when its ceiling is reached. */
  isKnown(): Promise<boolean>
}

interface Failures {
  count: number
  last: number
  blockedUntil: number
  /** Attempts whose outcome is not known yet. */
  pending: number
}

/** Maximum wait after repeated wrong passwords. */
const MAX_BLOCK_MS = 15 * MINUTE_MS
const BLOCK: BackoffLimits = { initialMs: MINUTE_MS, maxMs: MAX_BLOCK_MS }
/** Failures in an hour of one account from all addresses, and of one address, in multiples of `perMinute`. */
const CEILING_FACTOR = 10

/**
 * Slows down password guessing. After `perMinute` failures of one account from one address, further attempts
 * have to wait 1, 2, 4 … up to 15 minutes. A success clears this count, and so does a time without failures:
 * 1 minute, or 15 once attempts must wait. In addition, an account has a ceiling of failures from all
 * addresses, except those from which it has logged in before, and an address has one over all accounts: ten
 * times `perMinute` at once and in each hour.
 */
export class LoginThrottle {
  readonly #pair: Rate
  readonly #clock: Clock
  readonly #pairs = new Map<string, Failures>()
  readonly #byAccount: RateLimiter
  readonly #byAddress: RateLimiter

  /** `perMinute` is read at each attempt, because it can change while the server runs; 0 = no limit. */
  constructor(perMinute: () => number, clock: Clock) {
    this.#pair = RATES.failedLogins.from(() => ({ burst: perMinute(), perSecond: perMinute() / MINUTE_S }))
    this.#clock = clock
    const ceiling = () => {
      const burst = perMinute() * CEILING_FACTOR
      return { burst, perSecond: burst / HOUR_S }
    }
    this.#byAccount = new RateLimiter(RATES.failedLoginsOfAccount.from(ceiling), clock)
    this.#byAddress = new RateLimiter(RATES.failedLoginsOfAddress.from(ceiling), clock)
  }

  get #perMinute(): number {
    return this.#pair.current().burst
  }

  /**
   * Runs one attempt; `work` returns undefined for a failure. Attempts in progress count as failures, so that
   * concurrent attempts gain nothing over consecutive ones.
   * @throws AppError `limited` while a limit is reached; `work` is not run then.
   */
  async run<T>(attempt: LoginAttempt, work: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#perMinute === 0) return work()
    const pair = `${attempt.account} ${attempt.address}`
    const entry = this.#admit(pair)
    entry.pending += 1
    let hasFailed = false
    let giveBack = () => undefined as unknown
    try {
      giveBack = await this.#takeFromCeilings(attempt)
      const result = await work()
      hasFailed = result === undefined
      if (hasFailed) this.#failed(entry)
      else this.#pairs.delete(pair)
      return result
    } finally {
      entry.pending -= 1
      if (!hasFailed) giveBack()
    }
  }

  /** Counts a failure in advance; the returned function takes it back. */
  async #takeFromCeilings({ account, address, isKnown }: LoginAttempt): Promise<() => void> {
    const waitOfAddressS = this.#byAddress.draw(address)
    if (waitOfAddressS > 0) throw tooMany(waitOfAddressS)
    if (account === '') return () => this.#byAddress.giveBack(address)
    const waitS = this.#byAccount.draw(account)
    if (waitS === 0) {
      return () => {
        this.#byAddress.giveBack(address)
        this.#byAccount.giveBack(account)
      }
    }
    if (await isKnown()) return () => this.#byAddress.giveBack(address)
    this.#byAddress.giveBack(address)
    throw tooMany(waitS)
  }

  #admit(key: string): Failures {
    const now = this.#clock.monotonic()
    const entry = this.#pairs.get(key) ?? { count: 0, last: now, blockedUntil: 0, pending: 0 }
    const quietMs = entry.count < this.#perMinute ? MINUTE_MS : MAX_BLOCK_MS
    if (now - entry.last > quietMs) entry.count = 0
    const remaining = Math.max(1, this.#perMinute - entry.count)
    const waitMs = entry.pending >= remaining ? 1_000 : entry.blockedUntil - now
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000))
    this.#pairs.delete(key)
    this.#pairs.set(key, entry)
    this.#evictOldest()
    return entry
  }

  #failed(entry: Failures): void {
    entry.count += 1
    entry.last = this.#clock.monotonic()
    const excess = entry.count - this.#perMinute
    entry.blockedUntil = entry.last + backoffMs(excess + 1, BLOCK)
  }

  #evictOldest(): void {
    if (this.#pairs.size <= MAX_KEYS) return
    const oldest = this.#pairs.keys().next().value
    if (oldest !== undefined) this.#pairs.delete(oldest)
  }
}

function tooMany(retryAfter: number): AppError {
  return new AppError('limited', `Too many login attempts; try again in ${retryAfter} s`, { retryAfter })
}
