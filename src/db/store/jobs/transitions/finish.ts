import { fromTimestamp, toTimestamp } from '../../../../base/index.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { firstOf, type Values } from '../../../engine/query.ts'
import { appendedSql, entryText } from '../../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../../records/tx.ts'
import { jsonTextOf } from '../../../schema/json-text.ts'
import { splitLarge } from '../../../schema/large-values.ts'
import { charge, chargeableMs } from '../../accounts/ledger.ts'
import { mayPaySql, paidBySessions } from '../../sessions/settle.ts'
import { announceEnd, type Owner, ownerOfJob } from '../announce-end.ts'
import { type AttemptKey, type AttemptResult, endAttempt, endLate } from '../attempts.ts'
import { removePartialResults } from '../partial-results.ts'
import { newestReport, newestReportOfJob, provenanceSql, saveProvenance } from '../provenance.ts'
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
  /** What the results of the job must contain, as JSON; '' for one of an earlier version. */
  expected: string
  /** Whether sessions of its user may pay for some of it. */
  mayBePaid: number | boolean
  /** How it ended, and when as far as is known; null while it is the one in the row of the job. */
  ended: string | null
  ended_at: string | null
}

/** What the end of an attempt depends on. */
export function resultReads({ job, attempt }: AttemptKey) {
  return {
    attempt: firstOf<AttemptRow>(ATTEMPT, { job, attempt }),
    owner: ownerOfJob(job),
    newest: newestReportOfJob(job),
  }
}

/** An attempt in the row of its job, or one that is there no more. */
const ATTEMPT = `
  SELECT driver, qpu, claimed_at, started_at, user_id AS "user", created, status, attempt AS current, max_ms, progress,
    expected_results AS expected, ${mayPaySql({ user: 'user_id', qpu: 'quantum_jobs.qpu', since: 'claimed_at' })} AS "mayBePaid",
    NULL AS ended, NULL AS ended_at
  FROM quantum_jobs WHERE id = $job AND attempt = $attempt AND claimed_at <> ''
  UNION ALL
  SELECT claim.driver, claim.qpu, claim.claimed_at, claim.started_at, job.user_id, job.created, job.status,
    job.attempt, job.max_ms, job.progress, job.expected_results,
    ${mayPaySql({ user: 'job.user_id', qpu: 'claim.qpu', since: 'claim.claimed_at' })}, claim.state, claim.ended_at
  FROM job_attempts claim JOIN quantum_jobs job ON job.id = claim.job
  WHERE claim.job = $job AND claim.attempt = $attempt`

const STALE: ResultOutcome = { kind: 'stale' }

/** A driver that was silent for less than two heartbeats reports the end of a run without delay. */
const PROMPT_MS = 10_000

/**
 * T3, T3', T4, T5, T7 of `jobs.ts`: applies the end of an attempt, once. `maxAttempts` 0 = no limit. The
 * transaction has read `resultReads`.
 */
export function applyResult(
  tx: Tx,
  result: AttemptResult,
  { maxAttempts }: RetryLimits,
  { attempt: row, owner, newest: report }: Values<ReturnType<typeof resultReads>>,
): ResultOutcome {
  const { job, attempt } = result
  if (!row) return tx.one('SELECT 1 FROM quantum_jobs WHERE id = $job', { job }) ? STALE : { kind: 'unknown' }
  if (row.driver !== result.driver) return { kind: 'foreign' }
  // Only the newest attempt is accepted: a later claim means that the server gave this one up.
  if (row.current !== attempt || (row.status !== 'running' && row.status !== 'pending')) return STALE
  // An operator requeued this attempt, so its result is discarded.
  if (row.ended === 'requeued') return STALE
  const { outcome } = result
  const isFinal = outcome.kind === 'completed' || outcome.class === 'user'
  if (!isFinal && row.ended !== null) return STALE
  const { qpu, claimed_at: claimedAt } = row
  const endedAt = endOfRun(tx, row, result)
  // An attempt that is in the row of the job no more may have run elsewhere.
  const newest = row.ended === null ? report : newestReport(tx, qpu, endedAt)
  const provenance = saveProvenance(tx, { qpu, claimedAt, endedAt, known: result.provenance, newest })
  if (!isFinal) {
    const failed = { ...failedAttempt(result, outcome), qpu, provenance, endedAt }
    const status = retryOrFail(tx, failed, maxAttempts)
    return status === undefined ? STALE : { kind: 'applied', status }
  }
  const capped = capEnd(result, row.max_ms, remainingMs(tx, result, row.max_ms))
  return endJob(tx, { ...capped, provenance, endedAt }, row, owner)
}

/**
 * When the run of an attempt ended, UTC text: not now if its result comes long after the last report that it
 * ran, but when it had taken as long as its driver says. Everything judges a run by that time, so that a late
 * result leaves what it would have left in time.
 */
function endOfRun(tx: ReadTx, row: AttemptRow, { executionMs, silentMs = 0 }: AttemptResult): string {
  if (row.ended === null && silentMs < PROMPT_MS) return tx.at
  const seenAt = row.ended_at === null ? tx.now - silentMs : (fromTimestamp(row.ended_at) ?? tx.now)
  const begunAt = fromTimestamp(row.started_at === '' ? row.claimed_at : row.started_at) ?? tx.now
  return toTimestamp(Math.min(tx.now, Math.max(seenAt, begunAt + executionMs)))
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

type AttemptEnding = Omit<AttemptResult, 'provenance'> & { provenance: string; endedAt: string }

/** T3, T3', T4: ends the job: its attempt, its charge, its row, and the notice of it. */
function endJob(tx: Tx, result: AttemptEnding, row: AttemptRow, owner: Owner | undefined): ResultOutcome {
  const { job, outcome, endedAt } = result
  const { user, qpu, created } = row
  const status = outcome.kind
  const run = runOf(tx, result, row)
  endClaim(tx, result, row, run.startedAt)
  if (status === 'completed') {
    if (row.progress > 0) removePartialResults(tx, job)
    if (endedAt < tx.at) settleRecallsAgain(tx, qpu, endedAt)
  }
  if (run.hasRun) {
    const ms = unpaidMs(tx, row, run.ms, endedAt)
    charge(tx, { job, user, qpu, ms, isPaid: owner?.unlimited === 0, at: endedAt })
  }
  endRow(tx, result, row, run)
  announceEnd(tx, { job, status, created }, owner)
  return { kind: 'applied', status }
}

/** What the job is charged for. */
interface Run {
  hasRun: boolean
  ms: number
  /** When it began; '' if that is not known. */
  startedAt: string
}

function runOf(tx: Tx, { outcome, endedAt, ...result }: AttemptEnding, row: AttemptRow): Run {
  const elapsedMs = result.elapsedMs ?? wallMsSince(tx, row.claimed_at)
  const isFree = outcome.kind === 'failed' && outcome.isFree === true
  const ms = isFree ? 0 : chargeableMs(result.executionMs, elapsedMs)
  const hasRun = outcome.kind === 'completed' || ms > 0
  return { hasRun, ms, startedAt: hasRun ? startOf(row, ms, endedAt) : row.started_at }
}

/** Ends the row of the job, which holds the attempt that has completed it. */
function endRow(tx: Tx, result: AttemptEnding, row: AttemptRow, { ms, startedAt }: Run): void {
  const { job, attempt, outcome, provenance, endedAt } = result
  const isCompleted = outcome.kind === 'completed'
  const results = splitLarge(quantumJobs, { results: jsonTextOf(outcome.results) })
  // A job that has not ended has no results.
  results.saveLarge(tx, job, { isNew: true })
  tx.postUpdateOfOne(quantumJobs, END_JOB, {
    ...results.row,
    job,
    attempt,
    status: outcome.kind,
    errorCode: isCompleted ? '' : (outcome.results.error_code ?? ''),
    driver: row.driver,
    qpu: row.qpu,
    claimedAt: isCompleted ? row.claimed_at : '',
    provenance,
    startedAt,
    seconds: ms / 1_000,
    progress: isCompleted ? 1 : row.progress,
    entries: entriesOf(tx.at, result, row, startedAt),
    endedAt,
    at: tx.at,
  })
}

/** What the sessions of its user do not pay for the time that an attempt ran. */
function unpaidMs(tx: ReadTx, { user, qpu, mayBePaid }: AttemptRow, ms: number, endedAt: string): number {
  if (!mayBePaid || ms === 0) return ms
  const to = fromTimestamp(endedAt) ?? tx.now
  return ms - paidBySessions(tx, { user, qpu, from: to - ms, to })
}

const END_JOB = `UPDATE quantum_jobs SET status = $status, results = $results, error_code = $errorCode,
    driver = $driver, qpu = $qpu, claimed_at = $claimedAt, started_at = $startedAt, finished_at = $endedAt,
    duration = $seconds, not_before = 0, held = 0, hold_reason = '',
    provenance = ${provenanceSql('$provenance')}, progress = $progress, updated = $at,
    history = ${appendedSql('$entries')}
  WHERE id = $job AND attempt = $attempt AND status IN ('running', 'pending')`

/** The entries of the timeline; `startedAt`: when the attempt began, which may not be recorded yet. */
function entriesOf(
  at: string,
  { attempt, outcome }: AttemptEnding,
  row: AttemptRow,
  startedAt: string,
): string {
  const detail = outcome.kind === 'failed' ? (outcome.detail ?? outcome.results.error) : ''
  const end = { at, event: outcome.kind, attempt, detail: detail.slice(0, MAX_DETAIL_LENGTH) }
  const start = { at: startedAt, event: 'started', attempt, detail: '' } as const
  const isRecorded = startedAt === row.started_at || row.ended !== null
  return (isRecorded ? [end] : [start, end]).map(entryText).join(',')
}

/**
 * Ends the attempt: the one that completes its job stays in the row of the job, or returns to it (T3': a
 * result is accepted while no other driver has the job); any other is beside it.
 */
function endClaim(
  tx: Tx,
  { outcome: { kind }, ...ended }: AttemptEnding,
  row: AttemptRow,
  startedAt: string,
): void {
  const { job, attempt } = ended
  if (kind === 'failed' && row.ended === null) endAttempt(tx, { ...ended, state: 'error' }, startedAt)
  else if (kind === 'failed') endLate(tx, { ...ended, startedAt })
  else if (row.ended !== null)
    tx.post('DELETE FROM job_attempts WHERE job = $job AND attempt = $attempt', { job, attempt })
}

/** Recalls may have been settled up to a later time without a job that ended at `endedAt`. */
function settleRecallsAgain(tx: Tx, qpu: string, endedAt: string): void {
  tx.post(
    `UPDATE recalls SET settled = 0, cursor_job = CASE WHEN cursor_at < $endedAt THEN cursor_job ELSE '' END,
       cursor_at = ${tx.dialect.least('cursor_at', '$endedAt')} WHERE qpu = $qpu`,
    { qpu, endedAt },
  )
}

/** When a job that ran for `ms` until `endedAt` began. For a short job the driver reports only the end. */
function startOf(row: AttemptRow, ms: number, endedAt: string): string {
  if (row.started_at !== '') return row.started_at
  const startedAt = toTimestamp((fromTimestamp(endedAt) ?? 0) - ms)
  return startedAt > row.claimed_at ? startedAt : row.claimed_at
}

function wallMsSince(tx: ReadTx, at: string): number {
  return Math.max(0, tx.now - (fromTimestamp(at) ?? tx.now))
}
