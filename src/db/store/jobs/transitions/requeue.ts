import { AppError } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../../journal/timeline.ts'
import type { Tx } from '../../../records/tx.ts'
import { type AttemptKey, type DriverAttempt, endAttempt } from '../attempts.ts'
import type { Job } from '../jobs.ts'
import { conflict, type JobAction, recordAction, requireJob } from './operator-action.ts'

/**
 * T9: the attempt was not delivered to its driver, or the driver refused it. The job keeps its place in the
 * queue and the attempt does not count. False when the job has changed since, or the attempt is not of this
 * `driver`.
 */
export function requeueUndelivered(
  tx: Tx,
  { reason, ...attempt }: DriverAttempt & { reason: string },
): boolean {
  if (!endAttempt(tx, { ...attempt, state: 'undelivered' })) return false
  returnToQueue(tx, attempt, { keepsPlace: true })
  appendTimeline(tx, attempt.job, { event: 'undelivered', attempt: attempt.attempt, detail: reason })
  tx.changed(quantumJobs, attempt.job, 'update')
  return true
}

/** A requeued job, and the attempt that its driver may still be running. */
interface Requeued {
  job: Job
  ended: DriverAttempt
}

/**
 * T10: requeues a running job, in its place by submission. The attempt ends as `requeued`: it is not charged
 * and does not count as a failed attempt, and a result that still arrives is stale.
 * @throws AppError `not_found`; `conflict` (`not_running`).
 */
export function requeueJob(tx: Tx, action: JobAction): Requeued {
  const { status, attempt, driver } = requireJob(tx, action.job)
  const ended = { job: action.job, attempt, driver }
  if (!endAttempt(tx, { ...ended, state: 'requeued' })) throw notRunning(status)
  returnToQueue(tx, ended)
  return { job: recordAction(tx, action, 'requeued'), ended }
}

/**
 * T10 without an operator: what the QPU does now disturbs the job that it runs, which runs again in its
 * place.
 * Returns the attempt that its driver may still be running; undefined without a job.
 */
export function requeueDisturbed(tx: Tx, qpu: string, reason: string): DriverAttempt | undefined {
  const running = tx.one<DriverAttempt>(
    `SELECT id AS job, attempt, driver FROM quantum_jobs WHERE status = 'running' AND qpu = $qpu`,
    { qpu },
  )
  if (!running || !endAttempt(tx, { ...running, state: 'requeued' })) return undefined
  const { job, attempt } = running
  returnToQueue(tx, running, { keepsPlace: true })
  appendTimeline(tx, job, { event: 'requeued', attempt, detail: reason })
  tx.changed(quantumJobs, job, 'update')
  return running
}

function notRunning(status: Job['status']): AppError {
  const why =
    status === 'pending'
      ? 'this one is pending, in the queue already'
      : `this one is ${status}, and what has ended never changes: submit it again as a new job`
  return conflict('not_running', `Only running jobs can be requeued; ${why}`)
}

/**
 * Returns the job of an attempt that has just ended to the queue, in its place by submission; `keepsPlace`:
 * before the others if it was moved there. `notBefore`: its next claim at the earliest, ms since the epoch.
 */
export function returnToQueue(
  tx: Tx,
  key: AttemptKey,
  { notBefore = 0, keepsPlace = false }: { notBefore?: number; keepsPlace?: boolean } = {},
): void {
  changeRunning(
    tx,
    key,
    `status = 'pending', driver = '', qpu = '', started_at = '', not_before = $notBefore, error_code = '',
       run_next = CASE WHEN $keepsPlace = 1 THEN run_next ELSE 0 END`,
    { notBefore, keepsPlace: keepsPlace ? 1 : 0 },
  )
}

/**
 * Changes the job of an attempt that has just ended; `set` is SQL. The attempt was open, so its job is
 * running (I14): anything else rolls the transaction back.
 */
export function changeRunning(
  tx: Tx,
  { job, attempt }: AttemptKey,
  set: string,
  values: Record<string, string | number>,
): void {
  const changed = tx.run(
    `UPDATE quantum_jobs SET ${set}, claimed_at = '', updated = $at
     WHERE id = $job AND attempt = $attempt AND status = 'running'`,
    { ...values, job, attempt, at: tx.at },
  )
  if (changed > 0) return
  throw new AppError('internal', `attempt ${attempt} of job ${job} was open but not running`)
}
