import { AppError, badField } from '../../base/index.ts'
import { type AccountKind, changeEmail, resetPassword, verifyEmail } from '../../db/store/accounts/index.ts'
import type { ServerContext } from '../context.ts'
import type { Client } from './access-audit.ts'
import type { Accounts, ProvenLink } from './accounts.ts'
import type { LinkPurpose } from './jwt.ts'
import type { Logins } from './logins.ts'
import { checkPassword, type Passwords } from './password.ts'

interface ConfirmationsDependencies {
  context: ServerContext
  accounts: Accounts
  passwords: Passwords
  logins: Logins
}

interface Given {
  token: string
  /** Restricts the link to one kind of account. */
  kind?: AccountKind
}

/** The actions of mailed links. Each throws AppError `invalid` for an invalid token. */
export class Confirmations {
  readonly #dependencies: ConfirmationsDependencies

  constructor(dependencies: ConfirmationsDependencies) {
    this.#dependencies = dependencies
  }

  /** Sets a new password, which ends all logins of the account. */
  async passwordReset(given: Given & { password: string; passwordConfirm: string }): Promise<void> {
    const { context, passwords } = this.#dependencies
    checkPassword(given.password)
    assertPasswordsMatch(given)
    const { kind, account, email } = await this.#proven('passwordReset', given)
    if (kind === 'users') assertPasswordsAllowed(context)
    const { id, tokenKey } = account
    const passwordHash = await passwords.hash(given.password)
    assertLinkUsed(await resetPassword(context.db, { kind, id, tokenKey }, { passwordHash, email }))
    context.log.info('password reset by link', { collection: kind, id })
  }

  /** Marks the address as verified. */
  async verification(given: Given): Promise<void> {
    const { kind, account, email } = await this.#proven('verification', given)
    const { id, tokenKey } = account
    assertLinkUsed(await verifyEmail(this.#dependencies.context.db, { kind, id, tokenKey }, email))
  }

  /** Sets the new address, which ends all logins of the account. */
  async emailChange(given: Given & { password: string }, client: Client): Promise<void> {
    const { context, logins } = this.#dependencies
    const { kind, account, newEmail } = await this.#proven('emailChange', given)
    const { password } = given
    if (!(await logins.verifyPassword(kind, { account, password, via: 'email_change' }, client))) {
      throw refusal('password', 'validation_invalid_password', 'Missing or invalid auth record password.')
    }
    const { id, tokenKey } = account
    assertLinkUsed(await changeEmail(context.db, { kind, id, tokenKey }, newEmail))
    context.log.info('e-mail address changed by link', { collection: kind, id })
  }

  async #proven(purpose: LinkPurpose, { token, kind }: Given): Promise<ProvenLink> {
    const proven = await this.#dependencies.accounts.checkLink(purpose, token)
    if (!proven) throw invalidLink()
    if (kind === undefined || kind === proven.kind) return proven
    const message = 'The link is for an account of another collection.'
    throw refusal('token', 'validation_token_collection_mismatch', message)
  }
}

/** @throws AppError `forbidden` when password login is disabled for users. */
export function assertPasswordsAllowed({ config }: ServerContext): void {
  if (!config.disableEmailPasswordAuth) return
  throw new AppError('forbidden', 'Password login is disabled; use one of the OAuth2 providers')
}

/** @throws AppError `invalid` when the repeated password differs. */
function assertPasswordsMatch({
  password,
  passwordConfirm,
}: {
  password: string
  passwordConfirm: string
}): void {
  if (password === passwordConfirm) return
  throw refusal('passwordConfirm', 'validation_values_mismatch', "Values don't match.")
}

function assertLinkUsed(isUsed: boolean): void {
  if (!isUsed) throw invalidLink()
}

const refusal = (field: string, code: string, message: string) => badField(message, field, message, { code })

const invalidLink = () =>
  refusal('token', 'validation_invalid_token', 'The link is invalid, expired or used; request a new one.')
