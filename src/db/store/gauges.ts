import type { ReadTx } from '../tx.ts'

/** Sizes of what is in use now; each is read from a small part of the database, so that it can be asked often. */
export interface Gauges {
  pendingJobs: number
  runningJobs: number
  pendingCalibrations: number
  runningCalibrations: number
  /** Leases that a driver holds, by operation and whether its socket is attached. */
  leases: { operation: string; state: 'granted' | 'attached'; count: number }[]
  /** Bytes of the database file, without its log. */
  databaseBytes: number
}

/** Reads the sizes at one moment. */
export function readGauges(tx: ReadTx): Gauges {
  const count = (table: string, status: string) =>
    tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${table} WHERE status = $status`, { status })
      ?.rows ?? 0
  const file = tx.one<{ bytes: number }>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  )
  return {
    pendingJobs: count('quantum_jobs', 'pending'),
    runningJobs: count('quantum_jobs', 'running'),
    pendingCalibrations: count('calibration_requests', 'pending'),
    runningCalibrations: count('calibration_requests', 'running'),
    leases: tx.all(
      `SELECT operation, state, count(*) AS count FROM leases WHERE driver <> ''
       GROUP BY operation, state ORDER BY operation, state`,
    ),
    databaseBytes: file?.bytes ?? 0,
  }
}
