import { superusers } from '../../collections/superusers.ts'
import type { Database } from '../../records/database.ts'
import { type AccountKind, accountCollection, followEmail } from './accounts.ts'
import { dropOtherAccess } from './external-auths.ts'

/** An account as somebody proved to own it; the proof ends with the account's key. */
export interface ProvenAccount {
  kind: AccountKind
  id: string
  /** The key by which the proof was signed. */
  tokenKey: string
}

/**
 * Gives an account a new password, which ends its logins. `email` is the address to which the proof was sent:
 * when it is still the account's, it is verified from now on.
 * Returns false when the proof has been used or the account is gone.
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
    // Whoever registered the address without owning it must not keep a second way in.
    if (provesAddress && kind === 'users') dropOtherAccess(tx, id)
    tx.update(collection, id, { password: passwordHash, verified: before.verified || provesAddress })
    return true
  })
}

/** Marks the address as the account's own; false when the account has another one by now. */
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
 * Gives an account another address, already proven, which ends its logins.
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
    if (changed && superuser) followEmail(tx, superuser)
    return changed !== undefined
  })
}
