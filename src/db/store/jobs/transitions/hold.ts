import type { AppError } from '../../../../base/index.ts'
import { QUEUED } from '../../../collections/quantum_jobs.ts'
import type { Tx } from '../../../records/tx.ts'
import type { Job } from '../jobs.ts'
import { conflict, type JobAction, recordAction, requireJob } from './operator-action.ts'

/**
 * Holds a pending job until it is released. It keeps its place by submission.
 * @throws AppError `not_found`; `conflict` (`not_pending`, `already_held`).
 */
export function holdJob(tx: Tx, action: JobAction): Job {
  const before = requireJob(tx, action.job)
  const changed = tx.run(
    `UPDATE quantum_jobs SET held = 1, hold_reason = $reason, run_next = 0, updated = $at
     WHERE id = $job AND ${QUEUED}`,
    { job: action.job, reason: action.reason, at: tx.at },
  )
  if (changed === 0) throw cannotHold(before)
  return recordAction(tx, action, 'held')
}

function cannotHold({ held, status }: Job): AppError {
  if (held) return conflict('already_held', 'The job is held already; release it to let it run')
  const running = '; requeue it with "hold": true to stop it and keep it from running again'
  const way = status === 'running' ? running : ''
  return conflict('not_pending', `Only pending jobs can be held; this one is ${status}${way}`)
}
