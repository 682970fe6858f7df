import type { ReadTx } from '../../../records/tx.ts'
import { newerScores, QUOTE_COLUMNS } from '../../../sums/newer.ts'

/** How good the estimates of a QPU were in one month, of completed jobs; sums in ms. */
export type QuoteScore = Record<(typeof QUOTE_COLUMNS)[number] | 'run_ms', number>

const SUMS = ['run_ms', ...QUOTE_COLUMNS].map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')

/** `month`: such as `2026-01`, UTC. */
export function readQuoteScore(tx: ReadTx, qpu: string, month: string): QuoteScore {
  const columns = QUOTE_COLUMNS.join(', ')
  const row = tx.one<QuoteScore>(
    `SELECT ${SUMS} FROM (
       SELECT run_ms, ${columns} FROM quote_scores WHERE qpu = $qpu AND month = $month
       UNION ALL
       SELECT run_ms, ${columns} FROM ${newerScores(tx.dialect)} newer WHERE qpu = $qpu AND month = $month) scores`,
    { qpu, month },
  )
  if (!row) throw new TypeError('a sum has one row')
  return row
}
