import { backoffMs, toTimestamp } from '../../../../base/index.ts'
import { qpus } from '../../../collections/qpus.ts'
import { quantumJobs } from '../../../collections/quantum_jobs.ts'
import { appendTimeline, timelineOf } from '../../../journal/timeline.ts'
import type { ReadTx, Tx } from '../../../records/tx.ts'
import { markUnfit, type Unfitness } from '../../qpus/unfit-jobs.ts'
import { announceJobEnd } from '../announce-end.ts'
import { type AttemptKey, type DriverAttempt, endAttempt, failedAttemptsOf } from '../attempts.ts'
import { provenanceSql } from '../provenance.ts'
import { changeRunning, returnToQueue } from './requeue.ts'
import { capError, maxMsOf, remainingMs } from './time-cap.ts'

/** Limits of retries. */
export interface RetryLimits {
  /** Maximum number of attempts that ran and ended by a lost driver or a device error; 0 = no limit. */
  maxAttempts: number
}

/** An attempt that failed for no reason in its job. */
export interface FailedAttempt extends DriverAttempt {
  /** The QPU of a driver that reported the end. */
  qpu?: string
  /** `undelivered` when the device did not begin. */
  state: 'error' | 'lost' | 'undelivered'
  reason: string
  /** Code of a device that did not begin. */
  code?: string | undefined
  /** For the timeline, in the place of the reason. */
  detail?: string | undefined
  /** What it ran with, see `saveProvenance`. */
  provenance?: string
  /** When it ended as far as is known, UTC text; by default now. */
  endedAt?: string
  /** Its driver may still deliver a result: no limit is applied before the next claim. */
  mayDeliver?: boolean
}

/**
 * Codes of a device that could not begin, because another process used its instrument, or because its chip
 * does not fit the job now; not an attempt.
 */
export const NOT_BEGUN = new Set(['instrument_busy', 'not_calibrated', 'below_quality'])

/** Why the chip does not fit; undefined for another code. */
function unfitnessOf(code: string, reason: string): Unfitness | undefined {
  return code === 'not_calibrated' || code === 'below_quality' ? { code, reason } : undefined
}

/** Maximum length of a device's message in the timeline. */
export const MAX_DETAIL_LENGTH = 1_000
const MAX_BACKOFF_MS = 60_000

/** Pause of a job in ms after its failed attempt number `failed`: 1 s, doubled each time, at most 60 s. */
export function retryBackoffMs(failed: number): number {
  return backoffMs(failed, { initialMs: 1_000, maxMs: MAX_BACKOFF_MS })
}

/**
 * Whether a job may not run before `notBefore`, ms since the epoch. A pause that ends later than the longest
 * back-off results from a clock that was set back, and counts as over.
 */
export function isPaused(notBefore: number, now: number): boolean {
  return notBefore > now && notBefore <= now + MAX_BACKOFF_MS
}

/**
 * T6, T7: ends an attempt whose driver is silent, or has returned without it; undefined when it is not open
 * any more. It is known to have run until `silentMs` ago, by default until now; Infinity: nobody knows.
 */
export function requeueLost(
  tx: Tx,
  { silentMs = 0, ...lost }: DriverAttempt & { reason: string; silentMs?: number; mayDeliver?: boolean },
  { maxAttempts }: RetryLimits,
): 'pending' | 'failed' | undefined {
  const endedAt = silentMs === Number.POSITIVE_INFINITY ? '' : toTimestamp(tx.now - silentMs)
  return retryOrFail(tx, { ...lost, state: 'lost', endedAt }, maxAttempts)
}

/**
 * T7: fails a job that was claimed although its earlier attempts leave it none: they were lost while their
 * drivers could still deliver. Returns whether it did.
 */
export function failUsedUp(tx: Tx, claimed: DriverAttempt, { maxAttempts }: RetryLimits): boolean {
  const { job, attempt } = claimed
  if (attempt === 1) return false
  const { counted, timeline } = tx.read({ counted: failedAttemptsOf(job), timeline: timelineOf(job) })
  const reason = timeline.findLast(({ event }) => event === 'lost')?.detail ?? ''
  const final = lastError(tx, { job, attempt: attempt - 1, reason }, { counted, maxAttempts })
  if (!final) return false
  endAttempt(tx, { ...claimed, state: 'undelivered' })
  failForGood(tx, claimed, final)
  return true
}

/** T5, T6, T7: the next status of the job; undefined when the attempt is not open any more. */
export function retryOrFail(
  tx: Tx,
  end: FailedAttempt,
  maxAttempts: number,
): 'pending' | 'failed' | undefined {
  const { job, attempt, state, reason, code = '' } = end
  if (!endAttempt(tx, end)) return undefined
  const detail = (end.detail ?? reason).slice(0, MAX_DETAIL_LENGTH)
  appendTimeline(tx, job, { event: state === 'error' ? 'device_error' : state, attempt, detail })
  const counted = tx.read(failedAttemptsOf(job))
  const isJudgedLater = state === 'undelivered' || end.mayDeliver === true
  const final = isJudgedLater ? undefined : lastError(tx, end, { counted, maxAttempts })
  if (final) return failForGood(tx, end, final)
  const unfit = unfitnessOf(code, reason)
  const isKept = unfit !== undefined && isDescribed(tx, end.qpu)
  const failed = unfit ? Number.POSITIVE_INFINITY : Math.max(1, counted)
  const isPaused = state !== 'lost' && !isKept
  returnToQueue(tx, end, { notBefore: isPaused ? tx.now + retryBackoffMs(failed) : 0 })
  if (isKept) markUnfit(tx, job, { qpu: end.qpu ?? '', ...unfit })
  else tx.changed(quantumJobs, job, 'update')
  return 'pending'
}

/** Whether the device of a QPU describes its chip, so that the next change of that is known. */
function isDescribed(tx: ReadTx, qpu = ''): boolean {
  return (tx.find(qpus, qpu)?.described_at ?? '') !== ''
}

/** Why a job is not tried again after its last attempt, which ended for `reason`; undefined if it is. */
function lastError(
  tx: ReadTx,
  { job, attempt, reason }: AttemptKey & { reason: string },
  { counted, maxAttempts }: RetryLimits & { counted: number },
) {
  const maxMs = maxMsOf(tx, job)
  if (remainingMs(tx, { job, attempt: attempt + 1 }, maxMs) === 0) return capError(maxMs)
  if (maxAttempts === 0 || counted < maxAttempts) return undefined
  return {
    error: `Given up after ${counted} attempts; the last one ended with: ${reason}`,
    error_code: 'attempts_exhausted',
  }
}

function failForGood(
  tx: Tx,
  end: AttemptKey & { provenance?: string },
  results: { error: string; error_code: string },
): 'failed' {
  const { job, attempt, provenance = '' } = end
  const { error_code: code } = results
  changeRunning(
    tx,
    end,
    `status = 'failed', results = $results, error_code = $code, finished_at = $at, not_before = 0,
       provenance = ${provenanceSql('$provenance')}`,
    { results: JSON.stringify(results), code, provenance },
  )
  appendTimeline(tx, job, { event: 'failed', attempt, detail: code })
  announceJobEnd(tx, job)
  tx.changed(quantumJobs, job, 'update')
  return 'failed'
}
