import * as v from 'valibot'
import { AppError, type FieldError, newSecret } from '../../../base/index.ts'
import {
  type Account,
  type AccountKind,
  countIssued,
  endAccess,
  findAccount,
} from '../../../db/store/accounts/index.ts'
import { checkPassword } from '../../auth/password.ts'
import { callerName } from '../../http/caller.ts'
import { issuedAccess } from '../../http/response/account-responses.ts'
import { described } from '../../http/schema.ts'
import type { Completion, Draft, Step, Values } from '../behavior.ts'

const MISMATCH: FieldError = { code: 'validation_values_mismatch', message: "Values don't match." }
const BLANK: FieldError = { code: 'validation_required', message: 'Cannot be blank.' }
const BAD_OLD: FieldError = {
  code: 'validation_invalid_old_password',
  message: 'Missing or invalid old password.',
}

/**
 * Prepares the password and key of an account: checks and hashes a new password, creates the key of a new
 * account, and lets superusers renew a key with `tokenKey:autogenerate`. Ends what the account has given out:
 * logins after a new password, everything with `removeApiTokens`, a renewed key or a disabled account.
 * @throws AppError `invalid` that names `password`, `passwordConfirm`, `oldPassword` or `removeApiTokens`.
 */
export async function prepareCredentials(kind: AccountKind, draft: Draft): Promise<Completion> {
  const { body, before, isSuperuser, service, caller } = draft
  const endsAll = readRemoveTokens(draft)
  const password = body['password'] ?? ''
  const hash = password === '' ? undefined : await newHash(draft, password)
  const isRenewed = isSuperuser && Object.hasOwn(body, 'tokenKey:autogenerate')
  // The old password was checked against this hash, which may change before the transaction.
  const known = before?.['password']
  return (values, stored, tx) => {
    if (!stored || isRenewed) values['tokenKey'] = newSecret()
    if (hash !== undefined) {
      if (!isSuperuser && stored && stored['password'] !== known) refuse(stored, { oldPassword: BAD_OLD })
      values['password'] = hash
    }
    const which = endedAccess(values, stored)
    if (stored && which) endAccess(tx, { kind, id: stored.id }, which, { actor: callerName(caller) })
  }

  function endedAccess(values: Values, stored: Values | undefined) {
    if (endsAll || isRenewed) return 'all'
    if (values['disabled'] === true && stored?.['disabled'] !== true) return 'disabled'
    return hash === undefined ? undefined : 'logins'
  }

  async function newHash(draft: Draft, sent: unknown): Promise<string> {
    if (typeof sent !== 'string') throw refusal(before, { password: notText() })
    const confirm = body['passwordConfirm'] ?? sent
    if (confirm !== sent) throw refusal(before, { passwordConfirm: MISMATCH })
    checkPassword(sent)
    if (before && !isSuperuser) await assertOldPassword(kind, draft)
    return service.passwords.hash(sent)
  }
}

/** @throws AppError `invalid` unless the body has a password. */
export function assertHasPassword({ body, before }: Draft): void {
  const password = body['password']
  if (password === undefined || password === null || password === '') {
    throw refusal(before, { password: BLANK })
  }
}

/** What is still valid after a new password, for the response; see `issuedShape`. */
export function remainingAccess(kind: AccountKind) {
  return ({ tx }: Step, before: Account, { id, password }: Account): Values =>
    before.password === password ? {} : { issued_access: countIssued(tx, { kind, id }) }
}

/** Schema of what `remainingAccess` adds. */
export const issuedShape = {
  issued_access: described(v.optional(issuedAccess), 'After a change of password: what is still valid'),
}

/**
 * Whether a change of password also ends everything else that the account has given out: `removeApiTokens:
 * true`. It stays by default, because clients of the record-store pattern do not know it; the response lists
 * what is still valid.
 */
function readRemoveTokens({ body, before }: Draft): boolean {
  const { removeApiTokens: sent = false, password = '' } = body
  if (sent === false || sent === 'false' || !before) return false
  const isPasswordChange = password !== '' && password !== null
  if ((sent === true || sent === 'true') && isPasswordChange) return true
  const message = 'Must be true or false, together with a new password.'
  throw refusal(before, { removeApiTokens: { code: 'validation_invalid_value', message } })
}

/** A wrong old password counts as a failed login. */
async function assertOldPassword(kind: AccountKind, { before, body, service, client }: Draft): Promise<void> {
  const { oldPassword } = body
  const account = before && (await findAccount(service.context.db, kind, before.id))
  if (!account || typeof oldPassword !== 'string' || oldPassword === '') {
    throw refusal(before, { oldPassword: BAD_OLD })
  }
  const claim = { account, password: oldPassword, via: 'old_password' } as const
  const isKnown = await service.logins.verifyPassword(kind, claim, client)
  if (!isKnown) throw refusal(before, { oldPassword: BAD_OLD })
}

function notText(): FieldError {
  return { code: 'validation_invalid_format', message: 'Invalid value format.' }
}

function refusal(before: Values | undefined, fields: Record<string, FieldError>): AppError {
  return new AppError('invalid', before ? 'Failed to update record' : 'Failed to create record', { fields })
}

function refuse(before: Values | undefined, fields: Record<string, FieldError>): never {
  throw refusal(before, fields)
}
