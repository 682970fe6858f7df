import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ReadTx } from '../../records/tx.ts'
import { DATABASE_FILE } from '../../sqlite/database-file.ts'
import { storedBytesOfAll } from '../accounts/stored-bytes.ts'
import { PENDING_BY_USER } from '../jobs/pending-by-user.ts'

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
  /** Size of the database file in bytes, without its log. */
  databaseBytes: number
  /** Bytes of the stored jobs of all users. */
  jobBytes: number
}

/** Reads the sizes from one snapshot. */
export function readGauges(tx: ReadTx): Gauges {
  const rows = (sql: string) => tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${sql}`)?.rows ?? 0
  const pending = (held: 0 | 1) => rows(`${PENDING_BY_USER} WHERE status = 'pending' AND held = ${held}`)
  const file = tx.one<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  )
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
    databaseBytes: file?.bytes ?? 0,
    jobBytes: storedBytesOfAll(tx),
  }
}

/** Sizes on the disk of the database, in bytes. */
interface DiskGauges {
  /** The write-ahead log. */
  logBytes: number
  /** Free space available to this account. */
  freeBytes: number
}

/** Reads the sizes from the file system of the data folder. */
export function readDiskGauges(dir: string): DiskGauges {
  const { bavail, bsize } = statfsSync(dir)
  const log = statSync(join(dir, `${DATABASE_FILE}-wal`), { throwIfNoEntry: false })
  return { logBytes: log?.size ?? 0, freeBytes: bavail * bsize }
}
