import { AppError } from '../../base/index.ts'
import { type AccountKind, changeEmail, resetPassword, verifyEmail } from '../../db/index.ts'
import type { ServerContext } from '../context.ts'
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
  /** The only kind of account that the link may be for; any when absent. */
  kind?: AccountKind
}

/** What becomes of a link once somebody uses it. Each throws AppError `invalid` for tokens that do not count. */
export class Confirmations {
  readonly #dependencies: ConfirmationsDependencies

  constructor(parts: ConfirmationsDependencies) {
    this.#dependencies = parts
  }

  /** Gives the account a new password, which ends its logins. */
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

  /** Gives the account the new address, which ends its logins; `address` is the caller's. */
  async emailChange(given: Given & { password: string }, address: string): Promise<void> {
    const { context, logins } = this.#dependencies
    const { kind, account, newEmail } = await this.#proven('emailChange', given)
    if (!(await logins.verifyPassword(kind, account, given.password, address))) {
      throw refusal('password', 'validation_invalid_password', 'Missing or invalid auth record password.')
    }
    const { id, tokenKey } = account
    assertLinkUsed(await changeEmail(context.db, { kind, id, tokenKey }, newEmail))
    context.log.info('e-mail address changed by link', { collection: kind, id })
  }

  async #proven(purpose: LinkPurpose, { token, kind }: Given): Promise<ProvenLink> {
    const proven = await this.#dependencies.accounts.checkLink(purpose, token)
    if (!proven) throw INVALID_LINK()
    if (kind === undefined || kind === proven.kind) return proven
    const message = 'The link is for an account of another collection.'
    throw refusal('token', 'validation_token_collection_mismatch', message)
  }
}

/** @throws AppError `forbidden` where users cannot log in with a password. */
export function assertPasswordsAllowed({ config }: ServerContext): void {
  if (!config.disableEmailPasswordAuth) return
  throw new AppError('forbidden', 'Password login is switched off; use one of the OAuth2 providers')
}

/** @throws AppError `invalid` when a repeated password is another one. */
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

function assertLinkUsed(done: boolean): void {
  if (!done) throw INVALID_LINK()
}

const INVALID_LINK = () =>
  refusal('token', 'validation_invalid_token', 'The link is invalid, expired or used; ask for a new one.')

function refusal(field: string, code: string, message: string): AppError {
  return new AppError('invalid', message, { fields: { [field]: { code, message } } })
}
