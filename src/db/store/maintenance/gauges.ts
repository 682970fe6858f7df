import type { ReadTx } from '../../records/tx.ts'
import { storedBytesOfAll } from '../accounts/stored-bytes.ts'
import { pendingByUser } from '../jobs/pending-by-user.ts'

/** Current sizes. Each is read from a small part of the database, so that frequent scrapes are cheap. */
export interface Gauges {
  /** Number of queued jobs. */
  pendingJobs: number
  /** Number of jobs held by operators. */
  heldJobs: number
  runningJobs: number
  pendingCalibrations: number
  runningCalibrations: number
  pendingDeliveries: number
  /** Number of webhooks whose last attempt failed. */
  failingWebhooks: number
  /** Number of mail items that wait for a digest. */
  waitingMailItems: number
  /** Leases in use, by operation and whether the driver's socket is attached. */
  leases: { operation: string; state: 'granted' | 'attached'; count: number }[]
  /** Number of enabled drivers that were connected and are not. */
  lostDrivers: number
  /** Bytes of the stored jobs of all users. */
  jobBytes: number
}

/** Reads the sizes from one snapshot. */
export function readGauges(tx: ReadTx): Gauges {
  const rows = (sql: string) => tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${sql}`)?.rows ?? 0
  const pending = (held: 0 | 1) =>
    rows(`${pendingByUser(tx.dialect)} WHERE status = 'pending' AND held = ${held}`)
  return {
    pendingJobs: pending(0),
    heldJobs: pending(1),
    runningJobs: rows("quantum_jobs WHERE status = 'running'"),
    pendingCalibrations: rows("calibration_requests WHERE status = 'pending'"),
    runningCalibrations: rows("calibration_requests WHERE status = 'running'"),
    pendingDeliveries: rows("webhook_deliveries WHERE state = 'pending'"),
    failingWebhooks: rows("webhooks WHERE enabled = 1 AND failing_since <> ''"),
    waitingMailItems: rows('mail_items'),
    leases: tx.all(
      `SELECT operation, state, count(*) AS count FROM leases WHERE driver <> ''
       GROUP BY operation, state ORDER BY operation, state`,
    ),
    lostDrivers: rows("drivers WHERE enabled = 1 AND status <> 'online' AND last_seen <> ''"),
    jobBytes: storedBytesOfAll(tx),
  }
}
