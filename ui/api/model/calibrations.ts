import * as v from 'valibot'
import { count } from './fields.ts'

/** A text that may be absent or null; empty then. */
const text = v.pipe(
  v.optional(v.nullable(v.string()), ''),
  v.transform((given) => given ?? ''),
)

const page = <T extends v.GenericSchema>(item: T) => v.object({ items: v.array(item), totalItems: count })

/** A calibration in the queue of its tuner; `progress` is whatever the tuner reports. */
export const calibrationRequest = v.object({
  id: v.string(),
  driver: text,
  mode: text,
  status: text,
  progress: v.optional(v.unknown()),
  target_qubits: v.optional(v.unknown()),
  requested_by: text,
  error: text,
  started_at: text,
  finished_at: text,
  result: text,
  resumes: text,
  created: text,
})
export type CalibrationRequest = v.InferOutput<typeof calibrationRequest>
export const calibrationRequests = page(calibrationRequest)

/** A report as listed: without its routines, which may have megabytes. */
const listedReport = v.object({
  id: v.string(),
  driver: text,
  qpu: text,
  request: text,
  /** Superusers read who has requested it. */
  expand: v.optional(v.object({ request: v.optional(v.object({ requested_by: text })) })),
  mode: text,
  status: text,
  started_at: text,
  finished_at: text,
  device_file: v.optional(v.unknown()),
  traces_stripped: v.optional(v.boolean(), false),
  recalled: v.optional(v.nullable(v.object({ reason: v.string() }))),
})
export type ListedReport = v.InferOutput<typeof listedReport>
export const listedReports = page(listedReport)

/** A whole report. What the tuner wrote is read with care, since tuners differ. */
export const calibrationReport = v.object({
  ...listedReport.entries,
  routines: v.optional(v.unknown()),
  benchmarks: v.optional(v.unknown()),
  skipped: v.optional(v.unknown()),
  notes: v.optional(v.unknown()),
  backend: text,
  error: text,
})
export type CalibrationReport = v.InferOutput<typeof calibrationReport>

/** How long the routines of an earlier run took. */
export const routineTimes = v.object({ routines: v.optional(v.unknown()) })

const tuner = v.object({
  id: v.string(),
  name: v.string(),
  qpu: v.string(),
  status: text,
  enabled: v.optional(v.boolean(), true),
})
export type Tuner = v.InferOutput<typeof tuner>
export const tuners = page(tuner)

const measurement = {
  at: v.string(),
  value: v.number(),
  error: v.nullable(v.number()),
  routine: text,
  report: text,
}

/** The newest value of every parameter of a QPU. */
export const latestValues = v.object({
  values: v.array(v.object({ element: v.string(), parameter: v.string(), unit: text, ...measurement })),
})

/** One parameter of a qubit or an edge over time. */
export const valueHistory = v.object({ unit: text, values: v.array(v.object(measurement)) })
export type ValueHistory = v.InferOutput<typeof valueHistory>

/** What the pages of calibrations read of one QPU. */
export const calibratedQpu = v.object({
  id: v.string(),
  name: v.string(),
  queue_length: count,
})
