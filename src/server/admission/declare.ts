import {
  AppError,
  type Bounds,
  describeBytes,
  flagOf,
  KIB,
  kinds,
  MINUTE_S,
  type QueueLimits,
} from '../../base/index.ts'
import { SETTINGS } from '../config/settings.ts'

/** A row of the table. No other object has this type: a limit outside of the table cannot be enforced. */
class Declared {
  readonly #row: readonly string[]

  constructor(...row: readonly string[]) {
    this.#row = row
  }

  /** The row of the documentation: what, limit (of a body by kind of caller), refusal. */
  get row(): readonly string[] {
    return this.#row
  }
}

/** What is counted, for whom, and what happens beyond the limit. */
interface RateDeclaration {
  /** In the words of `docs/reference/limits.md`, whose row is made from this declaration. */
  readonly what: string
  /** Whose events are counted together. */
  readonly of: 'account' | 'address' | 'driver' | 'everybody' | 'secret address'
  readonly refusal: string
}

/** A rate that can be enforced. */
class Rate extends Declared {
  /** Tokens per second and at once, at present. */
  readonly current: () => kinds.RateLimit

  constructor({ what, refusal }: RateDeclaration, text: string, current: () => kinds.RateLimit) {
    super(what, text, refusal)
    this.current = current
  }
}

/** A rate that settings state, and thus can only be enforced with a function that reads them. */
class VariableRate extends Declared {
  readonly #declaration: RateDeclaration
  readonly #text: string

  constructor(declaration: RateDeclaration, text: string) {
    super(declaration.what, text, declaration.refusal)
    this.#declaration = declaration
    this.#text = text
  }

  /** The rate that `current` returns, which can change while the server runs. */
  from(current: () => kinds.RateLimit): Rate {
    return new Rate(this.#declaration, this.#text, current)
  }
}

/** What is beyond a bound. */
interface Excess {
  readonly bound: keyof Bounds
  /** The value of the bound. */
  readonly most: number
  /** How much there would be. */
  readonly amount: number
  readonly isGuest: boolean
}

interface CountDeclaration<B extends Bounds> {
  readonly what: string
  readonly bounds: B
  /** What the bound of one account is for, if for something else. */
  readonly per?: 'account' | 'connection' | 'stream' | 'webhook'
  /** What `describeBounds` says where a setting or a circumstance says more. */
  readonly text?: string
  readonly unit?: 'bytes'
  /** In the words of the documentation. */
  readonly refusal: string
  /** The error, where what is beyond a bound is refused. */
  readonly refuse?: (excess: Excess) => AppError
}

/** A number of things, or of bytes, at the same time that can be enforced. */
class Count<B extends Bounds = Bounds> extends Declared implements QueueLimits {
  readonly bounds: B
  readonly #declaration: CountDeclaration<B>

  constructor(declaration: CountDeclaration<B>) {
    super(declaration.what, declaration.text ?? describeBounds(declaration), declaration.refusal)
    this.bounds = declaration.bounds
    this.#declaration = declaration
  }

  /** The same limit with the bounds that the settings state at present. */
  at(bounds: Bounds): Count {
    return new Count({ ...this.#declaration, bounds })
  }

  isWithin(bound: keyof B & keyof Bounds, amount: number): boolean {
    return amount <= (this.bounds[bound] ?? Number.POSITIVE_INFINITY)
  }

  /** @throws AppError that names the limit and the remedy when `amount` is beyond a bound. */
  assertWithin(bound: keyof B & keyof Bounds, amount: number, isGuest = false): void {
    if (!this.isWithin(bound, amount)) throw this.refuse(bound, amount, isGuest)
  }

  /** The error for more than one of the bounds. */
  refuse(bound: keyof Bounds, amount = Number.NaN, isGuest = false): AppError {
    const { refuse, what } = this.#declaration
    const most = this.bounds[bound] ?? Number.POSITIVE_INFINITY
    return refuse?.({ bound, most, amount, isGuest }) ?? new AppError('limited', `${what}: at most ${most}`)
  }
}

type CallerKind = 'guest' | 'user' | 'superuser'

/** The largest body of a kind, in bytes by kind of caller. */
class BodySize extends Declared {
  readonly #bytes: Readonly<Record<CallerKind, number>>

  constructor(
    what: string,
    { guest = GUEST_BODY_BYTES, ...bytes }: { guest?: number; user: number; superuser: number },
    guestText = describeBytes(guest),
  ) {
    super(what, guestText, describeBytes(bytes.user), describeBytes(bytes.superuser), '413 `too_large`')
    this.#bytes = { guest, ...bytes }
  }

  of({ kind }: { readonly kind: CallerKind }): number {
    return this.#bytes[kind]
  }
}

export type { BodySize, Count, Excess, Rate }

/** Guests send logins, sign-ups and subscriptions only. */
const GUEST_BODY_BYTES = 256 * KIB

/** The largest body of one kind. */
export const bodySize = (...args: ConstructorParameters<typeof BodySize>) => new BodySize(...args)

/** A number of things at the same time. */
export function count<const B extends Bounds>(declaration: CountDeclaration<B>): Count<B> {
  return new Count(declaration)
}

interface AtOnce {
  /** What is counted, in the words of the refusal. */
  readonly things: string
  readonly reason: string
  readonly remedy: string
  readonly retryAfterS: number
}

/** Refuses what is beyond a bound with 429. */
export function refusedAtOnce({ things, reason, remedy, retryAfterS: retryAfter }: AtOnce) {
  return {
    refusal: `429 \`${reason}\``,
    refuse: ({ bound, most }: Excess) => {
      const text = `${most} ${things}${bound === 'account' ? ' of an account' : ''}`
      const message = `At most ${text} at the same time; ${remedy}, or try again in ${retryAfter} s`
      return new AppError('limited', message, { reason, retryAfter })
    },
  }
}

/** Refuses what is beyond a bound with 503, because others use what there is. */
export function refusedAsBusy(reason: string, message: string, retryAfter = 5) {
  return {
    refusal: `503 \`${reason}\``,
    refuse: () =>
      new AppError('unavailable', `${message}; send this one again in ${retryAfter} s`, {
        reason,
        retryAfter,
      }),
  }
}

/** `text` says the limit where the rate itself reads badly. */
export function fixed({
  rate,
  text,
  ...declaration
}: RateDeclaration & { rate: kinds.RateLimit; text?: string }) {
  return new Rate(declaration, text ?? `${describeRate(rate)}, per ${declaration.of}`, () => rate)
}

type RateSetting = 'anonymousRate' | 'userRate' | 'signupRate' | 'submitRate'

/** The rate of a setting. */
export function ofSetting({ setting, ...declaration }: RateDeclaration & { setting: RateSetting }) {
  const rate = kinds.rate().parse(SETTINGS[setting].defaultText ?? '')
  return new VariableRate(declaration, `\`${flagOf(setting)}\`, ${describeRate(rate)}, per ${declaration.of}`)
}

/** A rate that follows from settings in a way that `text` describes. */
export function computed({ text, ...declaration }: RateDeclaration & { text: string }) {
  return new VariableRate(declaration, text)
}

/** `2,000 per second, 4,000 at once`, or `60 at once, then one per 2 s`. */
function describeRate({ perSecond, burst }: kinds.RateLimit): string {
  const atOnce = burst.toLocaleString('en')
  if (perSecond >= 1) return `${perSecond.toLocaleString('en')} per second, ${atOnce} at once`
  return `${atOnce} at once, then one per ${describePause(Math.round(1 / perSecond))}`
}

/** `250 per account, 5,000 in all`. */
function describeBounds({
  bounds: { account, all },
  per = 'account',
  unit,
}: CountDeclaration<Bounds>): string {
  const describe = (most: number) => (unit === 'bytes' ? describeBytes(most) : most.toLocaleString('en'))
  const one = account === undefined ? [] : [`${describe(account)} per ${per}`]
  const every = all === undefined ? [] : [account === undefined ? describe(all) : `${describe(all)} in all`]
  return [...one, ...every].join(', ')
}

function describePause(seconds: number): string {
  if (seconds % MINUTE_S !== 0) return `${seconds} s`
  return seconds === MINUTE_S ? 'minute' : `${seconds / MINUTE_S} minutes`
}
