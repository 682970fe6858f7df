import { AppError, newId } from '../../../base/index.ts'
import { QUEUED, quantumJobs } from '../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../journal/timeline.ts'
import { largeValueOf } from '../../records/stored-values.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { JsonText } from '../../schema/json-text.ts'
import { INSERTION_ORDER } from '../../sqlite/dialect.ts'
import { readLabels } from './labels.ts'

/** A QPU whose process driver is attached according to the database. */
export interface DispatchTarget {
  qpu: string
  driver: string
  epoch: number
}

/**
 * QPUs that can take a job now: enabled, not in maintenance or draining, process driver attached, no job
 * running.
 */
export function listIdleQpus(tx: ReadTx): DispatchTarget[] {
  return tx.all<DispatchTarget>(
    `SELECT leases.qpu, leases.driver, leases.epoch FROM leases JOIN qpus ON qpus.id = leases.qpu
     WHERE leases.operation = 'process' AND leases.driver <> '' AND leases.state = 'attached'
       AND qpus.enabled = 1 AND qpus.maintenance = 0 AND qpus.draining = 0
       AND NOT EXISTS (SELECT 1 FROM job_attempts WHERE job_attempts.qpu = leases.qpu AND state = 'open')
     ORDER BY leases.${INSERTION_ORDER}`,
  )
}

/** A job assigned to a driver; dispatch it after the transaction is committed. */
export interface Claim extends DispatchTarget {
  job: string
  attempt: number
  /** A large one is a `JsonText`. */
  payload: unknown
  /** Names and metadata of its circuits. */
  labels: JsonText | undefined
  /** What its results must contain. */
  expected: JsonText | undefined
}

/**
 * T2: assigns a pending job to the driver that has a QPU's lease, as its next attempt. Undefined when the job
 * is no longer queued, when the QPU runs another one, or when the lease has changed.
 */
export function claimJob(tx: Tx, id: string, target: DispatchTarget): Claim | undefined {
  const { qpu, driver, epoch } = target
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'running', attempt = attempt + 1, driver = $driver, qpu = $qpu, started_at = '',
       not_before = 0, error_code = '', updated = $at
     WHERE id = $id AND ${QUEUED} AND qpu_target IN ('', $qpu)
       AND NOT EXISTS (SELECT 1 FROM job_attempts WHERE qpu = $qpu AND state = 'open')
       AND EXISTS (SELECT 1 FROM leases WHERE qpu = $qpu AND operation = 'process' AND driver = $driver
                   AND epoch = $epoch AND state = 'attached')`,
    { id, qpu, driver, epoch, at: tx.at },
  )
  if (changed === 0) return undefined
  const job = tx.changed(quantumJobs, id, 'update')
  if (!job) throw new AppError('internal', `job ${id} vanished while it was claimed`)
  tx.run(
    `INSERT INTO job_attempts (id, job, attempt, driver, qpu, epoch, state, claimed_at)
     VALUES ($id, $job, $attempt, $driver, $qpu, $epoch, 'open', $at)`,
    { id: newId(tx.now), job: id, attempt: job.attempt, driver, qpu, epoch, at: tx.at },
  )
  appendTimeline(tx, id, { event: 'claimed', attempt: job.attempt, detail: `driver ${driver}` })
  return {
    ...target,
    job: id,
    attempt: job.attempt,
    payload: largeValueOf(tx, quantumJobs, job, 'payload'),
    labels: readLabels(tx, id),
    expected: job.expected_results === '' ? undefined : new JsonText(job.expected_results),
  }
}

/** Identifies one attempt of a job. */
export interface AttemptKey {
  job: string
  attempt: number
}

/**
 * T9: the attempt was not delivered to its driver, or the driver refused it. The job keeps its place in the
 * queue and the attempt does not count. False when the job has changed since, or the attempt is not of this
 * `driver`.
 */
export function requeueUndelivered(
  tx: Tx,
  { job, attempt, driver, reason }: AttemptKey & { driver: string; reason: string },
): boolean {
  const ended = endAttempt(tx, { job, attempt, driver, state: 'undelivered', executionMs: 0 })
  if (!ended) return false
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'pending', driver = '', qpu = '', started_at = '', updated = $at
     WHERE id = $job AND status = 'running' AND attempt = $attempt`,
    { job, attempt, at: tx.at },
  )
  if (changed === 0)
    throw new AppError('internal', `attempt ${attempt} of job ${job} was open but not running`)
  appendTimeline(tx, job, { event: 'undelivered', attempt, detail: reason })
  tx.changed(quantumJobs, job, 'update')
  return true
}

/** Closes an open attempt; false when it is not open. */
export function endAttempt(
  tx: Tx,
  end: AttemptKey & {
    driver: string
    state: 'ok' | 'error' | 'lost' | 'undelivered' | 'requeued'
    executionMs: number
  },
): boolean {
  const changed = tx.run(
    `UPDATE job_attempts SET state = $state, ended_at = $at, execution_ms = $executionMs
     WHERE job = $job AND attempt = $attempt AND driver = $driver AND state = 'open'`,
    { ...end, at: tx.at },
  )
  return changed > 0
}

/**
 * Records that the device has begun; false when this is not the open attempt of that driver, or was recorded
 * before.
 */
export function markStarted(tx: Tx, { job, attempt, driver }: AttemptKey & { driver: string }): boolean {
  const changed = tx.run(
    `UPDATE job_attempts SET started_at = $at
     WHERE job = $job AND attempt = $attempt AND driver = $driver AND state = 'open' AND started_at = ''`,
    { job, attempt, driver, at: tx.at },
  )
  if (changed === 0) return false
  tx.run('UPDATE quantum_jobs SET started_at = $at, updated = $at WHERE id = $job', { job, at: tx.at })
  appendTimeline(tx, job, { event: 'started', attempt, detail: '' })
  tx.changed(quantumJobs, job, 'update')
  return true
}

/** Whether this attempt of that driver is open. */
export function isRunningAttempt(
  tx: ReadTx,
  { job, attempt, driver }: AttemptKey & { driver: string },
): boolean {
  const row = tx.one(
    `SELECT 1 FROM job_attempts WHERE job = $job AND attempt = $attempt AND driver = $driver AND state = 'open'`,
    { job, attempt, driver },
  )
  return row !== undefined
}

/** Whether an operator has requeued this attempt. */
export function isRequeuedAttempt(tx: ReadTx, { job, attempt }: AttemptKey): boolean {
  const row = tx.one(
    `SELECT 1 FROM job_attempts WHERE job = $job AND attempt = $attempt AND state = 'requeued'`,
    { job, attempt },
  )
  return row !== undefined
}

/** Open attempts assigned to a driver under a lease older than `epoch`. */
export function listAttemptsOfOlderLeases(
  tx: ReadTx,
  { driver, epoch }: { driver: string; epoch: number },
): (AttemptKey & { hasStarted: boolean })[] {
  return tx
    .all<AttemptKey & { started_at: string }>(
      `SELECT job, attempt, started_at FROM job_attempts
       WHERE state = 'open' AND driver = $driver AND epoch < $epoch ORDER BY +${INSERTION_ORDER}`,
      { driver, epoch },
    )
    .map(({ job, attempt, started_at }) => ({ job, attempt, hasStarted: started_at !== '' }))
}

/**
 * All open attempts. They are few, so they are found by their index and then sorted: the `+` keeps SQLite
 * from reading all attempts in the order of insertion.
 */
export function listRunningAttempts(tx: ReadTx): (AttemptKey & { driver: string; qpu: string })[] {
  return tx.all(
    `SELECT job, attempt, driver, qpu FROM job_attempts WHERE state = 'open' ORDER BY +${INSERTION_ORDER}`,
  )
}
