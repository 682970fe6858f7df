import type { SqlReader } from '../../../src/db/index.ts'
import { ledgerSql } from '../../../src/db/sums/newer.ts'

/** The charges of all jobs, whether or not they are in the ledger yet. */
export function readCharges(tx: SqlReader): { source_id: string; delta_ms: number }[] {
  return tx.all(`SELECT * FROM ${ledgerSql(tx.dialect)} entry WHERE kind = 'charge'`)
}
