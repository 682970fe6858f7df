import { AppError } from '../../base/index.ts'
import {
  type Account,
  type AccountKind,
  findSuperuserByEmail,
  findUserByIdentity,
  type IdentityField,
  superusers,
  users,
} from '../../db/store/accounts/index.ts'
import type { ServerContext } from '../context.ts'
import { addressLimitKey } from '../http/address.ts'
import { type Caller, impersonationOf } from '../http/caller.ts'
import { LoginThrottle } from '../http/limits/login-throttle.ts'
import { presentRecord } from '../http/response/present-record.ts'
import type { AccessAudit, Client, LoginMethod } from './access-audit.ts'
import type { Accounts, IssueOptions } from './accounts.ts'
import type { Passwords } from './password.ts'

interface LoginsDependencies {
  context: ServerContext
  accounts: Accounts
  passwords: Passwords
  audit: AccessAudit
}

/** Credentials of a password login. */
export interface Credentials {
  /** E-mail address, for users also the user name. */
  identity: string
  password: string
  /** The field to search for `identity`; all when absent or empty. */
  identityField?: IdentityField | '' | undefined
}

/** All ways to log in, with a common throttle: failures of one way count for all. */
export class Logins {
  readonly #dependencies: LoginsDependencies
  readonly #throttle: LoginThrottle

  constructor(dependencies: LoginsDependencies) {
    this.#dependencies = dependencies
    const { live, clock } = dependencies.context
    this.#throttle = new LoginThrottle(() => live.current.loginRate, clock)
  }

  /**
   * Verifies a password login. Every refusal has the same text and takes the same time.
   * @throws AppError `invalid` for wrong credentials, `limited` after too many.
   */
  async byPassword(
    kind: AccountKind,
    { identity, password, identityField }: Credentials,
    client: Client,
  ): Promise<Account> {
    const found = await this.#find(kind, identity, identityField || undefined)
    const account = await this.#proven(
      { kind, named: identity, account: found, via: 'password', client },
      async () => {
        const matches = await this.#dependencies.passwords.verify(password, found?.password)
        const isDisabled = found !== undefined && 'disabled' in found && found.disabled
        return matches && !isDisabled ? found : undefined
      },
    )
    if (!account) throw new AppError('invalid', 'Failed to authenticate')
    await this.#dependencies.audit.loggedIn(nameOf(kind, account), 'password', client)
    return account
  }

  /** Whether a password belongs to the account; a wrong one counts as a failed login. */
  async verifyPassword(
    kind: AccountKind,
    { account, password, via }: { account: Account; password: string; via: LoginMethod },
    client: Client,
  ): Promise<boolean> {
    const isCorrect = await this.#proven({ kind, named: account.email, account, via, client }, async () =>
      (await this.#dependencies.passwords.verify(password, account.password)) ? true : undefined,
    )
    return isCorrect === true
  }

  /**
   * Runs a login of a user without a password; its failures throttle the address.
   * @throws what `attempt` throws; AppError `limited` after too many failures.
   */
  async attempt<T extends { user: Account }>(
    via: LoginMethod,
    client: Client,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const address = addressLimitKey(client.address)
    let outcome: { value: T } | { error: unknown } | undefined
    await this.#throttle.run(
      { account: '', address: `${via} ${address}`, isKnown: async () => false },
      async () => {
        try {
          outcome = { value: await attempt() }
          return true
        } catch (error) {
          outcome = { error }
          // Only failures that the caller has caused count.
          if (!(error instanceof AppError) || error.code !== 'invalid') return true
          this.#dependencies.audit.failed('', via, client)
          return undefined
        }
      },
    )
    if (!outcome || 'error' in outcome) throw outcome?.error
    await this.#dependencies.audit.loggedIn(nameOf('users', outcome.value.user), via, client)
    return outcome.value
  }

  /** Runs a throttled check of a password; a failure is recorded. */
  async #proven<T>(
    { kind, named, account, via, client }: Claim,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { audit } = this.#dependencies
    const name = account ? nameOf(kind, account) : ''
    const result = await this.#throttle.run(
      {
        // The text decides, so that the limits of accounts that do not exist are the same.
        account: `${kind} ${named.trim().toLowerCase()}`,
        address: addressLimitKey(client.address),
        isKnown: async () => name !== '' && audit.hasLoggedIn(name, client),
      },
      check,
    )
    if (result === undefined) audit.failed(name, via, client)
    return result
  }

  /** The response to a login: a token and the account as presented to its owner. */
  async response(kind: AccountKind, account: Account, options: IssueOptions = {}) {
    const token = await this.#dependencies.accounts.issue(kind, account, options)
    return { token, record: this.present(account) }
  }

  /** The account as presented to its owner. */
  present(account: Account): Record<string, unknown> {
    const { names } = this.#dependencies.context.db
    return 'qpu_seconds' in account
      ? presentRecord(users, account, names, { isSuperuser: false, self: account.id })
      : presentRecord(superusers, account, names, { isSuperuser: true })
  }

  #find(kind: AccountKind, identity: string, field: IdentityField | undefined): Promise<Account | undefined> {
    const { db } = this.#dependencies.context
    return kind === 'users' ? findUserByIdentity(db, identity, field) : findSuperuserByEmail(db, identity)
  }
}

/** The account that a person claims to own. */
interface Claim {
  kind: AccountKind
  /** The account as it was named. */
  named: string
  /** Undefined when it does not exist. */
  account: Account | undefined
  via: LoginMethod
  client: Client
}

function nameOf(kind: AccountKind, { id }: Account): string {
  return `${kind === 'users' ? 'user' : 'superuser'}:${id}`
}

/**
 * The account of a caller with a login of this collection: an API token cannot be exchanged for a login.
 * @throws AppError `forbidden` for all other callers.
 */
export function expectLogin(caller: Caller, kind: AccountKind): Account {
  if (kind === 'users' && caller.kind === 'user' && caller.via === 'login') return caller.user
  if (kind === 'superusers' && caller.kind === 'superuser') return caller.superuser
  throw new AppError('forbidden', 'The authorized record is not allowed to perform this action')
}

/**
 * A login that was issued by impersonation must not gain a longer one by changing credentials of superusers.
 * @throws AppError `forbidden` (`impersonated`).
 */
export function assertMayChangeSuperusers(caller: Caller): void {
  if (!impersonationOf(caller)) return
  const message = 'This login was issued by impersonation and cannot change credentials of superusers'
  throw new AppError('forbidden', `${message}; log in with the password`, { reason: 'impersonated' })
}
