import { newSecret } from '../../../base/index.ts'
import { type Superuser, superusers } from '../../collections/superusers.ts'
import { PROXY_PREFIX, type User, users } from '../../collections/users.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** The balance shown for the proxy users of superusers. */
const UNLIMITED_SECONDS = 999_999_999

/** The proxy user of a superuser, if it exists. */
export function findProxy(tx: ReadTx, superuser: Superuser): User | undefined {
  return tx.findBy(users, { username: `${PROXY_PREFIX}${superuser.id}`, unlimited: true })
}

/** The superuser of a proxy user. */
export function superuserOf(tx: ReadTx, { username, unlimited }: User): Superuser | undefined {
  if (!unlimited || !username.startsWith(PROXY_PREFIX)) return undefined
  return tx.find(superusers, username.slice(PROXY_PREFIX.length))
}

/** Applies a change of a superuser's address to its proxy user. */
export function syncProxyEmail(tx: Tx, superuser: Superuser): void {
  const proxy = findProxy(tx, superuser)
  if (proxy) tx.update(users, proxy.id, { email: availableEmail(tx, superuser.email, proxy.id) })
}

/** The proxy user of a superuser, for routes that need a user; created on first use, never charged. */
export async function proxyUserOf(db: Database, superuser: Superuser): Promise<User> {
  const existing = await db.read((tx) => findProxy(tx, superuser))
  return (
    existing ?? db.write('create proxy user', (tx) => findProxy(tx, superuser) ?? insertProxy(tx, superuser))
  )
}

function insertProxy(tx: Tx, superuser: Superuser): User {
  return tx.insert(users, {
    email: availableEmail(tx, superuser.email),
    username: `${PROXY_PREFIX}${superuser.id}`,
    tokenKey: newSecret(),
    verified: true,
    unlimited: true,
    qpu_seconds: UNLIMITED_SECONDS,
  })
}

/** The same person may have a user account; e-mail addresses are unique, so the proxy user then has none. */
function availableEmail(tx: ReadTx, email: string, self?: string): string {
  const owner = tx.findBy(users, { email })
  return owner && owner.id !== self ? '' : email
}
