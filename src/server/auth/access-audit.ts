import { type Clock, HOUR_MS, type Log, Loop, MINUTE_MS, messageOf, toTimestamp } from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import { type AuditEntry, appendAudit } from '../../db/journal/index.ts'
import {
  type AddressUse,
  isKnownAddress,
  rememberAddress,
  touchAddress,
} from '../../db/store/accounts/index.ts'
import { RATES } from '../admission/limits.ts'
import { RateLimiter } from '../admission/rate-limiter.ts'
import { addressLimitKey } from '../http/address.ts'
import { apiTokenOf, type Caller, callerName, holderOf } from '../http/caller.ts'
import { TokenUses } from './token-uses.ts'

/** The program that makes a request. */
export interface Client {
  /** Remote address. */
  readonly address: string
  /** User agent, bounded; '' when the client sends none. */
  readonly agent: string
}

/** How an account was proven: `password`, `oauth2 <provider>`, `old_password` or `email_change`. */
export type LoginMethod = 'password' | 'old_password' | 'email_change' | `oauth2 ${string}`

/** A request and the remote address that it comes from. */
interface Call {
  readonly request: Request
  readonly address: string
}

const MAX_AGENT = 200

/** The client of a request. */
export function clientOf({ request, address }: Call): Client {
  return { address, agent: (request.headers.get('user-agent') ?? '').slice(0, MAX_AGENT) }
}

/** Interval at which counted entries are written. */
const FLUSH_MS = MINUTE_MS
/** Counted entries written at a time; the rest is written as one. */
const MAX_FLUSHED = 10
/** Counted entries in memory; further ones are counted together. */
const MAX_COUNTED = 1_000
/** Addresses in memory that were seen with a credential, so that most requests ask no database. */
const MAX_SEEN = 50_000

/** Last uses of API tokens written at a time; the others follow a minute later. */
const MAX_USES_FLUSHED = 1_000

/** Equal events since the last flush. */
interface Counted {
  entry: Pick<AuditEntry, 'actor' | 'action' | 'subject'> & { via: string }
  client: Client
  count: number
  since: number
}

/**
 * Audits the use of accounts: logins and uses from new addresses immediately, failures counted by the minute.
 * Nothing that a client repeats grows the audit log beyond the limits above.
 */
export class AccessAudit {
  readonly loop: Loop
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #perAccount: RateLimiter
  readonly #budget: RateLimiter
  readonly #seen = new Set<string>()
  readonly #tokenUses = new TokenUses()
  #counted = new Map<string, Counted>()
  /** Events that no counted entry in memory has room for, since `#restSince`. */
  #rest = 0
  #restSince = 0
  #restWrittenAt = Number.NEGATIVE_INFINITY
  #background: Promise<unknown> = Promise.resolve()

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Log }) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#perAccount = new RateLimiter(RATES.auditedUses, clock)
    this.#budget = new RateLimiter(RATES.countedUses, clock)
    this.loop = new Loop({
      name: 'audit of logins',
      summary: 'Write failed logins and other counted uses to the audit log, and the last use of API tokens',
      clock,
      log,
      intervalMs: FLUSH_MS,
      runOnce: () => this.flush(),
    })
  }

  /** Stops the loop and writes what was counted. */
  async stop(): Promise<void> {
    await this.loop.stop()
    await this.flush().catch((error: unknown) =>
      this.#log.error('audit of logins lost', { error: messageOf(error) }),
    )
  }

  /** Records a login before its response, and the address as one from which the account has logged in. */
  async loggedIn(account: string, via: LoginMethod, client: Client): Promise<void> {
    const subject = idOf(account)
    const use: AddressUse = { account, use: 'login', address: addressLimitKey(client.address) }
    this.#remember(use)
    const entry = { actor: account, action: 'login', subject, via }
    const isRecorded = this.#perAccount.allows(account)
    if (!isRecorded) this.#count(entry, client)
    const { via: _, ...named } = entry
    const write = this.#db.write('audit login', (tx) => {
      rememberAddress(tx, use)
      if (isRecorded) appendAudit(tx, { ...named, detail: { via }, personal: { ...client } })
    })
    // A full disk must not lock out the administrator who frees it.
    await write.catch((error: unknown) =>
      this.#log.error('login not audited', { account, address: client.address, error: messageOf(error) }),
    )
  }

  /** Counts a failed login; `account` is '' for one that does not exist. */
  failed(account: string, via: LoginMethod, client: Client): void {
    this.#count({ actor: 'guest', action: 'login.failed', subject: idOf(account), via }, client)
  }

  /** Whether the account has logged in from the address before. */
  hasLoggedIn(account: string, client: Client): Promise<boolean> {
    return isKnownAddress(this.#db, { account, use: 'login', address: addressLimitKey(client.address) })
  }

  /** Notes the use of a credential; new addresses and last uses of tokens are recorded in the background. */
  used(caller: Caller, call: Call): void {
    // The start of a session is recorded, and its secret ends with it.
    if (caller.kind === 'guest' || holderOf(caller)) return
    const account = callerName(caller)
    const token = apiTokenOf(caller)?.id
    const use: AddressUse = { account, use: token ?? 'session', address: addressLimitKey(call.address) }
    if (token !== undefined) this.#tokenUses.note(use, this.#clock.now())
    if (!this.#remember(use)) return
    const work = this.#recordUse(use, clientOf(call)).catch((error: unknown) => {
      this.#seen.delete(keyOf(use))
      this.#log.error('new address not recorded', { account, error: messageOf(error) })
    })
    this.#background = Promise.all([this.#background, work])
  }

  async #recordUse(use: AddressUse, client: Client): Promise<void> {
    const isSession = use.use === 'session'
    if (await isKnownAddress(this.#db, use)) return
    // The login itself is recorded.
    if (isSession && (await isKnownAddress(this.#db, { ...use, use: 'login' }))) return
    const action = isSession ? 'session.new_address' : 'token.new_address'
    const subject = isSession ? idOf(use.account) : use.use
    const isRecorded = this.#perAccount.allows(use.account)
    if (!isRecorded) this.#count({ actor: use.account, action, subject, via: '' }, client)
    await this.#db.write('audit new address', (tx) => {
      const isNew = rememberAddress(tx, use)
      if (isNew && isRecorded)
        appendAudit(tx, { actor: use.account, action, subject, personal: { ...client } })
    })
  }

  /** Whether the use was not in memory before. */
  #remember(use: AddressUse): boolean {
    const key = keyOf(use)
    const isNew = !this.#seen.delete(key)
    this.#seen.add(key)
    const oldest = this.#seen.size > MAX_SEEN ? this.#seen.values().next().value : undefined
    if (oldest !== undefined) this.#seen.delete(oldest)
    return isNew
  }

  #count(entry: Counted['entry'], client: Client): void {
    const key = JSON.stringify([entry, client.address])
    const counted = this.#counted.get(key)
    if (counted) counted.count += 1
    else if (this.#counted.size < MAX_COUNTED) {
      this.#counted.set(key, { entry, client, count: 1, since: this.#clock.now() })
    } else this.#addToRest(1, this.#clock.now())
  }

  #addToRest(count: number, since: number): void {
    if (this.#rest === 0) this.#restSince = since
    this.#rest += count
  }

  /** Writes what was counted; waits for entries in the background. */
  async flush(): Promise<void> {
    await this.#background
    const all = [...this.#counted.values()].toSorted((one, other) => other.count - one.count)
    this.#counted = new Map()
    const written = all.slice(0, MAX_FLUSHED).filter(() => this.#budget.allows(''))
    for (const { count, since } of all.slice(written.length)) this.#addToRest(count, since)
    const isRestDue = this.#rest > 0 && this.#clock.monotonic() - this.#restWrittenAt >= HOUR_MS
    const uses = this.#tokenUses.take(MAX_USES_FLUSHED)
    if (written.length === 0 && !isRestDue && uses.length === 0) return
    const rest = { events: this.#rest, since: toTimestamp(this.#restSince) }
    if (isRestDue) {
      this.#rest = 0
      this.#restWrittenAt = this.#clock.monotonic()
    }
    await this.#db.write('audit counted', (tx) => {
      for (const { now, ...use } of uses) touchAddress(tx, use, toTimestamp(now))
      for (const { entry, client, count, since } of written) {
        const { via, ...named } = entry
        const detail = { ...(via === '' ? {} : { via }), count, since: toTimestamp(since) }
        appendAudit(tx, { ...named, detail, personal: { ...client } })
      }
      if (isRestDue) appendAudit(tx, { actor: 'guest', action: 'login.others', subject: '', detail: rest })
    })
  }
}

function keyOf({ account, use, address }: AddressUse): string {
  return `${account} ${use} ${address}`
}

/** The id in `user:<id>`; '' for ''. */
function idOf(account: string): string {
  return account.slice(account.indexOf(':') + 1)
}
