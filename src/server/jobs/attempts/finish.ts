import { type Database, type Tx, textBytes } from '../../../db/index.ts'
import {
  type AttemptResult,
  applyResult,
  type JobError,
  type JobOrder,
  type ResultOutcome,
  resultReads,
} from '../../../db/store/jobs/index.ts'
import {
  contradictedFailure,
  contradictionOf,
  type ExpectedResults,
  INVALID_RESULTS,
  type JobFailure,
} from '../../../protocol/index.ts'
import type { EventSource, ReceivedPayload } from '../../drivers/receive.ts'
import type { Heartbeats } from './heartbeats.ts'

/** What `finishJob` works with. */
interface FinishDependencies {
  db: Database
  heartbeats: Heartbeats
  order: JobOrder
  config: { maxAttempts: number }
}

type Result = ReceivedPayload<'JobResult'>

/** The outcome of a result; `refused`: why results with which an attempt completed failed the job instead. */
type Finished = ResultOutcome & { refused?: string }

/**
 * Applies the result of an attempt as reported by `driver`: status, results and charge in one transaction.
 * Results that contradict the job fail it.
 * @throws AppError `storage_full` if nothing was stored; the driver then has to send it again.
 */
export function finishJob(
  { db, heartbeats, order, config }: FinishDependencies,
  source: Pick<EventSource, 'driver' | 'name'>,
  result: Result,
): Promise<Finished> {
  const { job, attempt, execution_ms: executionMs, provenance } = result
  const times = { elapsedMs: heartbeats.elapsedMs(result), silentMs: heartbeats.silentMs(result) }
  const finish = (tx: Tx): Finished => {
    const facts = tx.read(resultReads(result))
    const refusal = refusalOf(facts.attempt?.expected ?? '', source, result)
    const outcome = outcomeOf(result, refusal)
    const ended = { job, attempt, driver: source.driver, executionMs, outcome, provenance, ...times }
    const end = applyResult(tx, ended, config, facts)
    // The claim of a next job would share the commit.
    if (!order.hasNext(job)) tx.withCommit('alone')
    return refusal && end.kind === 'applied' ? { ...end, refused: refusal.message } : end
  }
  return db.write('finish job', finish, { bytes: textBytes(result), account: source.driver })
}

/** The failure of results that contradict the job. Jobs of earlier versions do not say what they expect. */
function refusalOf(text: string, { name }: { name: string }, result: Result): JobFailure | undefined {
  if (result.status === 'failed' || !result.summary) return undefined
  // Written by the submission.
  const expected = text === '' ? undefined : (JSON.parse(text) as ExpectedResults)
  const contradiction = expected && contradictionOf(result.summary, expected)
  if (contradiction === undefined) return undefined
  return contradictedFailure(`device ${result.summary.backend} of driver ${name}`, contradiction)
}

function outcomeOf(result: Result, refusal: JobFailure | undefined): AttemptResult['outcome'] {
  if (refusal) return failedBy(refusal)
  return result.status === 'completed'
    ? { kind: 'completed', results: result.results }
    : failedBy(result.error)
}

function failedBy(error: JobFailure): AttemptResult['outcome'] {
  const { detail } = error
  const failed = { kind: 'failed', results: errorOf(error), ...(detail !== undefined && { detail }) } as const
  // The device would return the same again, also where an earlier driver asks for another attempt.
  if (error.error_code === INVALID_RESULTS) return { ...failed, class: 'user', isFree: true }
  return { ...failed, class: error.class }
}

/** A failure in the form that clients read under `results`. */
function errorOf({ message, error_code, circuit_index }: JobFailure): JobError {
  return {
    error: message,
    ...(error_code !== undefined && { error_code }),
    ...(circuit_index !== undefined && { circuit_index }),
  }
}
