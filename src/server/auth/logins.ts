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
   * Verifies a password login; `address` is the remote address. Every refusal has the same text and takes the
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

  /** Whether a password belongs to the account; a wrong one counts as a failed login. */
  async verifyPassword(
    kind: AccountKind,
    account: Account,
    password: string,
    address: string,
  ): Promise<boolean> {
    const isCorrect = await this.#throttle.run(keyOf(kind, account.email, address), async () =>
      (await this.#dependencies.passwords.verify(password, account.password)) ? true : undefined,
    )
    return isCorrect === true
  }

  /**
   * Runs a login without a password; its failures throttle the address.
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
        // Only failures that the caller has caused count.
        return error instanceof AppError && error.code === 'invalid' ? undefined : true
      }
    })
    if (!outcome || 'error' in outcome) throw outcome?.error
    return outcome.value
  }

  /** The response to a login: a token and the account as presented to its owner. */
  async response(kind: AccountKind, account: Account, options: IssueOptions = {}) {
    const token = await this.#dependencies.accounts.issue(kind, account, options)
    return { token, record: this.present(kind, account) }
  }

  /** The account as presented to its owner. */
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
 * The account of a caller with a login of this collection: an API token cannot be exchanged for a login.
 * @throws AppError `forbidden` for all other callers.
 */
export function expectLogin(caller: Caller, kind: AccountKind): Account {
  if (kind === 'users' && caller.kind === 'user' && caller.via === 'login') return caller.user
  if (kind === 'superusers' && caller.kind === 'superuser') return caller.superuser
  throw new AppError('forbidden', 'The authorized record is not allowed to perform this action')
}
