import { clusterAccounts } from '../../collections/sessions/cluster_accounts.ts'
import { users } from '../../collections/users.ts'
import type { ReadTx } from '../../records/tx.ts'
import type { RecordOf } from '../../schema/collection.ts'

/** The user whose account of a cluster this is. */
export function userOfCluster(
  tx: ReadTx,
  { cluster, uid }: { cluster: string; uid: number },
): RecordOf<typeof users> | undefined {
  const account = tx.findBy(clusterAccounts, { cluster, uid })
  return account && tx.find(users, account.user)
}

/** The name of a holder that a cluster has: those of several clusters differ. */
export function nameInCluster(cluster: string | undefined, name: string): string {
  return cluster === undefined ? name : `${cluster}:${name}`
}

/** Condition on a session: a cluster holds it, for an account that it still has. */
export const HELD_BY_CLUSTER = `EXISTS (SELECT 1 FROM session_holders held
  JOIN cluster_accounts account ON account."user" = held."user" AND account.cluster = $cluster
  WHERE held.session = sessions.id AND substr(held.name, 1, length($cluster) + 1) = $cluster || ':')`

/** Whether a cluster holds a session or has, for an account that it still has. */
export function isHeldByCluster(tx: ReadTx, session: string, cluster: string): boolean {
  const sql = `SELECT id FROM sessions WHERE id = $session AND ${HELD_BY_CLUSTER}`
  return tx.one<{ id: string }>(sql, { session, cluster }) !== undefined
}
