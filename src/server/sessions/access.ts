import { AppError, badField, notFound } from '../../base/index.ts'
import type { ReadTx } from '../../db/index.ts'
import {
  type Holder,
  holderById,
  isHeldByCluster,
  listHolders,
  MAX_HOLDERS,
  nameInCluster,
  type Session,
  sessions,
  userOfCluster,
} from '../../db/store/sessions/index.ts'
import { actingUser } from '../auth/acting-user.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, clusterOf, holderOf, type User } from '../http/caller.ts'

/** @throws AppError `unauthorized` for guests; `not_found`, also for sessions of others. */
export function requireOwn(tx: ReadTx, caller: Caller, id: string): Session {
  if (caller.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  const session = tx.find(sessions, id)
  const isOwn = session && isOwnSession(tx, caller, session)
  const holder = holderOf(caller)
  if (!session || !isOwn || (holder && holder.session !== id)) throw notFound()
  return session
}

function isOwnSession(tx: ReadTx, caller: Caller, { id, user }: Session): boolean {
  const cluster = clusterOf(caller)
  if (cluster !== undefined) return isHeldByCluster(tx, id, cluster)
  return caller.kind === 'superuser' || (caller.kind === 'user' && caller.user.id === user)
}

/**
 * The holders that a request ends: one, or of a cluster all of its own; undefined = the session itself.
 * @throws AppError `not_found`.
 */
export function holdersToEnd(
  tx: ReadTx,
  caller: Caller,
  session: Session,
  id: string | undefined,
): readonly Holder[] | undefined {
  const cluster = clusterOf(caller)
  if (cluster === undefined && id === undefined) return undefined
  const mayEnd = ({ name }: Holder) => cluster === undefined || name.startsWith(nameInCluster(cluster, ''))
  if (id === undefined)
    return listHolders(tx, session.id, { prefix: nameInCluster(cluster, ''), limit: MAX_HOLDERS })
  const holder = holderById(tx, id)
  if (!holder || holder.session !== session.id || !mayEnd(holder)) throw notFound()
  return [holder]
}

/**
 * The user for whom a session is started: that of the account which a cluster names.
 * @throws AppError `invalid`; `forbidden` (`other_cluster`, `account_not_mapped`, `account_disabled`).
 */
export async function userOf(
  { db }: ServerContext,
  caller: Caller,
  { cluster, uid }: { cluster?: string | undefined; uid?: number | undefined },
): Promise<User> {
  const own = clusterOf(caller)
  if (own === undefined) {
    if (cluster === undefined && uid === undefined) return actingUser(db, caller)
    throw badField('Invalid request', 'uid', 'Only with an API token of the scope session.')
  }
  if (uid === undefined) throw badField('Invalid request', 'uid', 'Name the account of the cluster.')
  if (cluster !== undefined && cluster !== own) {
    throw new AppError('forbidden', `The API token is that of the cluster ${own}`, {
      reason: 'other_cluster',
    })
  }
  const user = await db.read((tx) => userOfCluster(tx, { cluster: own, uid }))
  if (!user) {
    const message = `The cluster ${own} has no account here for uid ${uid}; a superuser adds it to cluster_accounts`
    throw new AppError('forbidden', message, { reason: 'account_not_mapped' })
  }
  if (!user.disabled) return user
  throw new AppError('forbidden', 'The account is disabled', { reason: 'account_disabled' })
}

/** What the audit log says of a start. */
export function startOf(caller: Caller, kind: string): Record<string, string> {
  const cluster = clusterOf(caller)
  return { kind, ...(cluster !== undefined && { cluster }) }
}
