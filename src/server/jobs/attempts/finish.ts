import { applyResult, type Database, type JobError, type ResultOutcome } from '../../../db/index.ts'
import type { JobFailure } from '../../../protocol/index.ts'
import type { ReceivedPayload } from '../../drivers/receive.ts'
import type { Heartbeats } from './heartbeats.ts'

/** What `finishJob` works with. */
interface FinishDependencies {
  db: Database
  heartbeats: Heartbeats
  config: { maxAttempts: number }
}

/**
 * Applies the result of an attempt as reported by `driver`: status, results and charge in one transaction.
 * @throws AppError `storage_full` if nothing was stored; the driver then has to send it again.
 */
export function finishJob(
  { db, heartbeats, config }: FinishDependencies,
  driver: string,
  result: ReceivedPayload<'JobResult'>,
): Promise<ResultOutcome> {
  const { job, attempt, execution_ms: executionMs } = result
  const elapsedMs = heartbeats.elapsedMs(result)
  return db.write('finish job', (tx) =>
    applyResult(
      tx,
      {
        job,
        attempt,
        driver,
        executionMs,
        elapsedMs,
        outcome:
          result.status === 'completed'
            ? { kind: 'completed', results: result.results }
            : { kind: 'failed', class: result.error.class, results: errorOf(result.error) },
      },
      config,
    ),
  )
}

/** A failure in the form that clients read under `results`. */
function errorOf({ message, error_code, circuit_index }: JobFailure): JobError {
  return {
    error: message,
    ...(error_code !== undefined && { error_code }),
    ...(circuit_index !== undefined && { circuit_index }),
  }
}
