import { AppError, backoffMs, fromTimestamp, toTimestamp } from '../../../base/index.ts'
import { qpus } from '../../collections/qpus.ts'
import { quantumJobs } from '../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { jsonTextOf } from '../../schema/json-text.ts'
import { splitLarge } from '../../schema/large-values.ts'
import { chargeableMs, chargeJob } from '../accounts/ledger.ts'
import { markUnfit } from '../qpus/unfit-jobs.ts'
import { announceJobEnd } from './announce-end.ts'
import { type AttemptKey, endAttempt } from './dispatch.ts'

/** The end of an attempt, as its driver reports it. */
export interface AttemptResult extends AttemptKey {
  /** The driver that reports it. */
  driver: string
  /** Execution time in whole ms by the driver's clock; 0 = nothing was executed. */
  executionMs: number
  /** ms since the claim by a monotonic clock; without it, the wall clock is used. */
  elapsedMs?: number | undefined
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

/**
 * The outcome of a result. `stale`: an older attempt, an ended job or an attempt that was given up, and
 * nothing changed. `unknown`: there is no such job. `foreign`: the attempt belongs to another driver.
 */
export type ResultOutcome =
  | { kind: 'applied'; status: 'completed' | 'failed' | 'pending' }
  | { kind: 'stale' }
  | { kind: 'unknown' }
  | { kind: 'foreign' }

interface AttemptRow {
  driver: string
  qpu: string
  claimed_at: string
  started_at: string
  user: string
  status: string
  state: string
  current: number
}

const STALE: ResultOutcome = { kind: 'stale' }

/** T3, T3', T4, T5, T7: applies the end of an attempt, once. `maxAttempts` 0 = no limit. */
export function applyResult(tx: Tx, result: AttemptResult, { maxAttempts }: RetryLimits): ResultOutcome {
  const { job, attempt } = result
  const row = tx.one<AttemptRow>(
    `SELECT claim.driver, claim.qpu, claim.claimed_at, claim.started_at, claim.state,
       job.user_id AS user, job.status, job.attempt AS current
     FROM job_attempts claim JOIN quantum_jobs job ON job.id = claim.job
     WHERE claim.job = $job AND claim.attempt = $attempt`,
    { job, attempt },
  )
  if (!row) return tx.one('SELECT 1 FROM quantum_jobs WHERE id = $job', { job }) ? STALE : { kind: 'unknown' }
  if (row.driver !== result.driver) return { kind: 'foreign' }
  // Only the newest attempt is accepted: a later claim means that the server gave this one up.
  if (row.current !== attempt || (row.status !== 'running' && row.status !== 'pending')) return STALE
  // An operator requeued this attempt, so its result is discarded.
  if (row.state === 'requeued') return STALE
  const { outcome } = result
  if (outcome.kind === 'failed' && outcome.class === 'device')
    return retryOrFail(tx, { ...failedAttempt(result, outcome), qpu: row.qpu }, maxAttempts)
  return endJob(tx, result, row)
}

/** The end of an attempt by an error of the device, after which another one may succeed. */
function failedAttempt(
  result: AttemptResult,
  { results, detail }: Extract<AttemptResult['outcome'], { kind: 'failed' }>,
): Omit<FailedAttempt, 'qpu'> {
  const { error: reason, error_code: code = '' } = results
  const isUncounted = NOT_BEGUN.has(code) && result.executionMs === 0
  if (!isUncounted) return { ...result, state: 'error', reason, detail }
  return { ...result, state: 'undelivered', reason, detail, code }
}

/** T3, T3', T4: ends the job. */
function endJob(tx: Tx, result: AttemptResult, row: AttemptRow): ResultOutcome {
  const { job, attempt, outcome } = result
  const status = outcome.kind
  const elapsedMs = result.elapsedMs ?? wallMsSince(tx, row.claimed_at)
  const isFree = outcome.kind === 'failed' && outcome.isFree === true
  const ms = isFree ? 0 : chargeableMs(result.executionMs, elapsedMs)
  const hasRun = status === 'completed' || ms > 0
  const startedAt = hasRun ? startOf(tx, row, ms) : row.started_at
  const results = splitLarge(quantumJobs, { results: jsonTextOf(outcome.results) })
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = $status, results = $results, error_code = $errorCode, driver = $driver,
       qpu = $qpu, started_at = $startedAt, finished_at = $at, duration = $seconds, not_before = 0,
       held = 0, hold_reason = '', updated = $at
     WHERE id = $job AND attempt = $attempt AND status IN ('running', 'pending')`,
    {
      job,
      attempt,
      status,
      ...results.row,
      errorCode: outcome.kind === 'failed' ? (outcome.results.error_code ?? '') : '',
      driver: row.driver,
      qpu: row.qpu,
      startedAt,
      seconds: ms / 1_000,
      at: tx.at,
    },
  )
  if (changed === 0) return STALE
  results.saveLarge(tx, job)
  recordAttemptEnd(tx, result, status === 'completed' ? 'ok' : 'error', startedAt)
  if (hasRun) chargeJob(tx, { id: job, user: row.user, qpu: row.qpu }, ms)
  if (startedAt !== row.started_at)
    appendTimeline(tx, job, { event: 'started', attempt, detail: '', at: startedAt })
  const detail = outcome.kind === 'failed' ? (outcome.detail ?? outcome.results.error) : ''
  appendTimeline(tx, job, { event: status, attempt, detail: detail.slice(0, MAX_DETAIL_LENGTH) })
  announceJobEnd(tx, job)
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status }
}

/** When a job that ran for `ms` until now began. For a short job the driver reports only the end. */
function startOf(tx: ReadTx, row: AttemptRow, ms: number): string {
  if (row.started_at !== '' || row.status !== 'running') return row.started_at
  return toTimestamp(Math.max(tx.now - ms, fromTimestamp(row.claimed_at) ?? tx.now))
}

/** A late result may find its attempt `lost`; it is accepted as long as no other driver has the job (T3'). */
function recordAttemptEnd(
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

/** Limits of retries. */
interface RetryLimits {
  /** Maximum number of attempts that ran and ended by a lost driver or a device error; 0 = no limit. */
  maxAttempts: number
}

/** T6, T7: ends an attempt whose driver is silent; undefined when it is not open any more. */
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
  /** The QPU of a driver that reported the end. */
  qpu?: string
  executionMs: number
  /** `undelivered` when the device did not begin. */
  state: 'error' | 'lost' | 'undelivered'
  reason: string
  /** Code of a device that did not begin. */
  code?: string | undefined
  /** For the timeline, in the place of the reason. */
  detail?: string | undefined
}

/**
 * Codes of a device that could not begin, because another process used its instrument or because the chip is
 * not calibrated for the job; not an attempt.
 */
const NOT_CALIBRATED = 'not_calibrated'
const NOT_BEGUN = new Set(['instrument_busy', NOT_CALIBRATED])

/** Maximum length of a device's message in the timeline. */
const MAX_DETAIL_LENGTH = 1_000
export const MAX_BACKOFF_MS = 60_000

/** Pause of a job in ms after its failed attempt number `failed`: 1 s, doubled each time, at most 60 s. */
export function retryBackoffMs(failed: number): number {
  return backoffMs(failed, { initialMs: 1_000, maxMs: MAX_BACKOFF_MS })
}

function retryOrFail(tx: Tx, end: FailedAttempt, maxAttempts: number): ResultOutcome {
  const { job, attempt, state, reason, code = '' } = end
  if (!endAttempt(tx, end)) return STALE
  const detail = (end.detail ?? reason).slice(0, MAX_DETAIL_LENGTH)
  appendTimeline(tx, job, { event: state === 'error' ? 'device_error' : state, attempt, detail })
  const counted = countFailed(tx, job)
  if (state !== 'undelivered' && maxAttempts > 0 && counted >= maxAttempts)
    return failExhausted(tx, end, counted)
  const isUncalibrated = code === NOT_CALIBRATED
  const isKept = isUncalibrated && isDescribed(tx, end.qpu)
  const failed = isUncalibrated ? Number.POSITIVE_INFINITY : Math.max(1, counted)
  const backoffMs = state === 'lost' || isKept ? 0 : retryBackoffMs(failed)
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = 'pending', driver = '', qpu = '', started_at = '', not_before = $notBefore,
       error_code = '', run_next = 0, updated = $at
     WHERE id = $job AND attempt = $attempt AND status = 'running'`,
    {
      job,
      attempt,
      notBefore: backoffMs === 0 ? 0 : tx.now + backoffMs,
      at: tx.at,
    },
  )
  assertWasRunning(changed, end)
  if (isKept) markUnfit(tx, job, { qpu: end.qpu ?? '', reason })
  else tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status: 'pending' }
}

/** Whether the device of a QPU describes its chip, so that the next change of that is known. */
function isDescribed(tx: ReadTx, qpu = ''): boolean {
  return (tx.find(qpus, qpu)?.described_at ?? '') !== ''
}

function failExhausted(tx: Tx, { job, attempt, ...end }: FailedAttempt, counted: number): ResultOutcome {
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
  announceJobEnd(tx, job)
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status: 'failed' }
}

/** The attempt was open, so its job was running (I14); anything else must roll the transaction back. */
function assertWasRunning(changed: number, { job, attempt }: AttemptKey): void {
  if (changed > 0) return
  throw new AppError('internal', `attempt ${attempt} of job ${job} was open but not running`)
}

/** Number of attempts that ran and were lost or ended by the device; undelivered ones do not count. */
function countFailed(tx: ReadTx, job: string): number {
  const row = tx.one<{ counted: number }>(
    `SELECT count(*) AS counted FROM job_attempts WHERE job = $job AND state IN ('lost', 'error')`,
    { job },
  )
  return row?.counted ?? 0
}
