import { AppError } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { appendAudit } from '../../../journal/audit.ts'
import { appendTimeline, type JobEvent } from '../../../journal/timeline.ts'
import type { Tx } from '../../../records/tx.ts'
import { findJob, type Job } from '../jobs.ts'

/** An action of an operator on a job. */
export interface JobAction {
  job: string
  /** The actor, as in the audit log. */
  actor: string
  /** The reason as text; '' = none. */
  reason: string
}

/** The job of an action, as `findJob`. @throws AppError `not_found`. */
export function requireJob(tx: Tx, id: string): Job {
  const job = findJob(tx, id)
  if (!job) throw new AppError('not_found', `There is no job ${id}`)
  return job
}

/** The refusal of an action that the state of the job does not allow. */
export function conflict(reason: string, message: string): AppError {
  return new AppError('conflict', message, { reason })
}

const AUDIT_ACTIONS = {
  held: 'job.hold',
  released: 'job.release',
  requeued: 'job.requeue',
  moved_to_front: 'job.run_next',
  moved: 'job.move',
} as const satisfies Partial<Record<JobEvent, string>>

/** Records the action after its UPDATE: timeline, audit log and change. */
export function recordAction(
  tx: Tx,
  { job: id, actor, reason }: JobAction,
  event: keyof typeof AUDIT_ACTIONS,
): Job {
  const job = requireJob(tx, id)
  appendTimeline(tx, id, { event, attempt: job.attempt, detail: reason })
  appendAudit(tx, {
    actor,
    action: AUDIT_ACTIONS[event],
    subject: id,
    ...(reason !== '' && { detail: { reason } }),
  })
  tx.changed(quantumJobs, id, 'update')
  return job
}
