import { allOf, firstOf, mapped, type Query } from '../../engine/query.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { type KnownProvenance, provenanceSql } from './provenance.ts'

/** Identifies one attempt of a job. */
export interface AttemptKey {
  job: string
  attempt: number
}

/** An attempt, and the driver that it was claimed for. */
export interface DriverAttempt extends AttemptKey {
  driver: string
}

/** The end of an attempt, as its driver reports it. */
export interface AttemptResult extends DriverAttempt {
  /** Execution time in whole ms by the driver's clock; 0 = nothing was executed. */
  executionMs: number
  /** ms since the claim by a monotonic clock; without it, the wall clock is used. */
  elapsedMs?: number | undefined
  /** ms since its driver last reported that it runs, Infinity if nobody knows; by default 0. */
  silentMs?: number
  /** What it ran with; undefined from drivers that do not report it. */
  provenance?: KnownProvenance | undefined
  outcome:
    | { kind: 'completed'; results: unknown }
    /**
     * `user`: ends the job; `device`: another attempt may succeed. `isFree`: not charged if it ran. `detail`:
     * for the timeline, which only the owner and superusers read, in the place of the error.
     */
    | { kind: 'failed'; class: 'user' | 'device'; results: JobError; isFree?: boolean; detail?: string }
}

/** The `results` of a failed job. */
export interface JobError {
  error: string
  error_code?: string
  circuit_index?: number
}

/** How an attempt ended; `undelivered` and `requeued` ones do not count as failed. */
type AttemptEnd = 'ok' | 'error' | 'lost' | 'undelivered' | 'requeued'

/** One claim of a job for a driver, as its owner sees it. */
export interface AttemptSeen {
  attempt: number
  /** Ids; of a QPU or driver that was removed as well. */
  qpu: string
  driver: string
  /** `open` while it runs. */
  state: 'open' | AttemptEnd
  claimed_at: string
  started_at: string
  ended_at: string
  /** What it ran with, as JSON; null = nothing is known. */
  provenance: string | null
}

/** All attempts: those in the rows of jobs, and the others. */
export const ATTEMPTS = `(
  SELECT id AS job, attempt, driver, qpu, CASE status WHEN 'running' THEN 'open' ELSE 'ok' END AS state,
    epoch, claimed_at, started_at, finished_at AS ended_at, provenance
  FROM quantum_jobs WHERE claimed_at <> ''
  UNION ALL
  SELECT job, attempt, driver, qpu, state, epoch, claimed_at, started_at, ended_at, provenance
  FROM job_attempts)`

/**
 * The end of an attempt; `provenance`: what it ran with, see `saveProvenance`; `endedAt`: when it ended as
 * far as is known, not before its start, UTC text; by default now.
 */
interface EndedAttempt extends DriverAttempt {
  state: Exclude<AttemptEnd, 'ok'>
  provenance?: string
  endedAt?: string
}

/**
 * Ends the attempt of a running job that does not complete it; false when it is not the one that runs, or not
 * of this driver. The caller then changes the job, see `changeRunning`. `startedAt`: replaces the stored
 * start.
 */
export function endAttempt(
  tx: Tx,
  { job, attempt, driver, state, provenance = '', endedAt = tx.at }: EndedAttempt,
  startedAt?: string,
): boolean {
  const added = tx.run(
    `INSERT INTO job_attempts
       (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at, provenance)
     SELECT id, attempt, driver, qpu, epoch, $state, claimed_at, coalesce($startedAt, started_at),
       ${tx.dialect.greatest('$endedAt', 'claimed_at', 'started_at')},
       ${provenanceSql('$provenance')}
     FROM quantum_jobs WHERE id = $job AND attempt = $attempt AND driver = $driver AND status = 'running'`,
    { job, attempt, driver, state, startedAt: startedAt ?? null, endedAt, provenance },
  )
  return added > 0
}

/** Ends an attempt that was given up like one that its driver ended in time by an error. */
export function endLate(
  tx: Tx,
  {
    job,
    attempt,
    provenance,
    startedAt,
    endedAt,
  }: Required<Omit<EndedAttempt, 'state'>> & { startedAt: string },
): void {
  tx.post(
    `UPDATE job_attempts SET state = 'error', started_at = $startedAt, ended_at = $endedAt,
       provenance = ${provenanceSql('$provenance')} WHERE job = $job AND attempt = $attempt`,
    { job, attempt, provenance, startedAt, endedAt },
  )
}

/** The attempts of a job in order. */
export function attemptsOf(job: string): Query<AttemptSeen[]> {
  return allOf<AttemptSeen>(
    `SELECT attempt, qpu, driver, state, claimed_at, started_at, ended_at,
       (SELECT body FROM job_provenance WHERE id = claim.provenance) AS provenance
     FROM ${ATTEMPTS} claim WHERE job = $job ORDER BY attempt`,
    { job },
  )
}

/** Number of attempts that ran and were lost or ended by the device. */
export function failedAttemptsOf(job: string): Query<number> {
  const row = firstOf<{ counted: number }>(
    `SELECT count(*) AS counted FROM job_attempts WHERE job = $job AND state IN ('lost', 'error')`,
    { job },
  )
  return mapped(row, (found) => found?.counted ?? 0)
}

/** Whether this attempt of that driver is open. */
export function isRunningAttempt(tx: ReadTx, { job, attempt, driver }: DriverAttempt): boolean {
  const row = tx.one(
    `SELECT 1 FROM quantum_jobs
     WHERE id = $job AND attempt = $attempt AND driver = $driver AND status = 'running'`,
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
      `SELECT id AS job, attempt, started_at FROM quantum_jobs
       WHERE status = 'running' AND driver = $driver AND epoch < $epoch ORDER BY claimed_at, ${tx.dialect.unindexed('seq')}`,
      { driver, epoch },
    )
    .map(({ job, attempt, started_at }) => ({ job, attempt, hasStarted: started_at !== '' }))
}

/** All open attempts, in the order of their claims; `maxMs`: the limit of their jobs in ms, 0 = none. */
export function listRunningAttempts(tx: ReadTx): (DriverAttempt & { qpu: string; maxMs: number })[] {
  return tx.all(
    `SELECT id AS job, attempt, driver, qpu, max_ms AS "maxMs" FROM quantum_jobs WHERE status = 'running'
     ORDER BY claimed_at, ${tx.dialect.unindexed('seq')}`,
  )
}
