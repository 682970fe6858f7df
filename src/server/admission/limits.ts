import { DAY_S, flagOf, kinds, MIB } from '../../base/index.ts'
import { SETTINGS } from '../config/settings.ts'

/** A limit on how often something happens, as it is declared. */
interface Declaration {
  /** What is counted, in the words of `docs/reference/limits.md`, whose row is made from this declaration. */
  readonly what: string
  /** Whose events are counted together. */
  readonly of: 'account' | 'address' | 'calendar' | 'driver' | 'everybody'
  /** Tokens; undefined when a setting states them. */
  readonly rate?: kinds.RateLimit
  readonly setting?: 'anonymousRate' | 'userRate' | 'signupRate' | 'submitRate'
  /** The limit for readers, where `rate` and `setting` do not say it. */
  readonly text?: string
  /** What happens beyond it. */
  readonly refusal: string
}

/** A declared limit. No other object has this type: a limit outside of the table cannot be enforced. */
class DeclaredRate {
  readonly #declaration: Declaration

  constructor(declaration: Declaration) {
    this.#declaration = declaration
  }

  /** Tokens per second and at once. @throws TypeError when a setting states them. */
  get rate(): kinds.RateLimit {
    const { rate, what } = this.#declaration
    if (!rate) throw new TypeError(`${what}: the limit is a setting; pass it to the limiter`)
    return rate
  }

  /** The row of the documentation: what, limit, refusal. */
  get row(): readonly [what: string, limit: string, refusal: string] {
    const { what, refusal } = this.#declaration
    return [what, textOf(this.#declaration), refusal]
  }
}

function textOf({ of, rate, setting, text = '' }: Declaration): string {
  if (text !== '') return text
  if (rate) return `${describeRate(rate)}, per ${of}`
  if (setting === undefined) throw new TypeError('a limit has a rate, a setting or a text')
  const rateOf = kinds.rate().parse(SETTINGS[setting].defaultText ?? '')
  return `\`${flagOf(setting)}\`, ${describeRate(rateOf)}, per ${of}`
}

export type Rate = DeclaredRate

/** `2,000 per second, 4,000 at once`, or `60 at once, then one per 2 s`. */
function describeRate({ perSecond, burst }: kinds.RateLimit): string {
  const atOnce = burst.toLocaleString('en')
  if (perSecond >= 1) return `${perSecond.toLocaleString('en')} per second, ${atOnce} at once`
  const seconds = Math.round(1 / perSecond)
  const pause = seconds % 60 === 0 ? `${seconds === 60 ? '' : `${seconds / 60} `}minute` : `${seconds} s`
  return `${atOnce} at once, then one per ${pause}${seconds > 60 && seconds % 60 === 0 ? 's' : ''}`
}

const limit = (declaration: Declaration) => new DeclaredRate(declaration)

/** Every limit on the rate of requests, connections and messages. */
export const RATES = {
  guestRequests: limit({
    what: 'Requests without login, of an address',
    of: 'address',
    setting: 'anonymousRate',
    refusal: '429',
  }),
  userRequests: limit({
    what: 'Requests of a user',
    of: 'account',
    setting: 'userRate',
    refusal: '429',
  }),
  signUps: limit({
    what: 'Sign-ups from an address',
    of: 'address',
    setting: 'signupRate',
    refusal: '429',
  }),
  submissions: limit({
    what: 'Jobs that a user submits',
    of: 'account',
    setting: 'submitRate',
    refusal: '429',
  }),
  failedLoginsOfAccount: limit({
    what: 'Failed logins of an account from all addresses',
    of: 'account',
    text: '10 times `--login-rate` at once and in each hour; addresses of earlier logins are free',
    refusal: '429',
  }),
  failedLoginsOfAddress: limit({
    what: 'Failed logins from an address to all accounts',
    of: 'address',
    text: '10 times `--login-rate` at once and in each hour',
    refusal: '429',
  }),
  mailedLinks: limit({
    what: 'Mails with a link of one purpose',
    of: 'account',
    rate: { perSecond: 1 / 120, burst: 2 },
    refusal: 'none is sent; the response is the same',
  }),
  apiTokens: limit({
    what: 'New API tokens',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 60 },
    refusal: '429',
  }),
  auditedUses: limit({
    what: 'Entries of the audit log about the use of an account',
    of: 'account',
    rate: { perSecond: 100 / DAY_S, burst: 100 },
    text: '100 per day and account',
    refusal: 'counted',
  }),
  countedUses: limit({
    what: 'Counted entries of the audit log',
    of: 'everybody',
    rate: { perSecond: 1_000 / DAY_S, burst: 1_000 },
    text: '1,000 per day',
    refusal: 'one entry per hour has their number',
  }),
  emptyLists: limit({
    what: 'Filtered lists without a result, where a rule hides records',
    of: 'address',
    rate: { perSecond: 1, burst: 3 },
    text: '1 per second, 3 at once, per address and collection',
    refusal: 'delayed by up to 500 ms',
  }),
  slots: limit({
    what: 'Slots that a user books or moves, each slot of a repetition',
    of: 'account',
    rate: { perSecond: 0.5, burst: 60 },
    refusal: '429',
  }),
  calendarChanges: limit({
    what: 'New addresses and changes of a calendar',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 10 },
    refusal: '429',
  }),
  calendarReads: limit({
    what: 'Reads of a calendar',
    of: 'calendar',
    rate: { perSecond: 0.1, burst: 10 },
    refusal: '429',
  }),
  webhookChanges: limit({
    what: 'Changes, rotations and test deliveries of webhooks',
    of: 'account',
    rate: { perSecond: 0.1, burst: 20 },
    refusal: '429',
  }),
  driverConnections: limit({
    what: 'Connections of one address to the ports of all drivers',
    of: 'address',
    rate: { perSecond: 50, burst: 200 },
    refusal: 'refused before TLS',
  }),
  driverMessages: limit({
    what: 'Messages of one driver',
    of: 'driver',
    rate: { perSecond: 2_000, burst: 4_000 },
    refusal: 'the server reads more slowly',
  }),
  driverBytes: limit({
    what: 'Bytes of one driver',
    of: 'driver',
    // The burst is also the largest message that can pass.
    rate: { perSecond: 8 * MIB, burst: 64 * MIB },
    text: '8 MiB per second, 64 MiB at once',
    refusal: 'the server reads more slowly',
  }),
} as const
