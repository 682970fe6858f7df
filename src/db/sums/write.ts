import type { Clock } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
import { INSERTION_ORDER, ofDialect } from '../engine/dialect.ts'
import type { SqlWriter } from '../engine/sql.ts'
import { newerCharges, newerScores, QUOTE_COLUMNS } from './newer.ts'
import { removeOldUse } from './old-use.ts'

/** Sums are written at most this often, and not for fewer entries of the ledger. */
const WRITE_INTERVAL_MS = 1_000
const MIN_NEWER_ENTRIES = 32

const LAST_POSITION = `(SELECT coalesce(max(${INSERTION_ORDER}), 0) FROM qpu_ledger)`

/** The statements that add the newer charges to the sums. Unqualified names, as triggers require. */
export const writeSumsSql = ofDialect((dialect) => [
  `INSERT INTO qpu_usage ("user", month, qpu, jobs, used_ms, charged_ms)
   SELECT "user", substr(at, 1, 7), qpu, sum(jobs), sum(used_ms), 0 - sum(delta_ms) FROM ${newerCharges(dialect)} run
   WHERE true GROUP BY 1, 2, 3
   ON CONFLICT ("user", month, qpu) DO UPDATE SET jobs = qpu_usage.jobs + excluded.jobs,
     used_ms = qpu_usage.used_ms + excluded.used_ms, charged_ms = qpu_usage.charged_ms + excluded.charged_ms`,
  `INSERT INTO quote_scores (qpu, month, run_ms, ${QUOTE_COLUMNS.join(', ')})
   SELECT qpu, month, sum(run_ms), ${QUOTE_COLUMNS.map((name) => `sum(${name})`).join(', ')}
   FROM ${newerScores(dialect)} score WHERE run_quoted = 1 OR start_quoted = 1 GROUP BY 1, 2
   ON CONFLICT (qpu, month) DO UPDATE SET run_ms = quote_scores.run_ms + excluded.run_ms,
     ${QUOTE_COLUMNS.map((name) => `${name} = quote_scores.${name} + excluded.${name}`).join(', ')}`,
  `INSERT INTO recent_use (minute, "user", ms)
   SELECT ${dialect.unixSeconds('at')} / 60, "user", sum(used_ms) FROM ${newerCharges(dialect)} run
   WHERE true GROUP BY 1, 2
   ON CONFLICT (minute, "user") DO UPDATE SET ms = recent_use.ms + excluded.ms`,
  `UPDATE sums_watermark SET position = ${LAST_POSITION} WHERE position < ${LAST_POSITION}`,
])

/** Adds to the sums what is newer than their watermark. */
export function writeSums(tx: Pick<SqlWriter, 'post' | 'dialect' | 'now'>): void {
  for (const sql of writeSumsSql(tx.dialect)) tx.post(sql)
  removeOldUse(tx)
}

/**
 * Prepares the connection that writes, inside a transaction, once the tables are as declared: no charge is
 * newer than the sums.
 */
export function prepareSums(writer: Connection, now: number): void {
  writer.run('INSERT INTO sums_watermark (id, position) VALUES (1, 0) ON CONFLICT DO NOTHING')
  writeSums(postingAt(writer, now))
}

function postingAt(writer: Connection, now: number): Parameters<typeof writeSums>[0] {
  return { now, dialect: writer.dialect, post: (sql, params) => void writer.post(sql, params) }
}

/** What the writer calls before each commit: it writes the sums when there is enough that is newer. */
export function createSumsWriter(writer: Connection, clock: Clock): () => void {
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.monotonic()
    if (now - askedAt < WRITE_INTERVAL_MS) return
    askedAt = now
    const due = writer.one(
      `SELECT 1 FROM sums_watermark WHERE ${LAST_POSITION} - position >= ${MIN_NEWER_ENTRIES}`,
    )
    if (due) writeSums(postingAt(writer, clock.now()))
  }
}
