import { AppError } from '../../base/index.ts'
import {
  type Account,
  type AccountKind,
  findSuperuserByEmail,
  findUserByIdentity,
  type IdentityField,
  superusers,
  users,
} from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { LoginThrottle } from '../http/limits/rate-limit.ts'
import { presentRecord } from '../http/response/present-record.ts'
import type { Accounts, IssueOptions } from './accounts.ts'
import type { Passwords } from './password.ts'

interface LoginsDependencies {
  context: ServerContext
  accounts: Accounts
  passwords: Passwords
}

/** What somebody says to log in with a password. */
export interface Credentials {
  /** E-mail address, for users also the user name. */
  identity: string
  password: string
  /** The only field that `identity` may be found in; any when absent or empty. */
  identityField?: IdentityField | '' | undefined
}

/** The ways into an account, throttled together: whoever fails at one has to wait at all. */
export class Logins {
  readonly #dependencies: LoginsDependencies
  readonly #throttle: LoginThrottle

  constructor(parts: LoginsDependencies) {
    this.#dependencies = parts
    const { live, clock } = parts.context
    this.#throttle = new LoginThrottle(() => live.current.loginRate, clock)
  }

  /**
   * The account of a password login; `address` is the caller's. Every refusal has the same text and takes the
   * same time.
   * @throws AppError `invalid` for wrong credentials, `limited` after too many.
   */
  async byPassword(
    kind: AccountKind,
    { identity, password, identityField }: Credentials,
    address: string,
  ): Promise<Account> {
    const account = await this.#throttle.run(keyOf(kind, identity, address), async () => {
      const found = await this.#find(kind, identity, identityField || undefined)
      const matches = await this.#dependencies.passwords.verify(password, found?.password)
      const isDisabled = found !== undefined && 'disabled' in found && found.disabled
      return matches && !isDisabled ? found : undefined
    })
    if (!account) throw new AppError('invalid', 'Failed to authenticate')
    return account
  }

  /** Whether a password is the account's own; wrong ones count as failed logins. */
  async verifyPassword(
    kind: AccountKind,
    account: Account,
    password: string,
    address: string,
  ): Promise<boolean> {
    const right = await this.#throttle.run(keyOf(kind, account.email, address), async () =>
      (await this.#dependencies.passwords.verify(password, account.password)) ? true : undefined,
    )
    return right === true
  }

  /**
   * Runs a login that is not by password; its failures make the address wait.
   * @throws what `attempt` throws; AppError `limited` after too many failures.
   */
  async attempt<T>(what: string, address: string, attempt: () => Promise<T>): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined
    await this.#throttle.run(`${what} ${address}`, async () => {
      try {
        outcome = { value: await attempt() }
        return true
      } catch (error) {
        outcome = { error }
        // Only what the caller could have done better counts.
        return error instanceof AppError && error.code === 'invalid' ? undefined : true
      }
    })
    if (!outcome || 'error' in outcome) throw outcome?.error
    return outcome.value
  }

  /** The answer to a login: a token and the account as its owner sees it. */
  async response(kind: AccountKind, account: Account, options: IssueOptions = {}) {
    const token = await this.#dependencies.accounts.issue(kind, account, options)
    return { token, record: this.present(kind, account) }
  }

  /** The account as its owner sees it. */
  present(kind: AccountKind, account: Account): Record<string, unknown> {
    const { names } = this.#dependencies.context.db
    return kind === 'users' && 'qpu_seconds' in account
      ? presentRecord(users, account, names, { isSuperuser: false, isSelf: true })
      : presentRecord(superusers, account, names, { isSuperuser: true })
  }

  #find(kind: AccountKind, identity: string, field: IdentityField | undefined): Promise<Account | undefined> {
    const { db } = this.#dependencies.context
    return kind === 'users' ? findUserByIdentity(db, identity, field) : findSuperuserByEmail(db, identity)
  }
}

function keyOf(kind: AccountKind, identity: string, address: string): string {
  return `${kind} ${identity.trim().toLowerCase()} ${address}`
}

/**
 * The account of a caller who logged in to this collection: an API token must not turn into a login.
 * @throws AppError `forbidden` for everybody else.
 */
export function expectLogin(caller: Caller, kind: AccountKind): Account {
  if (kind === 'users' && caller.kind === 'user' && caller.via === 'login') return caller.user
  if (kind === 'superusers' && caller.kind === 'superuser') return caller.superuser
  throw new AppError('forbidden', 'The authorized record is not allowed to perform this action')
}
