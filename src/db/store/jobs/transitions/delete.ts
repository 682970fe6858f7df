import { AppError } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { quoted } from '../../../engine/sql.ts'
import type { Tx } from '../../../records/tx.ts'
import { largeTableOf } from '../../../schema/large-values.ts'
import { provenanceOf, removeUnusedProvenance } from '../provenance.ts'

const LARGE = quoted(largeTableOf(quantumJobs))

/** @throws AppError `conflict` (`job_not_ended`) while the job waits or runs. */
export function assertEnded({ status }: { status: string }): void {
  if (status !== 'pending' && status !== 'running') return
  const remedy = status === 'pending' ? 'cancel it first' : 'delete it after it has ended'
  throw new AppError('conflict', `The job is ${status}; ${remedy}`, { reason: 'job_not_ended' })
}

/**
 * Removes one large value (program, results) of a job that has ended; false if it has none left. SQLite
 * visits each page of a value that it removes, so that each value gets a transaction of its own.
 */
export function removeLargeValue(tx: Tx, job: string): boolean {
  const removed = tx.run(
    `DELETE FROM ${LARGE} WHERE "record" = $job AND "field" =
       (SELECT "field" FROM ${LARGE} WHERE "record" = $job LIMIT 1)`,
    { job },
  )
  return removed > 0
}

/** Removes a job with its attempts and its timeline. Its charge in the ledger and audit entries remain. */
export function deleteJob(tx: Tx, job: string): void {
  const provenance = provenanceOf(tx, JSON.stringify([job]))
  tx.post('DELETE FROM job_attempts WHERE job = $job', { job })
  tx.remove(quantumJobs, job)
  removeUnusedProvenance(tx, provenance)
}
