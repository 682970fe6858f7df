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

/**
 * Stores when a QPU took no jobs and why, for schedules of the past, which all may read. `before`: undefined
 * for one whose present time is to be stored.
 */
export function recordClosed(
  tx: SqlWriter,
  before: QpuState | undefined,
  after: QpuState & { closed_since: string },
): void {
  const [was, kind] = [before && closedBy(before), closedBy(after)]
  const reason = reasonOf(after, kind)
  if (was === kind && (!before || reason === reasonOf(before, was))) return
  const params = { qpu: after.id, at: tx.at }
  if (was && was !== kind)
    tx.run("UPDATE maintenance_times SET ended = $at WHERE qpu = $qpu AND ended = ''", params)
  if (!kind) return
  // One that begins and ends within a millisecond, again and again, is one.
  tx.run(
    `INSERT INTO maintenance_times (qpu, began, kind, reason) VALUES ($qpu, $began, $kind, $reason)
     ON CONFLICT (qpu, began) DO UPDATE SET ended = '', kind = excluded.kind,
       reason = CASE WHEN excluded.reason = '' THEN maintenance_times.reason ELSE excluded.reason END`,
    { qpu: after.id, began: after.closed_since || tx.at, kind, reason },
  )
}

function reasonOf(qpu: QpuState, kind: ReturnType<typeof closedBy>): string {
  return kind === 'maintenance' ? qpu.maintenance_reason : kind === 'draining' ? qpu.drain_reason : ''
}

/** Stores why a QPU that has just gone offline is so. */
export function recordOffline(tx: SqlWriter, qpu: string, reason: string): void {
  tx.run(
    `UPDATE maintenance_times SET reason = $reason
     WHERE qpu = $qpu AND ended = '' AND kind = 'offline' AND reason = ''`,
    { qpu, reason },
  )
}
