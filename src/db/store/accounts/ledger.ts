import { users } from '../../collections/users.ts'
import { INSERTION_ORDER } from '../../engine/dialect.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'

/** One change of a balance that is not a charge. (`kind`, `sourceId`) is unique, so a change happens once. */
interface LedgerEntry {
  user: string
  /** `grant`: the source is the time request; `admin`: the action of a superuser; see `refundSource`. */
  kind: 'grant' | 'admin' | 'refund'
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
    `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at)
     VALUES ($user, $kind, $sourceId, $deltaMs, $at) ON CONFLICT (kind, source_id) DO NOTHING`,
    { user, kind, sourceId, deltaMs, at: tx.at },
  )
  if (added === 0) return false
  tx.postUpdate(users, CHANGE_BALANCE, { user, deltaMs, at: tx.at })
  return true
}

const CHANGE_BALANCE = 'UPDATE users SET qpu_ms = qpu_ms + $deltaMs, updated = $at WHERE id = $user'

/** The time to charge for an attempt, in ms: not more than driver and server both measured. */
export function chargeableMs(executionMs: number, elapsedMs: number): number {
  return Math.max(0, Math.round(Math.min(executionMs, elapsedMs)))
}

/** A job that has run. */
interface Run {
  job: string
  user: string
  qpu: string
  ms: number
  /** Whether the user pays for it: not an unlimited or a removed one. */
  isPaid: boolean
  /** `finished_at` of the job. */
  at: string
}

/**
 * Charges a job that ends in this transaction: the only place that does, and each job that has run has one
 * charge, of 0 when nobody pays for it.
 */
export function charge(tx: Tx, { job, user, qpu, ms, isPaid, at }: Run): void {
  const deltaMs = isPaid ? 0 - ms : 0
  tx.post(
    `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at, qpu, used_ms)
     VALUES ($user, 'charge', $job, $deltaMs, $at, $qpu, $ms)`,
    { job, user, deltaMs, at, qpu, ms },
  )
  if (deltaMs !== 0) tx.postUpdate(users, CHANGE_BALANCE, { user, deltaMs, at: tx.at })
}

/** The charge of a job, in ms; undefined when it has not run. */
export function chargeOf(job: string): Query<number | undefined> {
  const charge = firstOf<{ charged: number }>(
    "SELECT 0 - delta_ms AS charged FROM qpu_ledger WHERE kind = 'charge' AND source_id = $job",
    { job },
  )
  return mapped(charge, (found) => found?.charged)
}

/** Digits of the number of a refund, so that the id of the job is what precedes it. */
const REFUND_DIGITS = 6

/** The source of the next refund of a job, or of the next deduction of one: it has had `count` so far. */
export function refundSource(job: string, count: number): string {
  return `${job}:${String(count).padStart(REFUND_DIGITS, '0')}`
}

/** The id of the job of a refund; `refund` names a row of the ledger. */
export function refundedJobSql(refund: string): string {
  return `substr(${refund}.source_id, 1, length(${refund}.source_id) - ${REFUND_DIGITS + 1})`
}

/** A time for which a session held a QPU: the `number`th that is charged. */
interface Hold {
  session: string
  number: number
  user: string
  qpu: string
  ms: number
  /** What it costs, in ms; 0 for unlimited users. */
  costMs: number
  /** End of the time, UTC text. */
  at: string
}

/** Charges a session, once for each number. */
export function chargeSession(tx: Tx, { session, number, user, qpu, ms, costMs, at }: Hold): void {
  tx.post(
    `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at, qpu, used_ms)
     VALUES ($user, 'session', $source, $deltaMs, $at, $qpu, $ms)`,
    { source: refundSource(session, number), user, deltaMs: 0 - costMs, at, qpu, ms },
  )
  if (costMs > 0) tx.postUpdate(users, CHANGE_BALANCE, { user, deltaMs: 0 - costMs, at: tx.at })
}

/** What was refunded of the charge of a job, less what was deducted again, in ms, in how many entries. */
export function refundsOf(tx: ReadTx, job: string): { ms: number; count: number } {
  const row = tx.one<{ ms: number; count: number }>(
    `SELECT coalesce(sum(delta_ms), 0) AS ms, count(*) AS count FROM qpu_ledger
     WHERE kind = 'refund' AND source_id > $job || ':' AND source_id < $job || ';'`,
    { job },
  )
  return row ?? { ms: 0, count: 0 }
}

/** One change of a balance, for its user. */
interface LedgerRow {
  /** Position in the ledger: grows with each entry. */
  position: number
  kind: 'charge' | 'grant' | 'admin' | 'opening' | 'refund' | 'session'
  /** Id of the job, of the time request, of the session or of the action. */
  source: string
  /** Name of the job; empty for other entries, without one, and for a job that was removed. */
  name: string
  deltaMs: number
  /** UTC text. */
  at: string
}

/** The changes of a user's balance before a position, newest first. */
export function listLedger(
  tx: ReadTx,
  { user, before, limit }: { user: string; before: number; limit: number },
): LedgerRow[] {
  return tx.all(
    `SELECT position, kind, source, "deltaMs", at,
       COALESCE((SELECT name FROM quantum_jobs WHERE id = source AND kind IN ('charge', 'refund')), '') AS name
     FROM (SELECT ${INSERTION_ORDER} AS position, kind,
         CASE WHEN kind IN ('refund', 'session') THEN ${refundedJobSql('qpu_ledger')} ELSE source_id END AS source,
         delta_ms AS "deltaMs", at FROM qpu_ledger
       WHERE "user" = $user AND ${INSERTION_ORDER} < $before ORDER BY ${INSERTION_ORDER} DESC LIMIT $limit) changes
     ORDER BY position DESC`,
    { user, before, limit },
  )
}
