import type { ReadTx } from '../../records/tx.ts'
import { INSERTION_ORDER } from '../../sqlite/dialect.ts'

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

/** The changes of a user's balance before a position, newest first. */
export function listLedger(
  tx: ReadTx,
  { user, before, limit }: { user: string; before: number; limit: number },
): LedgerRow[] {
  return tx.all(
    `SELECT ${INSERTION_ORDER} AS position, kind, source_id AS source, delta_ms AS deltaMs, at,
       COALESCE((SELECT name FROM quantum_jobs WHERE id = source_id AND kind = 'charge'), '') AS name FROM qpu_ledger
     WHERE user = $user AND ${INSERTION_ORDER} < $before ORDER BY ${INSERTION_ORDER} DESC LIMIT $limit`,
    { user, before, limit },
  )
}
