import { newId } from '../../../base/index.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { INSERTION_ORDER } from '../../sqlite/dialect.ts'

/** Identifies one attempt of a job. */
export interface AttemptKey {
  job: string
  attempt: number
}

/** An attempt, and the driver that it was claimed for. */
export interface DriverAttempt extends AttemptKey {
  driver: string
}

/** How an attempt ended; `undelivered` and `requeued` ones do not count as failed. */
type AttemptEnd = 'ok' | 'error' | 'lost' | 'undelivered' | 'requeued'

/** One claim of a job for a driver, as its owner sees it. */
interface AttemptSeen {
  attempt: number
  /** Ids; of a QPU or driver that was removed as well. */
  qpu: string
  driver: string
  /** `open` while it runs. */
  state: 'open' | AttemptEnd
  claimed_at: string
  started_at: string
  ended_at: string
}

/** Stores a new attempt, open; `epoch` is that of the driver's lease. */
export function openAttempt(tx: Tx, claim: DriverAttempt & { qpu: string; epoch: number }): void {
  tx.run(
    `INSERT INTO job_attempts (id, job, attempt, driver, qpu, epoch, state, claimed_at)
     VALUES ($id, $job, $attempt, $driver, $qpu, $epoch, 'open', $at)`,
    { ...claim, id: newId(tx.now), at: tx.at },
  )
}

/**
 * Ends an attempt, the only way in which its state changes; false when it is not open, or not of this driver.
 * `isLate`: also one that was given up, whose end remains the time of that. `startedAt`: replaces the stored
 * start.
 */
export function endAttempt(
  tx: Tx,
  end: DriverAttempt & { state: AttemptEnd; executionMs: number },
  { isLate = false, startedAt }: { isLate?: boolean; startedAt?: string } = {},
): boolean {
  const { job, attempt, driver, state, executionMs } = end
  const changed = tx.run(
    `UPDATE job_attempts SET state = $state, execution_ms = $executionMs,
       started_at = coalesce($startedAt, started_at),
       ended_at = CASE WHEN ended_at = '' THEN $at ELSE ended_at END
     WHERE job = $job AND attempt = $attempt AND driver = $driver AND (state = 'open' OR $isLate)`,
    {
      job,
      attempt,
      driver,
      state,
      executionMs,
      startedAt: startedAt ?? null,
      isLate: isLate ? 1 : 0,
      at: tx.at,
    },
  )
  return changed > 0
}

/** The attempts of a job in order. */
export function listAttempts(tx: ReadTx, job: string): AttemptSeen[] {
  return tx.all<AttemptSeen>(
    `SELECT attempt, qpu, driver, state, claimed_at, started_at, ended_at FROM job_attempts
     WHERE job = $job ORDER BY attempt`,
    { job },
  )
}

/** Number of attempts that ran and were lost or ended by the device. */
export function countFailed(tx: ReadTx, job: string): number {
  const row = tx.one<{ counted: number }>(
    `SELECT count(*) AS counted FROM job_attempts WHERE job = $job AND state IN ('lost', 'error')`,
    { job },
  )
  return row?.counted ?? 0
}

/** Whether this attempt of that driver is open. */
export function isRunningAttempt(tx: ReadTx, { job, attempt, driver }: DriverAttempt): boolean {
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
export function listRunningAttempts(tx: ReadTx): (DriverAttempt & { qpu: string })[] {
  return tx.all(
    `SELECT job, attempt, driver, qpu FROM job_attempts WHERE state = 'open' ORDER BY +${INSERTION_ORDER}`,
  )
}
