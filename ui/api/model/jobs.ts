import * as v from 'valibot'
import { count, text } from './fields.ts'

const JOB_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]
const jobStatus = v.picklist(JOB_STATUSES)

const circuitEntry = v.object({
  circuit: v.string(),
  parameter_values: v.optional(v.nullable(v.array(v.array(v.number())))),
})

const register = v.tuple([v.string(), v.number()])

const circuitResult = v.object({
  shots: v.optional(v.number()),
  counts: v.optional(v.nullable(v.record(v.string(), v.number()))),
  counts_omitted: v.optional(v.boolean(), false),
  discarded_shots: v.optional(v.number()),
  /** Exact values in place of counts: means of the observables, or probabilities of outcomes. */
  expectation_values: v.optional(v.array(v.number())),
  probabilities: v.optional(v.record(v.string(), v.number())),
  /**
   * Points at measurement level 1, traces at level 0; see `readIqPoints` and `readTraces`. At level 2 the
   * outcome of each shot, packed into one text if counts are omitted; see `countsOfResult`.
   */
  memory: v.optional(v.unknown()),
  header: v.optional(
    v.object({
      name: text,
      creg_sizes: v.optional(v.array(register), []),
      memory_slots: v.optional(v.number()),
    }),
  ),
  metadata: v.optional(
    v.object({
      warnings: v.optional(v.array(v.string())),
      compiled_circuit: v.optional(v.string()),
      /** Unit of the points and traces in `memory`. */
      memory_unit: text,
      /** Seed of the pseudo-random numbers that a simulator drew. */
      seed: count,
    }),
  ),
})
export type CircuitResult = v.InferOutput<typeof circuitResult>

/** Why a job has no results: a message, with or without a code. */
const failure = v.union([
  v.string(),
  v.pipe(
    v.object({ message: v.string() }),
    v.transform(({ message }) => message),
  ),
])

/** One event of a job, oldest first. */
const timelineEntry = v.object({ at: v.string(), event: v.string(), attempt: v.number(), detail: text })
export type TimelineEntry = v.InferOutput<typeof timelineEntry>

const fileState = v.object({ sha256: v.string(), modified_at: v.string() })

const calibrationState = v.object({ report: text, calibrated_at: text, device_file: v.optional(fileState) })

/** The calibration of a QPU when an attempt began and when it ended. */
const calibration = v.object({
  before: calibrationState,
  after: calibrationState,
  changed: v.optional(v.boolean(), false),
})
export type Calibration = v.InferOutput<typeof calibration>

/** What an attempt ran with; what its driver does not report is absent. */
const provenance = v.object({
  device: v.optional(v.object({ name: v.string(), version: text })),
  driver: v.optional(v.object({ version: v.string() })),
  compiler: v.optional(
    v.object({
      version: text,
      options: v.optional(v.record(v.string(), v.union([v.string(), v.number()])), {}),
    }),
  ),
  noise_file: v.optional(v.object({ before: fileState, after: fileState })),
  calibration: v.optional(calibration),
})
export type Provenance = v.InferOutput<typeof provenance>

/** One claim of a job for a driver. */
const attempt = v.object({
  attempt: v.number(),
  qpu: text,
  driver: text,
  state: v.string(),
  claimed_at: text,
  started_at: text,
  ended_at: text,
  provenance: v.optional(provenance),
})
export type Attempt = v.InferOutput<typeof attempt>

const seconds = v.object({ from: v.number(), to: v.number() })

/** What is expected of a job, in s and UTC text; null start = nobody can say. */
export const estimate = v.object({
  qpu_seconds: seconds,
  start: v.nullable(v.object({ from: v.string(), to: v.string() })),
  charge: seconds,
  basis: v.string(),
})
export type Estimate = v.InferOutput<typeof estimate>

/** What the server would do with a job. */
export const dryRun = v.object({
  estimate: v.optional(v.nullable(estimate), null),
  warnings: v.optional(v.array(v.object({ code: v.string(), message: v.string() })), []),
})
export type DryRun = v.InferOutput<typeof dryRun>

/** A job. `duration` in s, `queue_position` from 1; times are UTC text, empty until they occur. */
export const job = v.object({
  id: v.string(),
  name: text,
  tags: v.optional(v.nullable(v.array(v.string())), []),
  user_id: text,
  status: jobStatus,
  held: v.optional(v.boolean(), false),
  /** Most shots of one of its circuits; 0 = unknown. */
  shots: count,
  qpu_target: text,
  qpu: text,
  created: text,
  started_at: text,
  finished_at: text,
  duration: count,
  attempt: count,
  /** Part that its last attempt has done, 0 to 1; 0 = not reported. */
  progress: count,
  charged_seconds: count,
  /** At its submission. */
  estimate: v.optional(v.nullable(estimate)),
  /** Most QPU time that it may use, s. */
  max_seconds: v.optional(v.nullable(v.number())),
  timeline: v.optional(v.array(timelineEntry), []),
  attempts: v.optional(v.array(attempt), []),
  calibration: v.optional(v.nullable(calibration)),
  disturbed_by: text,
  recalled: v.optional(v.nullable(v.object({ reason: v.string(), at: v.string() }))),
  queue_position: count,
  waiting: v.optional(v.nullable(v.object({ code: v.string(), text: v.string(), since: text, until: text }))),
  estimated_start: v.optional(v.nullable(v.object({ from: v.string(), to: v.string() }))),
  error: v.optional(v.nullable(failure)),
  payload: v.optional(
    v.nullable(
      v.object({
        circuits: v.optional(v.array(circuitEntry)),
        shots: v.optional(v.number()),
        meas_level: v.optional(v.number(), 2),
        meas_return: text,
        seed: count,
        exact: v.optional(v.boolean(), false),
        require: v.optional(v.record(v.string(), v.string())),
        acq_rotation: count,
        acq_threshold: count,
      }),
    ),
  ),
  results: v.optional(
    v.nullable(
      v.object({
        circuit_results: v.optional(v.array(circuitResult)),
        /** `calibration`: the values in use, by qubit or edge. */
        metadata: v.optional(v.object({ calibration: v.optional(v.record(v.string(), v.unknown())) })),
        error: v.optional(v.nullable(failure)),
        error_code: text,
      }),
    ),
  ),
})
export type Job = v.InferOutput<typeof job>
export const jobs = v.array(job)

/** Results of circuits that have ended of a job that has not completed, by places in the whole results. */
export const partialResults = v.object({
  results: v.array(v.object({ index: v.number(), result: circuitResult })),
})
export type PartialResults = v.InferOutput<typeof partialResults>['results']

/** The results in the response of any route that has those of a job, with all that they have. */
export const rawResults = v.pipe(
  v.object({ results: v.optional(v.unknown()), job: v.optional(v.object({ results: v.unknown() })) }),
  v.transform((body) => (body.job ?? body).results),
)

export const jobCount = v.object({ count: v.number() })

export const createdJob = v.object({ id: v.string() })
