import * as v from 'valibot'
import { CALIBRATION_LIMITS, calibrationId, calibrationMode, targetName } from './calibration.ts'
import { expectedResults } from './expected-results.ts'
import { circuitLabel, jobPayload } from './jobs.ts'

const id = v.pipe(v.string(), v.regex(/^[0-9a-z]{15}$/))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Runs attempt `attempt` of a job under lease `epoch`; a driver rejects an epoch older than its own. */
export const runJob = v.object({
  type: v.literal('RunJob'),
  job: id,
  attempt: count,
  epoch: count,
  /** Milliseconds the execution may take from its start; 0 = the driver's own limit alone applies. */
  limit_ms: count,
  payload: jobPayload,
  /** One entry per circuit, for the headers of its results. */
  labels: v.optional(v.array(circuitLabel)),
  /** What its results must contain; older servers do not send it. */
  expected: v.optional(expectedResults),
  /** Whether the server stores `JobProgress`; servers before do not say so. */
  knows_progress: v.optional(v.boolean()),
})
export type RunJob = v.InferOutput<typeof runJob>

/** An operator has withdrawn this attempt: stop it; its result is discarded. */
export const stopJob = v.object({ type: v.literal('StopJob'), job: id, attempt: count })
export type StopJob = v.InferOutput<typeof stopJob>

/** Runs a calibration under lease `epoch`; a tuner runs one at a time, identified by `run_id`. */
export const runCalibration = v.object({
  type: v.literal('RunCalibration'),
  run_id: calibrationId,
  request_id: calibrationId,
  epoch: count,
  mode: calibrationMode,
  /** With mode `partial`: the qubits and edges to calibrate. */
  target_qubits: v.pipe(v.array(targetName), v.maxLength(CALIBRATION_LIMITS.targets)),
  /** The request whose finished steps are not repeated; tuners of earlier releases repeat them. */
  resume: v.optional(calibrationId),
  /** Milliseconds the run may take from its start; 0 = as long as it needs. */
  limit_ms: count,
})
export type RunCalibration = v.InferOutput<typeof runCalibration>

/** The run is no longer needed: end it soon and report what was measured. */
export const stopCalibration = v.object({ type: v.literal('StopCalibration'), run_id: calibrationId })
export type StopCalibration = v.InferOutput<typeof stopCalibration>

/** The server has stored (or deliberately dropped) the event with this id: delete it. */
export const eventAck = v.object({
  type: v.literal('EventAck'),
  event: v.string(),
  /** False when the event changed nothing: it was stale or did not match its type. */
  applied: v.boolean(),
  /**
   * `unknown_job`: the server has no such job, perhaps because it was restored from an older backup; the
   * driver keeps the result. Older servers do not send it.
   */
  reason: v.optional(v.picklist(['unknown_job'])),
})
export type EventAck = v.InferOutput<typeof eventAck>

/** The QPU runs no job: the run that the tuner has announced with `waits` may begin. */
const beginCalibration = v.object({ type: v.literal('BeginCalibration'), run_id: calibrationId })

/** The QPU went into (or came out of) maintenance. */
export const setMaintenance = v.object({
  type: v.literal('SetMaintenance'),
  on: v.boolean(),
  reason: v.string(),
  /** Whether the server stores reports of status `aborted`; servers before do not say so. */
  knows_aborted: v.optional(v.boolean()),
  /** Whether the server sends `BeginCalibration`; servers before do not say so. */
  begins_runs: v.optional(v.boolean()),
})
export type SetMaintenance = v.InferOutput<typeof setMaintenance>

/** All commands that the server may push to a driver. */
export const COMMANDS = [
  beginCalibration,
  eventAck,
  runCalibration,
  runJob,
  setMaintenance,
  stopCalibration,
  stopJob,
] as const
/** Any command. */
export const command = v.variant('type', COMMANDS)
export type Command = v.InferOutput<typeof command>
