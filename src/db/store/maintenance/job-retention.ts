import { toTimestamp } from '../../../base/index.ts'
import { jsonValues } from '../../sqlite/dialect.ts'
import type { SqlWriter } from '../../sqlite/sql.ts'
import type { PruneStep } from './retention.ts'

/**
 * Maximum bytes of values removed by one step, unless a single value has more: SQLite visits each page of a
 * value that it removes.
 */
const MAX_BYTES = 4 * 1024 * 1024

const LARGE_BYTES = 'SELECT coalesce(sum(octet_length(body)), 0) FROM quantum_jobs_large WHERE record = id'

/** Age at which the program of a cancelled job is removed, in ms. */
export const CANCELLED_PAYLOAD_MS = 24 * 3_600_000

/**
 * Removes jobs that have ended, oldest submission first, with their values, attempts and timelines. Charges
 * remain in the ledger, so that balances and totals do not change.
 */
export const pruneJobs: PruneStep = (tx, before, limit) => {
  const jobs = idsIn(
    tx,
    `SELECT id, (${LARGE_BYTES}) + coalesce(octet_length(payload), 0) + coalesce(octet_length(results), 0) AS bytes
     FROM quantum_jobs INDEXED BY quantum_jobs_created
     WHERE created < $before AND finished_at <> '' AND finished_at < $before
       AND status IN ('completed', 'failed', 'cancelled')
     ORDER BY created LIMIT $limit`,
    { before: toTimestamp(before), limit },
  )
  if (jobs === undefined) return 0
  tx.run(`DELETE FROM job_timeline WHERE job IN ${jsonValues('$jobs')}`, { jobs })
  tx.run(`DELETE FROM job_attempts WHERE job IN ${jsonValues('$jobs')}`, { jobs })
  return tx.run(`DELETE FROM quantum_jobs WHERE id IN ${jsonValues('$jobs')}`, { jobs })
}

/** Removes the programs of cancelled jobs, which nobody will run; the jobs remain. */
export const pruneCancelledPayloads: PruneStep = (tx, before, limit) => {
  const at = toTimestamp(before)
  const large = idsIn(
    tx,
    `SELECT id, octet_length(body) AS bytes FROM quantum_jobs_large CROSS JOIN quantum_jobs ON quantum_jobs.id = record
     WHERE field = 'payload' AND status = 'cancelled' AND finished_at < $at LIMIT $limit`,
    { at, limit },
  )
  if (large !== undefined) {
    return tx.run(
      `DELETE FROM quantum_jobs_large WHERE field = 'payload' AND record IN ${jsonValues('$large')}`,
      { large },
    )
  }
  const jobs = idsIn(
    tx,
    `SELECT id, octet_length(payload) AS bytes FROM quantum_jobs INDEXED BY quantum_jobs_finished_at
     WHERE status = 'cancelled' AND payload IS NOT NULL AND finished_at < $at
     ORDER BY finished_at LIMIT $limit`,
    { at, limit },
  )
  if (jobs === undefined) return 0
  return tx.run(`UPDATE quantum_jobs SET payload = NULL, updated = $now WHERE id IN ${jsonValues('$jobs')}`, {
    jobs,
    now: tx.at,
  })
}

/**
 * The ids of the leading rows of a statement that have at most `MAX_BYTES` together, at least one, as a JSON
 * list; undefined when there are no rows.
 */
function idsIn(tx: SqlWriter, sql: string, params: Record<string, string | number>): string | undefined {
  const rows = tx.all<{ id: string; bytes: number }>(sql, params)
  let sum = 0
  const end = rows.findIndex(({ bytes }, at) => {
    sum += bytes
    return at > 0 && sum > MAX_BYTES
  })
  const ids = rows.slice(0, end < 0 ? rows.length : end).map(({ id }) => id)
  return ids.length === 0 ? undefined : JSON.stringify(ids)
}
