import type { Clock } from '../base/index.ts'
import { type EventPayload, type JobFailure, resultId } from '../protocol/index.ts'

/** Which attempt of which job, and under which lease it was dispatched. */
export interface Attempt {
  job: string
  attempt: number
  epoch: number
}

/** Writes an event envelope as it goes over the wire. */
export function writeEvent(clock: Clock, type: string, id: string, payload: unknown): string {
  return JSON.stringify({ type, id, ts: new Date(clock.now()).toISOString(), payload })
}

/** Writes the result of an attempt. */
export function writeResult(clock: Clock, payload: EventPayload<'JobResult'>): string {
  return writeEvent(clock, 'JobResult', resultId(payload.job, payload.attempt), payload)
}

/** Writes the result of an attempt that failed after `executionMs`. */
export function writeFailure(clock: Clock, attempt: Attempt, error: JobFailure, executionMs = 0): string {
  const execution_ms = Math.max(0, Math.round(executionMs))
  return writeResult(clock, { status: 'failed', ...attempt, execution_ms, error })
}
