import { INSERTION_ORDER } from '../../engine/dialect.ts'
import type { ReadTx } from '../../records/tx.ts'
import { newerRuns } from '../../sums/newer.ts'

/** One change of a balance, for its user. */
interface LedgerRow {
  /** Position in the ledger: grows with each entry. */
  position: number
  kind: 'charge' | 'grant' | 'admin' | 'opening'
  /** Id of the job, of the time request or of the action. */
  source: string
  /** Name of the job; empty for other entries, without one, and for a job that was removed. */
  name: string
  deltaMs: number
  /** UTC text. */
  at: string
}

/** Charges that are not in the ledger yet follow its last row, in the order in which they are written. */
const NEXT_POSITION = `(SELECT coalesce(max(${INSERTION_ORDER}), 0) FROM qpu_ledger)`

/** The changes of a user's balance before a position, newest first. */
export function listLedger(
  tx: ReadTx,
  { user, before, limit }: { user: string; before: number; limit: number },
): LedgerRow[] {
  return tx.all(
    `SELECT position, kind, source, "deltaMs", at,
       COALESCE((SELECT name FROM quantum_jobs WHERE id = source AND kind = 'charge'), '') AS name FROM (
       SELECT * FROM (
         SELECT ${INSERTION_ORDER} AS position, "user", kind, source_id AS source, delta_ms AS "deltaMs", at FROM qpu_ledger
         WHERE "user" = $user AND ${INSERTION_ORDER} < $before ORDER BY ${INSERTION_ORDER} DESC LIMIT $limit) stored
       UNION ALL
       SELECT ${NEXT_POSITION} + row_number() OVER (ORDER BY at, job), "user", 'charge', job, 0 - charged, at
       FROM ${newerRuns(tx)} newer WHERE charged IS NOT NULL) changes
     WHERE "user" = $user AND position < $before ORDER BY position DESC LIMIT $limit`,
    { user, before, limit },
  )
}
