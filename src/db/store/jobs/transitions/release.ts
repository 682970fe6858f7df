import type { Tx } from '../../../records/tx.ts'
import type { Job } from '../jobs.ts'
import { conflict, type JobAction, recordAction, requireJob } from './operator-action.ts'

/**
 * Releases a held job, in its place by submission.
 * @throws AppError `not_found`; `conflict` (`not_held`).
 */
export function releaseJob(tx: Tx, action: JobAction): Job {
  const before = requireJob(tx, action.job)
  const changed = tx.run(
    "UPDATE quantum_jobs SET held = 0, hold_reason = '', updated = $at WHERE id = $job AND held = 1",
    { job: action.job, at: tx.at },
  )
  if (changed === 0) {
    throw conflict('not_held', `Only held jobs can be released; this one is ${before.status} and not held`)
  }
  return recordAction(tx, action, 'released')
}
