import { fromTimestamp } from '../../../../base/index.ts'
import type { ReadTx } from '../../../records/tx.ts'
import type { AttemptKey, AttemptResult } from '../attempts.ts'

/** Code with which drivers end an attempt at a time limit. */
const TIMED_OUT = 'timed_out'
/** Shorter than any limit that matters, ms: timers may be early by as much. */
const TIMER_TOLERANCE_MS = 20

/** The error of a job that was stopped at `maxMs` of QPU time. */
export function capError(maxMs: number) {
  const error = `The job was stopped after ${maxMs / 1_000} s of QPU time, its max_seconds`
  return { error, error_code: 'max_seconds_reached' } as const
}

/** The limit of a job in ms, 0 = none. */
export function maxMsOf(tx: ReadTx, job: string): number {
  return tx.one<{ max: number }>('SELECT max_ms AS max FROM quantum_jobs WHERE id = $job', { job })?.max ?? 0
}

/** What earlier attempts leave an attempt of the QPU time, in ms; undefined without a limit (`maxMs` 0). */
export function remainingMs(tx: ReadTx, { job, attempt }: AttemptKey, maxMs: number): number | undefined {
  if (maxMs === 0) return undefined
  const ended = tx.all<TriedAttempt>(
    'SELECT state, claimed_at, started_at, ended_at FROM job_attempts WHERE job = $job AND attempt < $attempt',
    { job, attempt },
  )
  return Math.max(0, maxMs - usedMs(ended))
}

/** An attempt that did not complete its job; times as UTC text. */
interface TriedAttempt {
  state: string
  claimed_at: string
  started_at: string
  ended_at: string
}

/**
 * QPU time of attempts, in ms: of those that the device began and that were lost or failed; of lost ones up
 * to the last report that they ran. Undelivered and requeued ones do not count.
 */
export function usedMs(attempts: readonly TriedAttempt[]): number {
  return attempts.reduce((sum, { state, claimed_at, started_at, ended_at }) => {
    if (state !== 'lost' && state !== 'error') return sum
    // The driver reports no start of a short attempt that its device ended.
    const begun = started_at === '' && state === 'error' ? claimed_at : started_at
    const ms = (fromTimestamp(ended_at) ?? 0) - (fromTimestamp(begun) ?? Number.POSITIVE_INFINITY)
    return sum + Math.max(0, ms)
  }, 0)
}

/**
 * The end of an attempt of a job that may use `leftMs` more of its `maxMs` (undefined: any time): no more is
 * charged, and an attempt that its driver ended there says so.
 */
export function capEnd(result: AttemptResult, maxMs: number, leftMs: number | undefined): AttemptResult {
  if (leftMs === undefined) return result
  const { outcome, executionMs } = result
  const capped = { ...result, executionMs: Math.min(executionMs, leftMs) }
  if (outcome.kind === 'completed' || outcome.results.error_code !== TIMED_OUT) return capped
  if (executionMs < leftMs - TIMER_TOLERANCE_MS) return capped
  return { ...capped, outcome: { ...outcome, results: { ...outcome.results, ...capError(maxMs) } } }
}
