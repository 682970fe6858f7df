import type { SqlWriter } from '../engine/sql.ts'
import { queueWebhookEvent } from '../journal/webhook-events.ts'

/** What operators want to be notified of. */
interface QpuState {
  id: string
  name: string
  status: string
  enabled: boolean
  maintenance: boolean
  maintenance_reason: string
  draining: boolean
  drain_reason: string
}

const WATCHED = ['status', 'enabled', 'maintenance', 'draining'] as const

/** Queues the webhook deliveries for a change of a QPU that decides whether it takes jobs. */
export function announceQpuChange(tx: SqlWriter, before: QpuState, after: QpuState): void {
  if (WATCHED.every((name) => before[name] === after[name])) return
  const { id, name, status, enabled, maintenance, maintenance_reason, draining, drain_reason } = after
  queueWebhookEvent(tx, {
    kind: 'qpu.changed',
    data: { id, name, status, enabled, maintenance, maintenance_reason, draining, drain_reason },
  })
}

/** Why a QPU takes no jobs, calibrations aside: the first reason of those that hold; undefined if it does. */
export function closedBy({
  enabled,
  maintenance,
  draining,
  status,
}: Pick<QpuState, (typeof WATCHED)[number]>):
  | 'disabled'
  | 'maintenance'
  | 'draining'
  | 'offline'
  | undefined {
  if (!enabled) return 'disabled'
  if (maintenance) return 'maintenance'
  if (draining) return 'draining'
  return status === 'offline' ? 'offline' : undefined
}

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
