import { AppError, fromTimestamp, toTimestamp } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { appendTimeline } from '../../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../../records/tx.ts'
import { jsonTextOf } from '../../../schema/json-text.ts'
import { splitLarge } from '../../../schema/large-values.ts'
import { chargeableMs, chargeJob } from '../../accounts/ledger.ts'
import { announceEnd, findOwner } from '../announce-end.ts'
import { type AttemptKey, type AttemptResult, endAttempt, endLate } from '../attempts.ts'
import { removePartialResults } from '../partial-results.ts'
import { saveProvenance } from '../provenance.ts'
import { type FailedAttempt, MAX_DETAIL_LENGTH, NOT_BEGUN, type RetryLimits, retryOrFail } from './retry.ts'
import { capEnd, remainingMs } from './time-cap.ts'

/**
 * The outcome of a result. `stale`: an older attempt, an ended job or an attempt that was given up, and
 * nothing changed. `unknown`: there is no such job. `foreign`: the attempt belongs to another driver.
 */
export type ResultOutcome =
  | { kind: 'applied'; status: 'completed' | 'failed' | 'pending' }
  | { kind: 'stale' }
  | { kind: 'unknown' }
  | { kind: 'foreign' }

/** An attempt with its job. */
interface AttemptRow {
  driver: string
  qpu: string
  claimed_at: string
  started_at: string
  user: string
  created: string
  status: string
  current: number
  max_ms: number
  progress: number
  /** How it ended; undefined while it is the one in the row of the job. */
  ended?: string
}

const STALE: ResultOutcome = { kind: 'stale' }

/** T3, T3', T4, T5, T7: applies the end of an attempt, once. `maxAttempts` 0 = no limit. */
export function applyResult(tx: Tx, result: AttemptResult, { maxAttempts }: RetryLimits): ResultOutcome {
  const { job, attempt } = result
  const row = attemptOf(tx, { job, attempt })
  if (!row) return tx.one('SELECT 1 FROM quantum_jobs WHERE id = $job', { job }) ? STALE : { kind: 'unknown' }
  if (row.driver !== result.driver) return { kind: 'foreign' }
  // Only the newest attempt is accepted: a later claim means that the server gave this one up.
  if (row.current !== attempt || (row.status !== 'running' && row.status !== 'pending')) return STALE
  // An operator requeued this attempt, so its result is discarded.
  if (row.ended === 'requeued') return STALE
  const { outcome } = result
  const isFinal = outcome.kind === 'completed' || outcome.class === 'user'
  if (!isFinal && row.ended !== undefined) return STALE
  const { qpu, claimed_at: claimedAt } = row
  const provenance = saveProvenance(tx, { qpu, claimedAt, known: result.provenance })
  if (isFinal)
    return endJob(tx, capEnd(result, row.max_ms, remainingMs(tx, job, row.max_ms)), row, provenance)
  const status = retryOrFail(tx, { ...failedAttempt(result, outcome), qpu, provenance }, maxAttempts)
  return status === undefined ? STALE : { kind: 'applied', status }
}

/** The attempt in the row of the job, or an earlier one. */
function attemptOf(tx: ReadTx, key: AttemptKey): AttemptRow | undefined {
  const present = tx.one<AttemptRow>(
    `SELECT driver, qpu, claimed_at, started_at, user_id AS "user", created, status, attempt AS current, max_ms,
       progress
     FROM quantum_jobs WHERE id = $job AND attempt = $attempt AND claimed_at <> ''`,
    { ...key },
  )
  return (
    present ??
    tx.one<AttemptRow>(
      `SELECT claim.driver, claim.qpu, claim.claimed_at, claim.started_at, claim.state AS ended,
         job.user_id AS "user", job.created, job.status, job.attempt AS current, job.max_ms, job.progress
       FROM job_attempts claim JOIN quantum_jobs job ON job.id = claim.job
       WHERE claim.job = $job AND claim.attempt = $attempt`,
      { ...key },
    )
  )
}

/** The end of an attempt by an error of the device, after which another one may succeed. */
function failedAttempt(
  result: AttemptResult,
  { results, detail }: Extract<AttemptResult['outcome'], { kind: 'failed' }>,
): FailedAttempt {
  const { error: reason, error_code: code = '' } = results
  const isUncounted = NOT_BEGUN.has(code) && result.executionMs === 0
  const { job, attempt, driver } = result
  if (!isUncounted) return { job, attempt, driver, state: 'error', reason, detail }
  return { job, attempt, driver, state: 'undelivered', reason, detail, code }
}

/** T3, T3', T4: ends the job. */
function endJob(tx: Tx, result: AttemptResult, row: AttemptRow, provenance: number): ResultOutcome {
  const { job, attempt, outcome } = result
  const status = outcome.kind
  const elapsedMs = result.elapsedMs ?? wallMsSince(tx, row.claimed_at)
  const isFree = outcome.kind === 'failed' && outcome.isFree === true
  const ms = isFree ? 0 : chargeableMs(result.executionMs, elapsedMs)
  const hasRun = status === 'completed' || ms > 0
  const startedAt = hasRun ? startOf(tx, row, ms) : row.started_at
  const claimedAt = endClaim(tx, { ...result, provenance }, row, startedAt)
  const results = splitLarge(quantumJobs, { results: jsonTextOf(outcome.results) })
  const changed = tx.run(
    `UPDATE quantum_jobs SET status = $status, results = $results, error_code = $errorCode, driver = $driver,
       qpu = $qpu, claimed_at = $claimedAt, started_at = $startedAt, finished_at = $at, duration = $seconds, not_before = 0,
       held = 0, hold_reason = '', provenance = $provenance, progress = $progress, updated = $at
     WHERE id = $job AND attempt = $attempt AND status IN ('running', 'pending')`,
    {
      job,
      attempt,
      status,
      ...results.row,
      errorCode: outcome.kind === 'failed' ? (outcome.results.error_code ?? '') : '',
      driver: row.driver,
      qpu: row.qpu,
      claimedAt,
      provenance,
      startedAt,
      seconds: ms / 1_000,
      progress: status === 'completed' ? 1 : row.progress,
      at: tx.at,
    },
  )
  if (changed === 0) throw new AppError('internal', `job ${job} changed while its result was applied`)
  results.saveLarge(tx, job)
  if (status === 'completed' && row.progress > 0) removePartialResults(tx, job)
  const owner = findOwner(tx, row.user)
  if (hasRun)
    chargeJob(tx, { id: job, user: row.user, qpu: row.qpu }, { ms, isCharged: owner?.unlimited === 0 })
  if (startedAt !== row.started_at)
    appendTimeline(tx, job, { event: 'started', attempt, detail: '', at: startedAt })
  const detail = outcome.kind === 'failed' ? (outcome.detail ?? outcome.results.error) : ''
  appendTimeline(tx, job, { event: status, attempt, detail: detail.slice(0, MAX_DETAIL_LENGTH) })
  announceEnd(tx, { job, status, created: row.created }, owner)
  tx.changed(quantumJobs, job, 'update')
  return { kind: 'applied', status }
}

/** Ends the attempt; returns when it was claimed if it stays in the row of the job, and '' otherwise. */
function endClaim(
  tx: Tx,
  { outcome: { kind }, ...ended }: Omit<AttemptResult, 'provenance'> & { provenance: number },
  row: AttemptRow,
  startedAt: string,
): string {
  // The attempt may be lost already: its result is accepted while no other driver has the job (T3').
  if (row.ended !== undefined) {
    endLate(tx, { ...ended, state: kind === 'completed' ? 'ok' : 'error' })
    // A recall may have been settled without this job, which ended after later ones of its QPU.
    tx.post('UPDATE recalls SET settled = 0 WHERE qpu = $qpu', { qpu: row.qpu })
  } else if (kind === 'completed') return row.claimed_at
  else endAttempt(tx, { ...ended, state: 'error' }, startedAt)
  return ''
}

/** When a job that ran for `ms` until now began. For a short job the driver reports only the end. */
function startOf(tx: ReadTx, row: AttemptRow, ms: number): string {
  if (row.started_at !== '' || row.status !== 'running') return row.started_at
  return toTimestamp(Math.max(tx.now - ms, fromTimestamp(row.claimed_at) ?? tx.now))
}

function wallMsSince(tx: ReadTx, at: string): number {
  return Math.max(0, tx.now - (fromTimestamp(at) ?? tx.now))
}
