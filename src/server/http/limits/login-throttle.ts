import { AppError, type Clock, HOUR_S, MINUTE_S } from '../../../base/index.ts'
import { RATES } from '../../admission/limits.ts'
import { RateLimiter } from '../../admission/rate-limiter.ts'

/** What an attempt to log in is counted for. */
interface LoginAttempt {
  /** The account as it was named, whether it exists or not; '' for logins that name none. */
  account: string
  /** The key of limits per address. */
  address: string
  /** Whether the account has logged in from the address before; called when its ceiling is reached. */
  isKnown(): Promise<boolean>
}

/** Failures in an hour of an account from all addresses, and of an address, in multiples of the rate. */
const CEILING_FACTOR = 10

/** One attempt per so many minutes; each bucket holds one attempt more than the one before. */
const PAUSES_MIN = [1, 2, 4, 8, 16]

/**
 * Slows down password guessing. After `--login-rate` failures of one account from one address, attempts are
 * possible 1, 2, 4, 8 and 16 minutes later and then every 16 minutes, however the attempts before were spread
 * over time; a success clears this count. In addition, an account has a ceiling of failures from all
 * addresses, except those from which it has logged in before, and an address has one over all accounts.
 */
export class LoginThrottle {
  readonly #byPair: readonly RateLimiter[]
  readonly #byAccount: RateLimiter
  readonly #byAddress: RateLimiter

  /** `loginRate` is read at each attempt, because it can change while the server runs; 0 = no limit. */
  constructor(loginRate: () => number, clock: Clock) {
    const ceiling = () => {
      const burst = loginRate() * CEILING_FACTOR
      return { burst, perSecond: burst / HOUR_S }
    }
    this.#byPair = PAUSES_MIN.map((minutes, more) => {
      const burst = () => loginRate() && loginRate() + more
      const rate = () => ({ burst: burst(), perSecond: 1 / (minutes * MINUTE_S) })
      return new RateLimiter(RATES.failedLogins.from(rate), clock)
    })
    this.#byAccount = new RateLimiter(RATES.failedLoginsOfAccount.from(ceiling), clock)
    this.#byAddress = new RateLimiter(RATES.failedLoginsOfAddress.from(ceiling), clock)
  }

  /**
   * Runs one attempt; `work` returns undefined for a failure. An attempt in progress counts as a failure, so
   * that concurrent attempts gain nothing over consecutive ones.
   * @throws AppError `limited` while a limit is reached; `work` is not run then.
   */
  async run<T>(attempt: LoginAttempt, work: () => Promise<T | undefined>): Promise<T | undefined> {
    const { account, address } = attempt
    const pair = `${account} ${address}`
    const taken: (() => void)[] = []
    const take = (limiter: RateLimiter, key: string) => {
      const waitS = limiter.draw(key)
      if (waitS === 0) taken.push(() => limiter.giveBack(key))
      return waitS
    }
    let hasFailed = false
    try {
      const waitS =
        Math.max(...this.#byPair.map((limiter) => take(limiter, pair))) || take(this.#byAddress, address)
      if (waitS > 0) throw tooMany(waitS)
      const waitOfAccountS = account === '' ? 0 : take(this.#byAccount, account)
      if (waitOfAccountS > 0 && !(await attempt.isKnown())) throw tooMany(waitOfAccountS)
      const result = await work()
      hasFailed = result === undefined
      if (!hasFailed) for (const limiter of this.#byPair) limiter.forget(pair)
      return result
    } finally {
      if (!hasFailed) for (const giveBack of taken) giveBack()
    }
  }
}

function tooMany(retryAfter: number): AppError {
  return new AppError('limited', `Too many login attempts; try again in ${retryAfter} s`, { retryAfter })
}
