import { AppError, type Bounds, DAY_S, flagOf, kinds, MIB, MINUTE_S } from '../../base/index.ts'
import { SETTINGS } from '../config/settings.ts'

/** What is counted, for whom, and what happens beyond the limit. */
interface RateDeclaration {
  /** In the words of `docs/reference/limits.md`, whose row is made from this declaration. */
  readonly what: string
  /** Whose events are counted together. */
  readonly of: 'account' | 'address' | 'calendar' | 'driver' | 'everybody'
  readonly refusal: string
}

/** A row of the table. No other object has this type: a limit outside of the table cannot be enforced. */
class Declared {
  readonly #row: readonly [what: string, limit: string, refusal: string]

  constructor({ what, refusal }: Pick<RateDeclaration, 'what' | 'refusal'>, limit: string) {
    this.#row = [what, limit, refusal]
  }

  /** The row of the documentation: what, limit, refusal. */
  get row(): readonly [what: string, limit: string, refusal: string] {
    return this.#row
  }
}

/** A rate that can be enforced. */
class Rate extends Declared {
  /** Tokens per second and at once, at present. */
  readonly current: () => kinds.RateLimit

  constructor(declaration: RateDeclaration, text: string, current: () => kinds.RateLimit) {
    super(declaration, text)
    this.current = current
  }
}

/** A rate that settings state, and thus can only be enforced with a function that reads them. */
class VariableRate extends Declared {
  readonly #declaration: RateDeclaration

  constructor(declaration: RateDeclaration, text: string) {
    super(declaration, text)
    this.#declaration = declaration
  }

  /** The rate that `current` returns, which can change while the server runs. */
  from(current: () => kinds.RateLimit): Rate {
    return new Rate(this.#declaration, this.row[1], current)
  }
}

interface CountDeclaration<B extends Bounds> {
  readonly what: string
  readonly bounds: B
  /** What is counted, in the words of the refusal. */
  readonly things: string
  readonly reason: string
  readonly remedy: string
  readonly retryAfterS: number
  /** The limit where the bounds do not say all of it. */
  readonly text?: string
}

/** A number of things at the same time that can be enforced. */
class Count<B extends Bounds = Bounds> extends Declared {
  readonly bounds: B
  readonly #declaration: CountDeclaration<B>

  constructor(declaration: CountDeclaration<B>) {
    const { what, bounds, reason, text } = declaration
    super({ what, refusal: `429 \`${reason}\`` }, text ?? describeBounds(bounds))
    this.bounds = bounds
    this.#declaration = declaration
  }

  /** The error for more than one of the bounds. */
  refusal(bound: keyof Bounds): AppError {
    const { things, reason, remedy, retryAfterS: retryAfter } = this.#declaration
    const most = `${this.bounds[bound]} ${things}${bound === 'account' ? ' of an account' : ''}`
    const message = `At most ${most} at the same time; ${remedy}, or try again in ${retryAfter} s`
    return new AppError('limited', message, { reason, retryAfter })
  }
}

export type { Count, Rate }

/** `text` says the limit where the rate itself reads badly. */
function fixed({ rate, text, ...declaration }: RateDeclaration & { rate: kinds.RateLimit; text?: string }) {
  return new Rate(declaration, text ?? `${describeRate(rate)}, per ${declaration.of}`, () => rate)
}

type RateSetting = 'anonymousRate' | 'userRate' | 'signupRate' | 'submitRate'

function ofSetting({ setting, ...declaration }: RateDeclaration & { setting: RateSetting }) {
  const rate = kinds.rate().parse(SETTINGS[setting].defaultText ?? '')
  return new VariableRate(declaration, `\`${flagOf(setting)}\`, ${describeRate(rate)}, per ${declaration.of}`)
}

function computed({ text, ...declaration }: RateDeclaration & { text: string }) {
  return new VariableRate(declaration, text)
}

/** `2,000 per second, 4,000 at once`, or `60 at once, then one per 2 s`. */
function describeRate({ perSecond, burst }: kinds.RateLimit): string {
  const atOnce = burst.toLocaleString('en')
  if (perSecond >= 1) return `${perSecond.toLocaleString('en')} per second, ${atOnce} at once`
  return `${atOnce} at once, then one per ${describePause(Math.round(1 / perSecond))}`
}

/** `250 per account, 5,000 in all`. */
function describeBounds({ account, all }: Bounds): string {
  const most = all.toLocaleString('en')
  return account === undefined ? most : `${account.toLocaleString('en')} per account, ${most} in all`
}

function describePause(seconds: number): string {
  if (seconds % MINUTE_S !== 0) return `${seconds} s`
  return seconds === MINUTE_S ? 'minute' : `${seconds / MINUTE_S} minutes`
}

/** Every limit on the rate of requests, connections and messages. */
export const RATES = {
  guestRequests: ofSetting({
    what: 'Requests without login, of an address',
    of: 'address',
    setting: 'anonymousRate',
    refusal: '429',
  }),
  userRequests: ofSetting({
    what: 'Requests of a user',
    of: 'account',
    setting: 'userRate',
    refusal: '429',
  }),
  signUps: ofSetting({
    what: 'Sign-ups from an address',
    of: 'address',
    setting: 'signupRate',
    refusal: '429',
  }),
  submissions: ofSetting({
    what: 'Jobs that a user submits',
    of: 'account',
    setting: 'submitRate',
    refusal: '429',
  }),
  failedLoginsOfAccount: computed({
    what: 'Failed logins of an account from all addresses',
    of: 'account',
    text: '10 times `--login-rate` at once and in each hour; addresses of earlier logins are free',
    refusal: '429',
  }),
  failedLoginsOfAddress: computed({
    what: 'Failed logins from an address to all accounts',
    of: 'address',
    text: '10 times `--login-rate` at once and in each hour',
    refusal: '429',
  }),
  mailedLinks: fixed({
    what: 'Mails with a link of one purpose',
    of: 'account',
    rate: { perSecond: 1 / 120, burst: 2 },
    refusal: 'none is sent; the response is the same',
  }),
  apiTokens: fixed({
    what: 'New API tokens',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 60 },
    refusal: '429',
  }),
  auditedUses: fixed({
    what: 'Entries of the audit log about the use of an account',
    of: 'account',
    rate: { perSecond: 100 / DAY_S, burst: 100 },
    text: '100 per day and account',
    refusal: 'counted',
  }),
  countedUses: fixed({
    what: 'Counted entries of the audit log',
    of: 'everybody',
    rate: { perSecond: 1_000 / DAY_S, burst: 1_000 },
    text: '1,000 per day',
    refusal: 'one entry per hour has their number',
  }),
  emptyLists: fixed({
    what: 'Filtered lists without a result, where a rule hides records',
    of: 'address',
    rate: { perSecond: 1, burst: 3 },
    text: '1 per second, 3 at once, per address and collection',
    refusal: 'delayed by up to 500 ms',
  }),
  slots: fixed({
    what: 'Slots that a user books or moves, each slot of a repetition',
    of: 'account',
    rate: { perSecond: 0.5, burst: 60 },
    refusal: '429',
  }),
  calendarChanges: fixed({
    what: 'New addresses and changes of a calendar',
    of: 'account',
    rate: { perSecond: 1 / 60, burst: 10 },
    refusal: '429',
  }),
  calendarReads: fixed({
    what: 'Reads of a calendar',
    of: 'calendar',
    rate: { perSecond: 0.1, burst: 10 },
    refusal: '429',
  }),
  webhookChanges: fixed({
    what: 'Changes, rotations and test deliveries of webhooks',
    of: 'account',
    rate: { perSecond: 0.1, burst: 20 },
    refusal: '429',
  }),
  driverConnections: fixed({
    what: 'Connections of one address to the ports of all drivers',
    of: 'address',
    rate: { perSecond: 50, burst: 200 },
    refusal: 'refused before TLS',
  }),
  driverMessages: fixed({
    what: 'Messages of one driver',
    of: 'driver',
    rate: { perSecond: 2_000, burst: 4_000 },
    refusal: 'the server reads more slowly',
  }),
  driverBytes: fixed({
    what: 'Bytes of one driver',
    of: 'driver',
    // The burst is also the largest message that can pass.
    rate: { perSecond: 8 * MIB, burst: 64 * MIB },
    text: '8 MiB per second, 64 MiB at once',
    refusal: 'the server reads more slowly',
  }),
} as const

const JOB_WAITS = {
  reason: 'too_many_waiting_requests',
  remedy: 'ask for many jobs with one POST /api/jobs/changes',
  retryAfterS: 5,
}

/** Every limit on a number of requests, or of what they wait for, at the same time. */
export const COUNTS = {
  waitingRequests: new Count({
    what: 'Requests that wait for a job (`GET /api/jobs/{id}?wait=`)',
    bounds: { account: 250, all: 5_000 },
    things: 'waiting requests',
    ...JOB_WAITS,
  }),
  awaitedJobs: new Count({
    what: 'Jobs that requests wait for',
    bounds: { account: 5_000, all: 50_000 },
    things: 'jobs that requests wait for',
    ...JOB_WAITS,
  }),
  logTails: new Count({
    what: 'Clients that follow the log',
    bounds: { all: 10 },
    text: '10; each for 10 minutes',
    things: 'clients that follow the log',
    reason: 'too_many_tails',
    remedy: 'end one of them',
    retryAfterS: 10,
  }),
} as const
