import { AppError } from '../../../base/index.ts'
import { apiTokens } from '../../collections/api_tokens.ts'
import { externalAuths } from '../../collections/external_auths.ts'
import { notifications } from '../../collections/notifications.ts'
import { qpuTimeRequests } from '../../collections/qpu_time_requests.ts'
import { clusterAccounts } from '../../collections/sessions/cluster_accounts.ts'
import { sessions } from '../../collections/sessions/sessions.ts'
import { timeSlots } from '../../collections/time_slots.ts'
import { users } from '../../collections/users.ts'
import { webhooks } from '../../collections/webhooks.ts'
import { appendAudit, erasePersonal } from '../../journal/audit.ts'
import type { Database } from '../../records/database.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import type { AnyCollection } from '../../schema/collection.ts'
import { endAccess } from '../accounts/issued-access.ts'
import { forgetAddresses } from '../accounts/known-addresses.ts'
import { pendingByUser } from '../jobs/pending-by-user.ts'
import { cancelJob } from '../jobs/transitions/cancel.ts'

/**
 * Begins the removal of a user: nobody can log in any more, and name, address and password are erased. The
 * steps of `removalSteps` and `finishUserRemoval` follow, also after a restart. `actor` is the one of the
 * audit log. Returns false when there is no such user.
 */
export function beginUserRemoval(tx: Tx, id: string, actor: string): boolean {
  if (!tx.find(users, id)) return false
  const isBegun = tx.run(
    "INSERT INTO removed_users (id, at, actor, state) VALUES ($id, $at, $actor, 'begun') ON CONFLICT DO NOTHING",
    { id, at: tx.at, actor },
  )
  if (isBegun === 0) return true
  tx.update(users, id, {
    email: '',
    emailVisibility: false,
    verified: false,
    username: '',
    password: '',
    disabled: true,
  })
  endAccess(tx, { kind: 'users', id }, 'disabled', { actor })
  return true
}

/** Removals that a stop of the server has interrupted. */
export function listUnfinishedRemovals(db: Database): Promise<{ id: string; actor: string }[]> {
  return db.read((tx) =>
    tx.all<{ id: string; actor: string }>(
      "SELECT id, actor FROM removed_users WHERE state = 'begun' ORDER BY at",
    ),
  )
}

/** One step: changes some rows and returns whether it found all it looks for. */
export type RemovalStep = (tx: Tx) => boolean

/** Rows that one step changes. */
const ROWS = 50

/**
 * The steps that remove what belongs to a user, each to be repeated until it returns true. Jobs stay without
 * their user, pending ones are cancelled; ledger and audit entries stay with the id, the latter without
 * personal details. Changes of jobs that have ended are not published one by one.
 */
export function removalSteps(user: string): RemovalStep[] {
  return [
    // Cancelling a job may read a program of 10 MB.
    (tx) => cancelPending(tx, user, 1),
    (tx) => releaseJobs(tx, user),
    ...[clusterAccounts, apiTokens, externalAuths, sessions, timeSlots, qpuTimeRequests, webhooks].map(
      (collection): RemovalStep =>
        (tx) =>
          removeOwned(tx, collection, user),
    ),
    releaseNotifications(user),
    (tx) => removeResponsesOf(tx, user),
    (tx) => erasePersonal(tx, { id: user, actor: `user:${user}` }, ROWS) < ROWS,
  ]
}

/** Removes the account itself; does nothing when that was done. */
export function finishUserRemoval(tx: Tx, id: string): void {
  const removal = tx.one<{ actor: string }>(
    "SELECT actor FROM removed_users WHERE id = $id AND state = 'begun'",
    {
      id,
    },
  )
  if (!removal) return
  forgetAddresses(tx, `user:${id}`)
  tx.remove(users, id)
  appendAudit(tx, { actor: removal.actor, action: 'user.delete', subject: id })
  tx.run("UPDATE removed_users SET state = 'done' WHERE id = $id", { id })
}

/** At most `limit` jobs that were requeued after the removal of their user, so that nobody pays for them. */
export function listJobsWithoutUser(tx: ReadTx, limit: number): string[] {
  return listPending(tx, 'attempt > 0', { user: '', limit })
}

/** Cancels jobs because their user was removed. */
export function cancelAbandoned(tx: Tx, ids: readonly string[]): void {
  for (const id of ids) cancelJob(tx, id, 'its user was removed')
}

function cancelPending(tx: Tx, user: string, limit: number): boolean {
  const ids = listPending(tx, 'TRUE', { user, limit })
  cancelAbandoned(tx, ids)
  return ids.length < limit
}

function listPending(tx: ReadTx, condition: string, given: { user: string; limit: number }): string[] {
  const jobs = tx.all<{ id: string }>(
    `SELECT id FROM ${pendingByUser(tx.dialect)}
     WHERE status = 'pending' AND user_id = $user AND ${condition} LIMIT $limit`,
    given,
  )
  return jobs.map(({ id }) => id)
}

function releaseJobs(tx: Tx, user: string): boolean {
  const jobs = tx.run(
    `UPDATE quantum_jobs SET user_id = '', updated = $at WHERE seq IN
       (SELECT seq FROM quantum_jobs WHERE user_id = $user LIMIT ${ROWS})`,
    { user, at: tx.at },
  )
  return jobs < ROWS
}

/** The collections in which a user owns records. */
const OWNER = new Map<AnyCollection, string>([
  [clusterAccounts, 'user'],
  [apiTokens, 'user'],
  [externalAuths, 'recordRef'],
  [sessions, 'user'],
  [timeSlots, 'booked_by'],
  [qpuTimeRequests, 'user'],
  [webhooks, 'user'],
])

function removeOwned(tx: Tx, collection: AnyCollection, user: string): boolean {
  const owner = OWNER.get(collection)
  if (owner === undefined) throw new AppError('internal', `${collection.name} has no owner`)
  const records = tx.list(collection, { where: { [owner]: user }, limit: ROWS })
  for (const { id } of records) tx.remove(collection, id)
  return records.length < ROWS
}

/**
 * Removes the user from notifications, in the order of the table. One that was addressed to the user alone is
 * removed: without addressees it would be for everybody.
 */
function releaseNotifications(user: string): RemovalStep {
  let after = 0
  return (tx) => {
    const rows = tx.all<{ seq: number; id: string }>(
      `SELECT seq, id FROM notifications WHERE seq > $after ORDER BY seq LIMIT ${ROWS}`,
      { after },
    )
    for (const { seq, id } of rows) {
      after = seq
      const found = tx.find(notifications, id)
      if (!found) continue
      const others = (ids: readonly string[]) => ids.filter((each) => each !== user)
      const [target_users, dismissed_by] = [others(found.target_users), others(found.dismissed_by)]
      const isAddressed = target_users.length < found.target_users.length
      if (isAddressed && target_users.length === 0) tx.remove(notifications, id)
      else if (isAddressed || dismissed_by.length < found.dismissed_by.length) {
        tx.run(
          'UPDATE notifications SET target_users = $targets, dismissed_by = $dismissed, updated = $at WHERE id = $id',
          { id, at: tx.at, targets: JSON.stringify(target_users), dismissed: JSON.stringify(dismissed_by) },
        )
        tx.changed(notifications, id, 'update')
      }
    }
    return rows.length < ROWS
  }
}

function removeResponsesOf(tx: Tx, user: string): boolean {
  const rows = tx.run(
    `DELETE FROM idempotency_keys WHERE ("user", key) IN
       (SELECT "user", key FROM idempotency_keys WHERE "user" = $user LIMIT ${ROWS})`,
    { user },
  )
  return rows < ROWS
}
