import type { SqlWriter } from '../engine/sql.ts'

interface MaintenanceState {
  id: string
  maintenance: boolean
}

/** Stores when the maintenance of a QPU began or ended, for schedules of the past, which all may read. */
export function recordMaintenance(
  tx: SqlWriter,
  before: MaintenanceState | undefined,
  after: MaintenanceState,
): void {
  if ((before?.maintenance ?? false) === after.maintenance) return
  const params = { qpu: after.id, at: tx.at }
  if (after.maintenance) {
    // One that begins and ends within a millisecond, again and again, is one.
    tx.run(
      `INSERT INTO maintenance_times (qpu, began) VALUES ($qpu, $at)
       ON CONFLICT (qpu, began) DO UPDATE SET ended = ''`,
      params,
    )
  } else tx.run("UPDATE maintenance_times SET ended = $at WHERE qpu = $qpu AND ended = ''", params)
}
