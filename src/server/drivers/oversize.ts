import type { Clock } from '../../base/index.ts'
import { type EventEnvelope, type EventPayload, RESULTS_TOO_LARGE } from '../../protocol/index.ts'

/** How our own drivers begin every event: enough to answer one that is too large to be parsed. */
const HEAD = /^\{"type":"(\w{1,100})","id":"([^"\\]{1,100})"/
const HEAD_BYTES = 256
/** Envelope id of a calibration report: the run. */
const REPORT_ID = /^[0-9a-z]{15}$/
/** Envelope id of a result: `<job>.<attempt>`. */
const RESULT_ID = /^([0-9a-z]{15})\.(\d{1,9})$/

/** Type and id of an event, read without parsing the whole. */
export interface EventHead {
  type: string
  id: string
}

/** The head of an event, when it stands where our own drivers write it. */
export function readHead(body: Uint8Array): EventHead | undefined {
  const [, type, id] = HEAD.exec(new TextDecoder().decode(body.subarray(0, HEAD_BYTES))) ?? []
  return type === undefined || id === undefined ? undefined : { type, id }
}

/**
 * The failure that stands for results too large to be read: running the job again would give the same, so it ends
 * and says what to reduce. Undefined for events that are no results. Our own driver ends such a job itself.
 */
export function failedResult(
  { type, id }: EventHead,
  { source, clock }: { source: { epoch: number }; clock: Clock },
): EventEnvelope | undefined {
  const [, job, attempt] = RESULT_ID.exec(id) ?? []
  if (type !== 'JobResult' || job === undefined) return undefined
  const payload: EventPayload<'JobResult'> = {
    status: 'failed',
    job,
    attempt: Number(attempt),
    epoch: source.epoch,
    // Executed, but for how long is in the part that was not read: nothing is charged.
    execution_ms: 0,
    error: { class: 'user', ...RESULTS_TOO_LARGE },
  }
  return { type, id, ts: new Date(clock.now()).toISOString(), payload }
}

/**
 * The failed report that stands for one that cannot be read: its request must not run for ever. Undefined for events
 * that are no reports.
 */
export function failedReport(
  { type, id }: EventHead,
  reason: string,
  { clock }: { clock: Clock },
): EventEnvelope | undefined {
  if (type !== 'CalibrationReport' || !REPORT_ID.test(id)) return undefined
  const at = new Date(clock.now()).toISOString()
  const payload: EventPayload<'CalibrationReport'> = {
    ...{ run_id: id, request_id: null, started_at: at, ended_at: at, status: 'failed' },
    ...{ backend: '', device_file: null, routines: [], benchmarks: [], skipped: [], notes: [] },
    errors: [`The report of the tuner cannot be read: ${reason}`.slice(0, 2_000)],
  }
  return { type, id, ts: at, payload }
}
