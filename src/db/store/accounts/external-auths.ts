import { AppError } from '../../../base/index.ts'
import { externalAuths } from '../../collections/external_auths.ts'
import { type User, users } from '../../collections/users.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { endAccess } from './issued-access.ts'

/** The identity of a person at an OAuth2 provider. */
export interface ExternalIdentity {
  /** The provider's name in the settings. */
  provider: string
  /** Permanent id of the account at the provider. */
  providerId: string
  /** The address verified by the provider; '' when there is none. */
  email: string
}

/** A login through a provider. */
interface ExternalSignIn {
  identity: ExternalIdentity
  /** Id of the logged-in user who links the account; undefined without a session. */
  signedIn: string | undefined
  /** Creates the user of an unknown person; throws when that is not allowed. */
  create(tx: Tx): User
}

/**
 * The user for an identity at a provider, in this order: the user linked to it, the logged-in user, the user
 * with the same verified address, else a new user. The link is stored.
 * @throws AppError `invalid` for disabled users and proxy users.
 */
export function signInExternally(
  db: Database,
  { identity, signedIn, create }: ExternalSignIn,
): Promise<{ user: User; isNew: boolean }> {
  return db.write('external sign-in', (tx) => {
    const linked = findLinked(tx, identity)
    const known = linked ?? (signedIn === undefined ? undefined : tx.find(users, signedIn))
    if (known) assertEnabled(known)
    const sameAddress = known ? undefined : findByAddress(tx, identity)
    const user = known ?? sameAddress ?? create(tx)
    if (!linked) {
      if (sameAddress) revokeUnverifiedAccess(tx, sameAddress)
      const { provider, providerId } = identity
      tx.insert(externalAuths, { recordRef: user.id, provider, providerId })
    }
    applyVerifiedAddress(tx, user, identity)
    return { user: tx.find(users, user.id) ?? user, isNew: !known && !sameAddress }
  })
}

/** Removes the accounts at providers that are linked to a user. */
export function removeExternalAuths(tx: Tx, user: string): void {
  for (const { id } of tx.list(externalAuths, { where: { recordRef: user } })) tx.remove(externalAuths, id)
}

function findLinked(tx: ReadTx, { provider, providerId }: ExternalIdentity): User | undefined {
  const link = tx.findBy(externalAuths, { provider, providerId })
  return link && tx.find(users, link.recordRef)
}

function findByAddress(tx: ReadTx, { email }: ExternalIdentity): User | undefined {
  const user = email === '' ? undefined : tx.findBy(users, { email })
  if (user) assertEnabled(user)
  return user
}

function assertEnabled({ disabled, unlimited }: User): void {
  if (disabled) throw new AppError('invalid', 'Failed to authenticate')
  if (!unlimited) return
  throw new AppError('invalid', 'The address belongs to a superuser; log in as superuser with its password')
}

/** The account may have been registered with another person's address, whose owner must not share it. */
function revokeUnverifiedAccess(tx: Tx, user: User): void {
  if (user.verified) return
  removeExternalAuths(tx, user.id)
  endAccess(tx, { kind: 'users', id: user.id }, 'all', { actor: `user:${user.id}` })
  tx.update(users, user.id, { password: '' })
}

/**
 * Sets the verified address of the provider for a user without address; an equal address becomes verified.
 */
function applyVerifiedAddress(tx: Tx, user: User, { email }: ExternalIdentity): void {
  if (email === '' || user.verified) return
  const isOwn = user.email === email
  const isFree = user.email === '' && tx.findBy(users, { email }) === undefined
  if (isOwn || isFree) tx.update(users, user.id, { email, verified: true })
}
