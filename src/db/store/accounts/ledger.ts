import { newId } from '../../../base/index.ts'
import { users } from '../../collections/users.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { addRecentUse } from './recent-use-rows.ts'
import { addUsage } from './usage.ts'

/** One change of a balance. (`kind`, `sourceId`) is unique, so a change happens once. */
interface LedgerEntry {
  user: string
  /** `charge`: the source is the job; `grant`: the time request; `admin`: the action of a superuser. */
  kind: 'charge' | 'grant' | 'admin'
  sourceId: string
  /** Whole milliseconds; negative for a deduction. */
  deltaMs: number
}

/**
 * Adds a ledger entry and changes the balance; false when this source was already booked.
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

/** The time to charge for an attempt, in ms: not more than driver and server both measured. */
export function chargeableMs(executionMs: number, elapsedMs: number): number {
  return Math.max(0, Math.round(Math.min(executionMs, elapsedMs)))
}

/** A job that has run, and the QPU that ran it. */
interface RunJob {
  id: string
  user: string
  qpu: string
}

/** Charges a job once and adds it to the usage. Unlimited and removed users are not charged. */
export function chargeJob(tx: Tx, { id, user, qpu }: RunJob, ms: number): void {
  const owner = tx.one<{ unlimited: number }>('SELECT unlimited FROM users WHERE id = $user', { user })
  const isCharged = owner?.unlimited === 0
  // Not `-ms`, which is -0 for a charge of 0.
  if (isCharged && !postLedger(tx, { user, kind: 'charge', sourceId: id, deltaMs: 0 - ms })) return
  addRecentUse(tx, { user, ms })
  addUsage(tx, { user, qpu, usedMs: ms, chargedMs: isCharged ? ms : 0 })
}

/** The charge of a job, in ms; undefined when it was not charged. */
export function chargeOf(tx: ReadTx, job: string): number | undefined {
  const row = tx.one<{ delta_ms: number }>(
    `SELECT delta_ms FROM qpu_ledger WHERE kind = 'charge' AND source_id = $job`,
    { job },
  )
  return row && 0 - row.delta_ms
}
