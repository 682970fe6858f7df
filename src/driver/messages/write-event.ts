import type { Clock } from '../../base/index.ts'
import {
  type AttemptProvenance,
  CALIBRATION_LIMITS,
  type EventPayload,
  type JobFailure,
  resultId,
} from '../../protocol/index.ts'

/** An attempt of a job, and the lease under which it was dispatched. */
export interface Attempt {
  job: string
  attempt: number
  epoch: number
}

/** Encodes an event envelope. */
export function writeEvent(clock: Clock, type: string, id: string, payload: unknown): string {
  return JSON.stringify({ type, id, ts: new Date(clock.now()).toISOString(), payload })
}

/** Encodes the result of an attempt. */
export function writeResult(clock: Clock, payload: EventPayload<'JobResult'>): string {
  return writeEvent(clock, 'JobResult', resultId(payload.job, payload.attempt), payload)
}

/** Encodes the result of an attempt that failed after `executionMs`. */
export function writeFailure(
  clock: Clock,
  attempt: Attempt & { provenance?: AttemptProvenance },
  error: JobFailure,
  executionMs = 0,
): string {
  const execution_ms = Math.max(0, Math.round(executionMs))
  return writeResult(clock, { status: 'failed', ...attempt, execution_ms, error })
}

/** Encodes the report of a calibration that failed `executionMs` after its start. */
export function writeFailedReport(
  clock: Clock,
  run: Pick<EventPayload<'CalibrationReport'>, 'run_id' | 'request_id' | 'mode'> & {
    status?: 'failed' | 'aborted'
  },
  error: string,
  executionMs: number,
): string {
  const [line = ''] = error.split('\n', 1)
  return writeReport(clock, {
    run_id: run.run_id,
    request_id: run.request_id,
    ...(run.mode && { mode: run.mode }),
    started_at: new Date(clock.now() - executionMs).toISOString(),
    ended_at: new Date(clock.now()).toISOString(),
    status: run.status ?? 'failed',
    backend: '',
    device_file: null,
    routines: [],
    benchmarks: [],
    skipped: [],
    errors: [line.slice(0, CALIBRATION_LIMITS.textLength)],
    notes: [],
  })
}

/** Encodes the report of a calibration. */
export function writeReport(clock: Clock, payload: EventPayload<'CalibrationReport'>): string {
  return writeEvent(clock, 'CalibrationReport', payload.run_id, payload)
}
