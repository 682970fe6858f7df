import { AppError, newSecret } from '../../../base/index.ts'
import { externalAuths } from '../../collections/external_auths.ts'
import { users } from '../../collections/users.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { User } from './accounts.ts'
import { keepApiTokens } from './tokens.ts'

/** Who somebody is for an OAuth2 provider. */
export interface ExternalIdentity {
  /** The provider's name in the settings. */
  provider: string
  /** Lasting id of the account there. */
  providerId: string
  /** Address that the provider has checked; '' when there is none. */
  email: string
}

/** A login through a provider. */
export interface ExternalSignIn {
  identity: ExternalIdentity
  /** Id of the user who is logged in and links the account; undefined when nobody is. */
  signedIn: string | undefined
  /** Makes the user of somebody unknown; throws when that is not allowed. */
  create(tx: Tx): User
}

/**
 * The user of an account at a provider, in this order: who is linked to it already, who is logged in, who has
 * the same checked address, else a new one. The link is stored.
 * @throws AppError `invalid` for disabled users and for records that stand for superusers.
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
      if (sameAddress) takeOver(tx, sameAddress)
      const { provider, providerId } = identity
      tx.insert(externalAuths, { user: user.id, provider, provider_id: providerId })
    }
    adoptAddress(tx, user, identity)
    return { user: tx.find(users, user.id) ?? user, isNew: !known && !sameAddress }
  })
}

/** Ends every way into a user's account other than its password: linked accounts and API tokens. */
export function dropOtherAccess(tx: Tx, user: string): void {
  for (const { id } of tx.list(externalAuths, { where: { user } })) tx.remove(externalAuths, id)
  keepApiTokens(tx, user, [])
}

function findLinked(tx: ReadTx, { provider, providerId }: ExternalIdentity): User | undefined {
  const link = tx.findBy(externalAuths, { provider, provider_id: providerId })
  return link && tx.find(users, link.user)
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

/** Somebody may have registered an address that is not theirs: its owner must not share the account with them. */
function takeOver(tx: Tx, user: User): void {
  if (user.verified) return
  dropOtherAccess(tx, user.id)
  tx.update(users, user.id, { password: '', tokenKey: newSecret() })
}

/** A user without address gets the one that the provider has checked; the same address becomes verified. */
function adoptAddress(tx: Tx, user: User, { email }: ExternalIdentity): void {
  if (email === '' || user.verified) return
  const isOwn = user.email === email
  const isFree = user.email === '' && tx.findBy(users, { email }) === undefined
  if (isOwn || isFree) tx.update(users, user.id, { email, verified: true })
}
