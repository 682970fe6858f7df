import * as v from 'valibot'
import { AppError, type FieldError, notFound } from '../../../base/index.ts'
import {
  changeAccount,
  MAX_QPU_SECONDS,
  storedBytesOf,
  type User,
  users,
} from '../../../db/store/accounts/index.ts'
import { addressLimitKey } from '../../http/address.ts'
import { callerName } from '../../http/caller.ts'
import { described } from '../../http/schema.ts'
import { type Draft, defineBehavior, type Step, type Values } from '../behavior.ts'
import { assertHasPassword, issuedShape, prepareCredentials, remainingAccess } from './credentials.ts'

const MISMATCH: FieldError = { code: 'validation_values_mismatch', message: "Values don't match." }

/**
 * Users: balances change through the ledger only; addresses are changed by superusers or by a mailed link.
 */
export const usersBehavior = defineBehavior(users, {
  superuserOnly: ['qpu_seconds', 'api_tokens', 'disabled', 'max_bytes'],
  computedShape: {
    stored_bytes: described(v.number(), 'Bytes of the stored jobs of the user'),
    ...issuedShape,
  },
  computed: (tx, all) => tx.read(all.map(({ id }) => ({ stored_bytes: storedBytesOf(id) }))),
  fixed: { create: ['api_tokens'] },
  async prepare(draft) {
    refuseBadBalance(draft)
    if (!draft.before) assertHasPassword(draft)
    if (!draft.before && !draft.isSuperuser) draft.service.signUps.take(addressLimitKey(draft.client.address))
    return prepareCredentials('users', draft)
  },
  creating({ isSuperuser }, values) {
    if ((values['email'] ?? '') === '') throw failed('create', { email: BLANK })
    if (!isSuperuser && values['verified'] === true) throw failed('create', { verified: MISMATCH })
    // Accounts created by superusers count as verified; all others have to verify their address.
    values['verified'] ??= isSuperuser
  },
  updating(step, before, patch) {
    if (!step.isSuperuser) assertAddressUnchanged(before, patch)
    changeBalance(step, before, patch)
  },
  written: remainingAccess('users'),
  async remove({ service, caller }, { id }) {
    if (!(await service.removals.remove(id, callerName(caller)))) throw notFound()
  },
  committed({ service, isSuperuser }, { before, after }) {
    const signedUp = !isSuperuser && !before && after
    if (signedUp) service.links.request('users', 'verification', signedUp.email)
  },
})

const BLANK: FieldError = { code: 'validation_required', message: 'Cannot be blank.' }

function failed(operation: 'create' | 'update', fields: Record<string, FieldError>): AppError {
  return new AppError('invalid', `Failed to ${operation} record`, { fields })
}

/** A balance must be a number; unlike in other numeric fields, text is refused. */
function refuseBadBalance({ body, before }: Draft): void {
  const sent = body['qpu_seconds']
  if (sent === undefined || (typeof sent === 'number' && sent <= MAX_QPU_SECONDS)) return
  const isNumber = typeof sent === 'number'
  const error = isNumber
    ? { code: 'validation_max_number_constraint', message: `Must be less or equal than ${MAX_QPU_SECONDS}.` }
    : { code: 'validation_not_a_number', message: 'The submitted value is not a number.' }
  throw failed(before ? 'update' : 'create', { qpu_seconds: error })
}

function assertAddressUnchanged(before: User, patch: Values): void {
  const fields: Record<string, FieldError> = {}
  for (const name of ['email', 'verified'] as const) {
    if (patch[name] !== undefined && patch[name] !== before[name]) fields[name] = MISMATCH
  }
  if (Object.keys(fields).length > 0) throw failed('update', fields)
}

/** Removes balance and tokens from the patch and changes them like the admin route. */
function changeBalance({ tx, caller }: Step, before: User, patch: Values): void {
  const { qpu_seconds: sent, api_tokens: tokens, ...rest } = patch
  for (const name of Object.keys(patch)) if (!Object.hasOwn(rest, name)) delete patch[name]
  const qpuSeconds = sent === undefined || sent === before.qpu_seconds ? undefined : balanceOf(sent)
  const apiTokens = Array.isArray(tokens) ? tokens.map(String) : undefined
  const isSameTokens = apiTokens === undefined || Bun.deepEquals(apiTokens, before.api_tokens)
  if (qpuSeconds === undefined && isSameTokens) return
  changeAccount(tx, callerName(caller), before, { qpuSeconds, ...(isSameTokens ? {} : { apiTokens }) })
}

function balanceOf(sent: unknown): number {
  if (typeof sent !== 'number' || !Number.isFinite(sent)) {
    const message = 'The submitted value is not a number.'
    throw failed('update', { qpu_seconds: { code: 'validation_not_a_number', message } })
  }
  if (sent < 0 || sent > MAX_QPU_SECONDS) {
    const code = sent < 0 ? 'validation_min_number_constraint' : 'validation_max_number_constraint'
    const message =
      sent < 0 ? 'Must be greater or equal than 0.' : `Must be less or equal than ${MAX_QPU_SECONDS}.`
    throw failed('update', { qpu_seconds: { code, message } })
  }
  return sent
}
