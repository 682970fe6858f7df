import { toTimestamp } from '../../../base/index.ts'
import { jsonValues } from '../../sqlite/dialect.ts'
import type { SqlWriter } from '../../sqlite/sql.ts'
import type { PruneStep } from './retention.ts'

/** Age at which the program of a cancelled job is removed, in ms. */
export const CANCELLED_PAYLOAD_MS = 24 * 3_600_000

/**
 * Removes jobs that have ended, oldest submission first, with their values, attempts and timelines. Charges
 * remain in the ledger, so that balances and totals do not change.
 */
export const pruneJobs: PruneStep = (tx, before, limit) => {
  const jobs = idsIn(
    tx,
    `SELECT id FROM quantum_jobs INDEXED BY quantum_jobs_created
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
    `SELECT id FROM quantum_jobs_large CROSS JOIN quantum_jobs ON quantum_jobs.id = record
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
    `SELECT id FROM quantum_jobs INDEXED BY quantum_jobs_finished_at
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

/** The ids that a statement selects, as a JSON list; undefined when there are none. */
function idsIn(tx: SqlWriter, sql: string, params: Record<string, string | number>): string | undefined {
  const ids = tx.all<{ id: string }>(sql, params).map(({ id }) => id)
  return ids.length === 0 ? undefined : JSON.stringify(ids)
}
