/** Server responses, limited to the fields that the dashboard reads. Unknown fields are ignored. */
import * as v from 'valibot'

const text = v.optional(v.nullable(v.string()), '')
const count = v.optional(v.nullable(v.number()))

/** Public configuration of the service. */
export const uiConfig = v.object({
  name: v.string(),
  version: v.string(),
  passwordLogin: v.boolean(),
  /** Configured collection names by their default names. */
  collections: v.record(v.string(), v.string()),
})
export type UiConfig = v.InferOutput<typeof uiConfig>

/** The signed-in account. `qpu_seconds` is its QPU-time balance in s; superusers have none. */
export const account = v.object({
  id: v.string(),
  collectionName: v.string(),
  email: text,
  qpu_seconds: v.optional(v.number()),
})
export type Account = v.InferOutput<typeof account>

/** Response to a login and to a token refresh. */
export const auth = v.object({ token: v.string(), record: account })
export type Auth = v.InferOutput<typeof auth>

export const qpu = v.object({
  id: v.string(),
  name: v.string(),
  status: v.string(),
  enabled: v.boolean(),
  maintenance: v.optional(v.boolean(), false),
  maintenance_reason: text,
  num_qubits: count,
  executor_type: text,
})
export type Qpu = v.InferOutput<typeof qpu>
export const qpus = v.array(qpu)

/** Why a QPU takes no jobs; a QPU that takes jobs has no entry. */
export const availability = v.array(v.object({ id: v.string(), name: v.string(), reason: v.string() }))
export type Availability = v.InferOutput<typeof availability>

const JOB_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]
const jobStatus = v.picklist(JOB_STATUSES)

const circuitEntry = v.object({
  circuit: v.string(),
  parameter_values: v.optional(v.nullable(v.array(v.array(v.number())))),
})

const circuitResult = v.object({
  shots: v.optional(v.number()),
  counts: v.optional(v.nullable(v.record(v.string(), v.number()))),
})

/** Why a job has no results: a message, with or without a code. */
const failure = v.union([
  v.string(),
  v.pipe(
    v.object({ message: v.string() }),
    v.transform(({ message }) => message),
  ),
])

/** A job. `duration` in s, `queue_position` from 1; times are UTC text, empty until they occur. */
export const job = v.object({
  id: v.string(),
  status: jobStatus,
  qpu_target: text,
  created: text,
  started_at: text,
  finished_at: text,
  duration: count,
  attempt: count,
  queue_position: count,
  waiting: v.optional(v.nullable(v.object({ code: v.string(), text: v.string(), until: text }))),
  estimated_start: v.optional(v.nullable(v.object({ from: v.string(), to: v.string() }))),
  error: v.optional(v.nullable(failure)),
  payload: v.optional(
    v.nullable(
      v.object({
        circuits: v.optional(v.array(circuitEntry)),
        shots: v.optional(v.number()),
      }),
    ),
  ),
  results: v.optional(
    v.nullable(
      v.object({
        circuit_results: v.optional(v.array(circuitResult)),
        error: v.optional(v.nullable(failure)),
      }),
    ),
  ),
})
export type Job = v.InferOutput<typeof job>
export const jobs = v.array(job)

export const createdJob = v.object({ id: v.string() })

/** A change of a record as sent on the event stream. */
export const liveEvent = v.object({
  action: v.picklist(['create', 'update', 'delete']),
  record: v.looseObject({ id: v.string() }),
})
export type LiveEvent = v.InferOutput<typeof liveEvent>

/** The error envelope. */
export const failureBody = v.object({
  message: v.string(),
  code: text,
  request_id: text,
  data: v.optional(
    v.record(
      v.string(),
      v.object({
        code: text,
        message: v.string(),
        params: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
      }),
    ),
    {},
  ),
})
export type FieldFailure = v.InferOutput<typeof failureBody>['data'][string]
