import { superusers } from '../../collections/superusers.ts'
import type { AuditEntry } from '../../journal/audit.ts'
import type { Database } from '../../records/database.ts'
import { accountCollection } from './accounts.ts'
import { removeExternalAuths } from './external-auths.ts'
import {
  type AccountKind,
  countIssued,
  type EndedAccess,
  endAccess,
  type IssuedAccess,
} from './issued-access.ts'
import { syncProxyEmail } from './proxy-users.ts'

/** An account whose ownership was proven; the proof expires with the account's key. */
interface ProvenAccount {
  kind: AccountKind
  id: string
  /** The key that signed the proof. */
  tokenKey: string
}

/**
 * Sets a new password of an account, which ends everything that it has given out. `email` is the
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
    // A person who registered an address of another person must not keep other ways to log in.
    if (provesAddress && kind === 'users') removeExternalAuths(tx, id)
    endAccess(tx, { kind, id }, 'all', { actor: `${kind === 'users' ? 'user' : 'superuser'}:${id}` })
    tx.update(collection, id, { password: passwordHash, verified: before.verified || provesAddress })
    return true
  })
}

/** Ends what an account has given out; audited. Returns what ended and what is still valid. */
export function endIssued(
  db: Database,
  account: Pick<ProvenAccount, 'kind' | 'id'>,
  { which, ...entry }: Pick<AuditEntry, 'actor' | 'personal'> & { which: EndedAccess },
): Promise<{ ended: IssuedAccess; remaining: IssuedAccess }> {
  return db.write('end issued access', (tx) => {
    const ended = endAccess(tx, account, which, entry)
    return { ended, remaining: countIssued(tx, account) }
  })
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
