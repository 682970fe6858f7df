import { newSecret } from '../../../base/index.ts'
import { superusers } from '../../collections/superusers.ts'
import { type AuditEntry, appendAudit } from '../../journal/audit.ts'
import type { Database } from '../../records/database.ts'
import type { Tx } from '../../records/tx.ts'
import { type AccountKind, accountCollection, findProxy, syncProxyEmail } from './accounts.ts'
import { revokeOtherAccess } from './external-auths.ts'
import { removeOtherApiTokens } from './tokens.ts'

/** An account whose ownership was proven; the proof expires with the account's key. */
interface ProvenAccount {
  kind: AccountKind
  id: string
  /** The key that signed the proof. */
  tokenKey: string
}

/**
 * Sets a new password of an account, which ends its sessions, and removes its API tokens. `email` is the
 * address that the proof was sent to; if it is still the account's address, it becomes verified. Returns
 * false when the proof was used before or the account no longer exists.
 */
export function resetPassword(
  db: Database,
  { kind, id, tokenKey }: ProvenAccount,
  { passwordHash, email }: { passwordHash: string; email: string },
): Promise<boolean> {
  return db.write('reset password', (tx) => {
    const collection = accountCollection(kind)
    const before = tx.find(collection, id)
    if (!before || before.tokenKey !== tokenKey) return false
    const provesAddress = !before.verified && before.email === email
    // A person who registered an address of somebody else must not keep other ways to log in.
    if (provesAddress && kind === 'users') revokeOtherAccess(tx, id)
    removeApiTokensOf(tx, kind, id)
    tx.update(collection, id, { password: passwordHash, verified: before.verified || provesAddress })
    return true
  })
}

/**
 * Ends all sessions of an account, and removes its API tokens if `withTokens` is set; audited. Returns the
 * number of removed tokens.
 */
export function endSessions(
  db: Database,
  { kind, id }: Pick<ProvenAccount, 'kind' | 'id'>,
  { withTokens, ...entry }: Pick<AuditEntry, 'actor' | 'personal'> & { withTokens: boolean },
): Promise<number> {
  return db.write('end sessions', (tx) => {
    tx.update(accountCollection(kind), id, { tokenKey: newSecret() })
    const tokens = withTokens ? removeApiTokensOf(tx, kind, id) : 0
    const detail = { api_tokens: tokens }
    appendAudit(tx, { ...entry, action: 'account.logout_everywhere', subject: id, detail })
    return tokens
  })
}

/**
 * Removes the API tokens of a user, or of the proxy user of a superuser, the address of the calendar and the
 * links to jobs and reports; returns the number of tokens.
 */
function removeApiTokensOf(tx: Tx, kind: AccountKind, id: string): number {
  const superuser = kind === 'superusers' ? tx.find(superusers, id) : undefined
  const user = superuser ? findProxy(tx, superuser)?.id : id
  if (user === undefined) return 0
  for (const table of ['calendar_feeds', 'shares'])
    tx.run(`DELETE FROM ${table} WHERE "user" = $user`, { user })
  return removeOtherApiTokens(tx, user, [])
}

/** Marks the address as verified; false when the account has another address by now. */
export async function verifyEmail(
  db: Database,
  { kind, id, tokenKey }: ProvenAccount,
  email: string,
): Promise<boolean> {
  const changed = await db.write('verify e-mail', (tx) =>
    tx.update(accountCollection(kind), id, { verified: true }, { tokenKey, email }),
  )
  return changed !== undefined
}

/**
 * Sets a new, already proven address of an account, which ends its sessions.
 * @throws AppError `invalid` when another account has the address.
 */
export function changeEmail(
  db: Database,
  { kind, id, tokenKey }: ProvenAccount,
  email: string,
): Promise<boolean> {
  return db.write('change e-mail', (tx) => {
    const changed = tx.update(accountCollection(kind), id, { email, verified: true }, { tokenKey })
    const superuser = kind === 'superusers' ? tx.find(superusers, id) : undefined
    if (changed && superuser) syncProxyEmail(tx, superuser)
    return changed !== undefined
  })
}
