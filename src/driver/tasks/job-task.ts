import type { Clock } from '../../base/index.ts'
import { type RunJob, resultId } from '../../protocol/index.ts'
import { writeFailure } from '../messages/write-event.ts'
import type { Task } from './task.ts'

interface JobTaskOptions {
  clock: Clock
  /** The driver's own limit of the execution time, in ms. */
  jobTimeoutMs: number
}

/** An attempt of a job. The shorter of the server's limit (0 = none) and the driver's limit applies. */
export function jobTask(
  { job, attempt, epoch, limit_ms }: Omit<RunJob, 'payload' | 'labels' | 'expected' | 'knows_progress'>,
  text: string,
  { clock, jobTimeoutMs }: JobTaskOptions,
): Task {
  const names = { job, attempt }
  const isLimitedByServer = limit_ms > 0 && limit_ms < jobTimeoutMs
  const limitMs = isLimitedByServer ? limit_ms : jobTimeoutMs
  const limited = { ...names, limit_ms: Math.max(1, Math.round(limitMs)) }
  return {
    id: resultId(job, attempt),
    noun: 'job',
    names,
    epoch,
    text,
    limitMs,
    ...(!isLimitedByServer && { limitedBy: 'job_timeout of the driver' }),
    graceMs: 2_000,
    isReportedWhenStopped: false,
    hello: { running: limited },
    started: { type: 'JobStarted', payload: limited },
    heartbeat: (phase) => ({
      type: 'JobHeartbeat',
      payload: { ...names, ...(phase !== undefined && { phase }) },
    }),
    refused: (reason) => ({ type: 'JobRefused', payload: { ...names, reason } }),
    failure: (error, executionMs) => writeFailure(clock, { job, attempt, epoch }, error, executionMs),
  }
}
