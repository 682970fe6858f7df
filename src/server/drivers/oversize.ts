import type { Clock } from '../../base/index.ts'
import {
  type EventEnvelope,
  type EventPayload,
  INVALID_RESULTS,
  type JobFailure,
  RESULTS_TOO_LARGE,
} from '../../protocol/index.ts'

/**
 * The first bytes of every event of our own drivers: enough to respond to one that is too large to be parsed.
 */
const HEAD = /^\{"type":"(\w{1,100})","id":"([^"\\]{1,100})"/
const HEAD_BYTES = 256
/** Envelope id of a calibration report: the run. */
const REPORT_ID = /^[0-9a-z]{15}$/
/** Envelope id of a result: `<job>.<attempt>`. */
const RESULT_ID = /^([0-9a-z]{15})\.(\d{1,9})$/

/** Type and id of an event, read without parsing all of it. */
export interface EventHead {
  type: string
  id: string
}

/** Reads the head of an event; undefined if it does not begin like those of our own drivers. */
export function readHead(body: Uint8Array): EventHead | undefined {
  const [, type, id] = HEAD.exec(new TextDecoder().decode(body.subarray(0, HEAD_BYTES))) ?? []
  return type === undefined || id === undefined ? undefined : { type, id }
}

/** The failure of a job whose results are too large to be read; its message says what to reduce. */
export const TOO_LARGE: JobFailure = { class: 'user', ...RESULTS_TOO_LARGE }

/** The failure of a job whose result cannot be read for `reason`. */
export function unreadable(reason: string): JobFailure {
  const message = `The result of the driver cannot be read: ${reason}`.slice(0, 2_000)
  return { class: 'user', message, error_code: INVALID_RESULTS }
}

/**
 * The failed result that replaces one that cannot be read. A retry would produce the same, so the job fails.
 * Undefined for other events. Our own driver ends such a job itself.
 */
export function failedResult(
  { type, id }: EventHead,
  error: JobFailure,
  { source, clock }: { source: { epoch: number }; clock: Clock },
): EventEnvelope | undefined {
  const [, job, attempt] = RESULT_ID.exec(id) ?? []
  if (type !== 'JobResult' || job === undefined) return undefined
  const payload: EventPayload<'JobResult'> = {
    status: 'failed',
    job,
    attempt: Number(attempt),
    epoch: source.epoch,
    // The execution time is in the part that was not read: nothing is charged.
    execution_ms: 0,
    error,
  }
  return { type, id, ts: new Date(clock.now()).toISOString(), payload }
}

/**
 * The failed report that replaces one that cannot be read, so that its request does not run forever.
 * Undefined for other events.
 */
export function failedReport(
  { type, id }: EventHead,
  reason: string,
  { clock }: { clock: Clock },
): EventEnvelope | undefined {
  if (type !== 'CalibrationReport' || !REPORT_ID.test(id)) return undefined
  const at = new Date(clock.now()).toISOString()
  const payload: EventPayload<'CalibrationReport'> = {
    run_id: id,
    request_id: null,
    started_at: at,
    ended_at: at,
    status: 'failed',
    backend: '',
    device_file: null,
    routines: [],
    benchmarks: [],
    skipped: [],
    notes: [],
    errors: [`The report of the tuner cannot be read: ${reason}`.slice(0, 2_000)],
  }
  return { type, id, ts: at, payload }
}
