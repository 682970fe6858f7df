/**
 * Records that once named a QPU or users, and that an older release has widened to all of them when these
 * were removed. The audit log proves it: the record was changed in the transaction of that removal.
 */
import { isObject } from '../../base/index.ts'
import { thresholds } from '../collections/monitoring/thresholds.ts'
import { notifications } from '../collections/notifications.ts'
import { timeSlots } from '../collections/time_slots.ts'
import { ofDialect } from '../engine/dialect.ts'
import { quoted } from '../engine/sql.ts'
import { appendAudit } from '../journal/audit.ts'
import type { Tx } from '../records/tx.ts'
import { cancelBookings } from '../store/qpus/cancel-bookings.ts'

const FIELDS = [
  { collection: 'time_slots', field: 'qpu', empty: "''", of: 'qpu' },
  { collection: 'notifications', field: 'target_users', empty: "'[]'", of: 'user' },
  { collection: 'thresholds', field: 'notify', empty: "'[]'", of: 'user' },
] as const

/** Selects the records, and the removal of each: the id of what was removed, and details as JSON. */
export const widenedSql = ofDialect(({ contains }) =>
  FIELDS.map(
    ({ collection, field, empty, of }) =>
      `SELECT '${collection}' AS collection, one.id, removal.subject AS removed, removal.detail
     FROM ${collection} one JOIN audit_log removal ON removal.at = one.updated
     WHERE one.${quoted(field)} = ${empty} AND one.updated > one.created
       AND (removal.act = '${of}.delete'
         OR removal.act = 'record.delete' AND ${contains('removal.detail', `'{"collection":"${of}s"'`)})`,
  ).join(' UNION ALL '),
)

interface Widened {
  collection: (typeof FIELDS)[number]['collection']
  id: string
  removed: string
  detail: string
}

/**
 * Removes the bookings of removed QPUs, with a notification of their owners, and notifications whose
 * addressees are gone; lets limits name their removed users again, so that they notify nobody. Returns what
 * it changed; it is in the audit log as an action of `actor`.
 */
export function repairWidened(tx: Tx, actor: string): { collection: string; id: string }[] {
  const found = new Map(tx.all<Widened>(widenedSql(tx.dialect)).map((each) => [each.id, each]))
  if (found.size === 0) return []
  const slots = new Map<string, string[]>()
  for (const { collection, id, removed, detail } of found.values()) {
    if (collection === 'time_slots') {
      const qpu = nameIn(detail) ?? removed
      slots.set(qpu, [...(slots.get(qpu) ?? []), id])
    }
    if (collection === 'notifications') tx.remove(notifications, id)
    if (collection === 'thresholds') {
      // Not by `update`, which refuses a user who is gone.
      tx.run('UPDATE thresholds SET notify = $notify WHERE id = $id', {
        id,
        notify: JSON.stringify([removed]),
      })
      tx.changed(thresholds, id, 'update')
    }
  }
  for (const [qpu, ids] of slots) {
    cancelBookings(
      tx,
      qpu,
      ids.flatMap((id) => tx.find(timeSlots, id) ?? []),
    )
  }
  const repaired = [...found.values()].map(({ collection, id }) => ({ collection, id }))
  appendAudit(tx, { actor, action: 'records.repair', subject: '', detail: { repaired } })
  return repaired
}

function nameIn(detail: string): string | undefined {
  const parsed: unknown = JSON.parse(detail)
  return isObject(parsed) && typeof parsed['name'] === 'string' ? parsed['name'] : undefined
}
