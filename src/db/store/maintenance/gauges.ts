import { allOf, firstOf, mapped, type Query } from '../../engine/query.ts'
import { storedBytesOfAll } from '../accounts/stored-bytes.ts'
import { pendingByUser } from '../jobs/pending-by-user.ts'

/** Current sizes. Each is read from a small part of the database, so that frequent scrapes are cheap. */
export const GAUGES = {
  /** Number of queued jobs. */
  pendingJobs: pendingJobs(0),
  /** Number of jobs held by operators. */
  heldJobs: pendingJobs(1),
  runningJobs: rowsOf("quantum_jobs WHERE status = 'running'"),
  pendingCalibrations: rowsOf("calibration_requests WHERE status = 'pending'"),
  runningCalibrations: rowsOf("calibration_requests WHERE status = 'running'"),
  pendingDeliveries: rowsOf("webhook_deliveries WHERE state = 'pending'"),
  /** Number of webhooks whose last attempt failed. */
  failingWebhooks: rowsOf("webhooks WHERE enabled = 1 AND failing_since <> ''"),
  /** Number of mail items that wait for a digest. */
  waitingMailItems: rowsOf('mail_items'),
  /** Leases in use, by operation and whether the driver's socket is attached. */
  leases: allOf<{ operation: string; state: 'granted' | 'attached'; count: number }>(
    `SELECT operation, state, count(*) AS count FROM leases WHERE driver <> ''
     GROUP BY operation, state ORDER BY operation, state`,
  ),
  /** Number of enabled drivers that were connected and are not. */
  lostDrivers: rowsOf("drivers WHERE enabled = 1 AND status <> 'online' AND last_seen <> ''"),
  /** Bytes of the stored jobs of all users. */
  jobBytes: storedBytesOfAll,
}

function rowsOf(table: string): Query<number> {
  return counted(`SELECT count(*) AS rows FROM ${table}`)
}

function pendingJobs(held: 0 | 1): Query<number> {
  return counted(
    (dialect) =>
      `SELECT count(*) AS rows FROM ${pendingByUser(dialect)} WHERE status = 'pending' AND held = ${held}`,
  )
}

function counted(sql: Query<number>['sql']): Query<number> {
  return mapped(firstOf<{ rows: number }>(sql), (found) => found?.rows ?? 0)
}
