import { newId } from '../../../base/index.ts'
import { users } from '../../collections/users.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** One change of a balance. (`kind`, `sourceId`) makes it happen once. */
export interface LedgerEntry {
  user: string
  /** `charge`: source is the job; `grant`: the time request; `admin`: the act of a superuser. */
  kind: 'charge' | 'grant' | 'admin'
  sourceId: string
  /** Whole milliseconds; negative takes from the balance. */
  deltaMs: number
}

/**
 * Writes a ledger row and changes the balance with it; false when this source was booked before.
 * @throws RangeError when `deltaMs` is not a safe integer.
 */
export function postLedger(tx: Tx, { user, kind, sourceId, deltaMs }: LedgerEntry): boolean {
  if (!Number.isSafeInteger(deltaMs)) throw new RangeError(`ledger: ${deltaMs} ms is not a whole number`)
  const added = tx.run(
    `INSERT INTO qpu_ledger (id, user, kind, source_id, delta_ms, at)
     VALUES ($id, $user, $kind, $sourceId, $deltaMs, $at) ON CONFLICT (kind, source_id) DO NOTHING`,
    { id: newId(tx.now), user, kind, sourceId, deltaMs, at: tx.at },
  )
  if (added === 0) return false
  const changed = tx.run('UPDATE users SET qpu_ms = qpu_ms + $deltaMs, updated = $at WHERE id = $user', {
    user,
    deltaMs,
    at: tx.at,
  })
  if (changed > 0) tx.changed(users, user, 'update')
  return true
}

/** What may be charged for an attempt, in ms: nothing beyond what driver and server both saw. */
export function chargeableMs(executionMs: number, elapsedMs: number): number {
  return Math.max(0, Math.round(Math.min(executionMs, elapsedMs)))
}

/** Charges a job once. Users without a limit have no balance to charge; nor have removed ones. */
export function chargeJob(tx: Tx, job: { id: string; user: string }, ms: number): void {
  const owner = tx.one<{ unlimited: number }>('SELECT unlimited FROM users WHERE id = $user', {
    user: job.user,
  })
  if (!owner || owner.unlimited === 1) return
  // Not `-ms`: a charge of nothing is 0, not -0.
  postLedger(tx, { user: job.user, kind: 'charge', sourceId: job.id, deltaMs: 0 - ms })
}

/** What a job was charged, in ms; undefined when it was not charged. */
export function chargeOf(tx: ReadTx, job: string): number | undefined {
  const row = tx.one<{ delta_ms: number }>(
    `SELECT delta_ms FROM qpu_ledger WHERE kind = 'charge' AND source_id = $job`,
    { job },
  )
  return row && 0 - row.delta_ms
}
