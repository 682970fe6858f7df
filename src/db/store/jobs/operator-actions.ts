import { AppError } from '../../../base/index.ts'
import { qpus } from '../../collections/qpus.ts'
import { QUEUED, quantumJobs } from '../../collections/quantum_jobs.ts'
import { appendAudit } from '../../journal/audit.ts'
import { appendTimeline, type JobEvent } from '../../journal/timeline.ts'
import type { Tx } from '../../records/tx.ts'
import { type AttemptKey, endAttempt } from './dispatch.ts'
import type { Job } from './jobs.ts'

/** An action of an operator on a job. */
export interface JobAction {
  job: string
  /** The actor, as in the audit log. */
  actor: string
  /** The reason as text; '' = none. */
  reason: string
}

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

/**
 * Moves a pending job before all others, those of the current booking included, and ends its pause after a
 * device error. This lasts until its next attempt ends; of several such jobs the last one moved goes first.
 * Running jobs count too: one whose command cannot be delivered returns to its place.
 * @throws AppError `not_found`; `conflict` (`not_pending`, `held`).
 */
export function moveJobToFront(tx: Tx, action: JobAction): Job {
  const before = requireJob(tx, action.job)
  const changed = tx.run(
    `UPDATE quantum_jobs SET not_before = 0, updated = $at,
       run_next = 1 + max(
         (SELECT coalesce(max(run_next), 0) FROM quantum_jobs WHERE ${QUEUED} AND run_next > 0),
         (SELECT coalesce(max(run_next), 0) FROM quantum_jobs WHERE status = 'running'))
     WHERE id = $job AND ${QUEUED}`,
    { job: action.job, at: tx.at },
  )
  if (changed === 0) {
    if (before.held) throw conflict('held', 'The job is held; release it first')
    throw conflict('not_pending', `Only pending jobs can go next; this one is ${before.status}`)
  }
  return recordAction(tx, action, 'moved_to_front')
}

/**
 * Moves a pending job, held or not, to another QPU, in its place by submission. The caller has checked that
 * the QPU can run it.
 * @throws AppError `not_found`; `conflict` (`not_pending`, `same_qpu`).
 */
export function moveJob(tx: Tx, action: JobAction, qpu: { id: string; name: string }): Job {
  const before = requireJob(tx, action.job)
  if (before.status !== 'pending') {
    throw conflict('not_pending', `Only pending jobs can be moved; this one is ${before.status}`)
  }
  if (before.qpu_target === qpu.id) throw conflict('same_qpu', `The job waits for ${qpu.name} already`)
  tx.run('UPDATE quantum_jobs SET qpu_target = $qpu, updated = $at WHERE id = $job', {
    job: action.job,
    qpu: qpu.id,
    at: tx.at,
  })
  const from = before.qpu_target === '' ? undefined : tx.find(qpus, before.qpu_target)?.name
  const way = `${from === undefined ? 'to' : `from ${from} to`} ${qpu.name}`
  return recordAction(tx, { ...action, reason: joined(way, action.reason) }, 'moved')
}

const joined = (fact: string, reason: string) => (reason === '' ? fact : `${fact}: ${reason}`)

/** A requeued job, and the attempt that its driver may still be running. */
interface Requeued {
  job: Job
  ended: AttemptKey & { driver: string }
}

/**
 * T10: requeues a running job, in its place by submission. The attempt ends as `requeued`: it is not charged
 * and does not count as a failed attempt, and a result that still arrives is stale.
 * @throws AppError `not_found`; `conflict` (`not_running`).
 */
export function requeueJob(tx: Tx, action: JobAction): Requeued {
  const { status, attempt, driver } = requireJob(tx, action.job)
  const ended = { job: action.job, attempt, driver }
  if (!endAttempt(tx, { ...ended, state: 'requeued', executionMs: 0 })) throw notRunning(status)
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'pending', driver = '', qpu = '', started_at = '', run_next = 0, updated = $at
     WHERE id = $job AND attempt = $attempt AND status = 'running'`,
    { job: action.job, attempt, at: tx.at },
  )
  if (changed === 0)
    throw new AppError('internal', `attempt ${attempt} of ${action.job} was open but not running`)
  return { job: recordAction(tx, action, 'requeued'), ended }
}

function notRunning(status: Job['status']): AppError {
  const why =
    status === 'pending'
      ? 'this one is pending, in the queue already'
      : `this one is ${status}, and what has ended never changes: submit it again as a new job`
  return conflict('not_running', `Only running jobs can be requeued; ${why}`)
}

function requireJob(tx: Tx, id: string): Job {
  const job = tx.find(quantumJobs, id)
  if (!job) throw new AppError('not_found', `There is no job ${id}`)
  return job
}

function conflict(reason: string, message: string): AppError {
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
function recordAction(tx: Tx, { job: id, actor, reason }: JobAction, event: keyof typeof AUDIT_ACTIONS): Job {
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
