import { AppError, backoffMs, fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { splitLarge } from '../../schema/large-values.ts'
import { chargeableMs, chargeJob } from '../accounts/ledger.ts'
import { type AttemptKey, endAttempt } from './dispatch.ts'

/** How an attempt ended, as its driver tells it. */
export interface AttemptResult extends AttemptKey {
  /** Who tells it. */
  driver: string
  /** Execution time in whole ms by the driver's clock; 0 = nothing was executed. */
  executionMs: number
  /** ms since the claim by a clock that only grows; the wall clock is used when not known. */
  elapsedMs?: number | undefined
  outcome:
    | { kind: 'completed'; results: unknown }
    /** `user`: the job itself is at fault; `device`: another attempt may succeed. */
    | { kind: 'failed'; class: 'user' | 'device'; results: JobError }
}

/** What a failed job has as its `results`. */
export interface JobError {
  error: string
  error_code?: string
  circuit_index?: number
}

/**
 * What became of a result. `stale`: an older attempt, an ended job or one that was given up: nothing changed.
 * `foreign`: the attempt belongs to another driver.
 */
export type Application =
  | { kind: 'applied'; status: 'completed' | 'failed' | 'pending' }
  | { kind: 'stale' }
  | { kind: 'foreign' }

interface AttemptRow {
  driver: string
  claimed_at: string
  started_at: string
  user: string
  status: string
  state: string
  current: number
}

const STALE: Application = { kind: 'stale' }

/** T3, T3', T4, T5, T7: takes the end of an attempt, once. `maxAttempts` 0 = no limit. */
export function applyResult(tx: Tx, result: AttemptResult, { maxAttempts }: RetryLimits): Application {
  const { job, attempt } = result
  const row = tx.one<AttemptRow>(
    `SELECT claim.driver, claim.claimed_at, claim.started_at, claim.state,
       job.user_id AS user, job.status, job.attempt AS current
     FROM job_attempts claim JOIN quantum_jobs job ON job.id = claim.job
     WHERE claim.job = $job AND claim.attempt = $attempt`,
    { job, attempt },
  )
  if (!row) return STALE
  if (row.driver !== result.driver) return { kind: 'foreign' }
  // An accepted attempt must be the newest: a later claim means that the server has given this one up.
  if (row.current !== attempt || (row.status !== 'running' && row.status !== 'pending')) return STALE
  // An operator took this one back: what it did is not wanted.
  if (row.state === 'requeued') return STALE
  const { outcome } = result
  if (outcome.kind === 'failed' && outcome.class === 'device') {
    return retryOrFail(tx, { ...result, state: 'error', reason: outcome.results.error }, maxAttempts)
  }
  return finish(tx, result, row)
}

/** T3, T3', T4: the job ends for good. */
function finish(tx: Tx, result: AttemptResult, row: AttemptRow): Application {
  const { job, attempt, outcome } = result
  const status = outcome.kind
  const ms = chargeableMs(result.executionMs, result.elapsedMs ?? wallMsSince(tx, row.claimed_at))
  const hasRun = status === 'completed' || ms > 0
  const startedAt = hasRun ? startOf(tx, row, ms) : row.started_at
  const results = splitLarge(quantumJobs, { results: JSON.stringify(outcome.results) })
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = $status, results = $results, error_code = $errorCode, driver = $driver,
       started_at = $startedAt, finished_at = $at, duration = $seconds, not_before = 0, held = 0,
       hold_reason = '', updated = $at
     WHERE id = $job AND attempt = $attempt AND status IN ('running', 'pending')`,
    {
      job,
      attempt,
      status,
      ...results.row,
      errorCode: outcome.kind === 'failed' ? (outcome.results.error_code ?? '') : '',
      driver: row.driver,
      startedAt,
      seconds: ms / 1_000,
      at: tx.at,
    },
  )
  if (changed === 0) return STALE
  results.saveLarge(tx, job)
  closeWith(tx, result, status === 'completed' ? 'ok' : 'error', startedAt)
  if (hasRun) chargeJob(tx, { id: job, user: row.user }, ms)
  if (startedAt !== row.started_at)
    appendTimeline(tx, job, { event: 'started', attempt, detail: '', at: startedAt })
  const detail = outcome.kind === 'failed' ? outcome.results.error.slice(0, MAX_DETAIL_LENGTH) : ''
  appendTimeline(tx, job, { event: status, attempt, detail })
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status }
}

/** When a job began that ran for `ms` until now. Of a quick one the driver tells only the end. */
function startOf(tx: ReadTx, row: AttemptRow, ms: number): string {
  if (row.started_at !== '' || row.status !== 'running') return row.started_at
  return toTimestamp(Math.max(tx.now - ms, fromTimestamp(row.claimed_at) ?? tx.now))
}

/** A late result finds its attempt `lost`; it is accepted all the same while nobody else has the job (T3'). */
function closeWith(
  tx: Tx,
  { job, attempt, executionMs }: AttemptResult,
  state: 'ok' | 'error',
  startedAt: string,
): void {
  tx.run(
    `UPDATE job_attempts SET state = $state, execution_ms = $executionMs, started_at = $startedAt,
       ended_at = CASE WHEN ended_at = '' THEN $at ELSE ended_at END
     WHERE job = $job AND attempt = $attempt`,
    { job, attempt, state, executionMs, startedAt, at: tx.at },
  )
}

function wallMsSince(tx: ReadTx, at: string): number {
  return Math.max(0, tx.now - (fromTimestamp(at) ?? tx.now))
}

/** How often a job may be tried. */
export interface RetryLimits {
  /** Attempts that ran and ended by a lost driver or a device error; 0 = no limit. */
  maxAttempts: number
}

/** T6, T7: the attempt gives no sign of life; undefined when it is not the running one (any more). */
export function requeueLost(
  tx: Tx,
  { job, attempt, driver, reason }: AttemptKey & { driver: string; reason: string },
  { maxAttempts }: RetryLimits,
): 'pending' | 'failed' | undefined {
  const end = retryOrFail(tx, { job, attempt, driver, executionMs: 0, state: 'lost', reason }, maxAttempts)
  return end.kind === 'applied' && end.status !== 'completed' ? end.status : undefined
}

interface FailedAttempt extends AttemptKey {
  driver: string
  executionMs: number
  state: 'error' | 'lost'
  reason: string
}

/** Text kept of a device's message in the timeline. */
const MAX_DETAIL_LENGTH = 1_000
export const MAX_BACKOFF_MS = 60_000

/** Pause of a job after a device error that was its failed attempt number `failed`: 1 s, doubled with each, at most 60 s. */
export function retryBackoffMs(failed: number): number {
  return backoffMs(failed, { initialMs: 1_000, maxMs: MAX_BACKOFF_MS })
}

function retryOrFail(tx: Tx, end: FailedAttempt, maxAttempts: number): Application {
  const { job, attempt, state, reason } = end
  if (!endAttempt(tx, end)) return STALE
  const detail = reason.slice(0, MAX_DETAIL_LENGTH)
  appendTimeline(tx, job, { event: state === 'lost' ? 'lost' : 'device_error', attempt, detail })
  const counted = countFailed(tx, job)
  if (maxAttempts > 0 && counted >= maxAttempts) return failExhausted(tx, end, counted)
  const backoffMs = state === 'lost' ? 0 : retryBackoffMs(counted)
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'pending', driver = '', started_at = '', not_before = $notBefore,
       run_next = 0, updated = $at
     WHERE id = $job AND attempt = $attempt AND status = 'running'`,
    { job, attempt, notBefore: backoffMs === 0 ? 0 : tx.now + backoffMs, at: tx.at },
  )
  assertWasRunning(changed, end)
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status: 'pending' }
}

function failExhausted(tx: Tx, { job, attempt, ...end }: FailedAttempt, counted: number): Application {
  const results: JobError = {
    error: `Given up after ${counted} attempts; the last one ended with: ${end.reason}`,
    error_code: 'attempts_exhausted',
  }
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'failed', results = $results, error_code = 'attempts_exhausted',
       finished_at = $at, not_before = 0, updated = $at
     WHERE id = $job AND attempt = $attempt AND status = 'running'`,
    { job, attempt, results: JSON.stringify(results), at: tx.at },
  )
  assertWasRunning(changed, { job, attempt })
  appendTimeline(tx, job, { event: 'failed', attempt, detail: 'attempts_exhausted' })
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status: 'failed' }
}

/** The attempt was open, so its job was running (I14); anything else must undo the transaction. */
function assertWasRunning(changed: number, { job, attempt }: AttemptKey): void {
  if (changed > 0) return
  throw new AppError('internal', `attempt ${attempt} of job ${job} was open but not running`)
}

/** Attempts that ran and were lost or ended by the device; undelivered ones do not count. */
function countFailed(tx: ReadTx, job: string): number {
  const row = tx.one<{ counted: number }>(
    `SELECT count(*) AS counted FROM job_attempts WHERE job = $job AND state IN ('lost', 'error')`,
    { job },
  )
  return row?.counted ?? 0
}
