import type { SqlReader } from '../../../src/db/index.ts'

/** The charges of all jobs. */
export function readCharges(tx: SqlReader): { source_id: string; delta_ms: number }[] {
  return tx.all("SELECT * FROM qpu_ledger WHERE kind = 'charge'")
}
