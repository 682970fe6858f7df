import * as v from 'valibot'
import { describeBytes, MIB } from '../base/index.ts'
import { qualityCondition } from './quality.ts'

/** Limits of a job that both server and driver enforce. */
export const JOB_LIMITS = {
  shots: 1_000_000,
  /** Circuits multiplied by their parameter sets. */
  executions: 300,
  programBytes: 10_000_000,
  payloadBytes: 10 * MIB,
  parameters: 100_000,
  /** Pauli sums of one circuit. */
  observables: 1_000,
  /** Results as JSON text in UTF-8; larger results fail the job. Storing more takes longer than 50 ms. */
  resultBytes: 8 * MIB,
  /** The same of what is kept of the results of a job before it ends. */
  partialBytes: 2 * MIB,
} as const

/** Failure of a job whose results are larger than `JOB_LIMITS.resultBytes`; a retry would give the same. */
export const RESULTS_TOO_LARGE = {
  error_code: 'results_too_large',
  message: `The results are larger than ${describeBytes(JOB_LIMITS.resultBytes)}. Ask for memory with memory_format packed, which takes the least space and comes without counts where they do not fit, or for fewer shots or circuits; at meas_level 1 for meas_return avg`,
} as const

const finite = v.pipe(v.number(), v.finite())
const parameterSet = v.pipe(v.array(finite), v.maxLength(JOB_LIMITS.parameters))
const shots = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(JOB_LIMITS.shots))

const pauliLabel = v.pipe(
  v.string(),
  v.regex(/^[IXYZ]{1,10000}$/, 'Expected a letter I, X, Y or Z for each qubit, that of qubit 0 last'),
)

/** A sum of Pauli operators with real coefficients. */
const pauliSum = v.pipe(
  v.record(pauliLabel, finite),
  v.check((sum) => Object.keys(sum).length > 0, 'Expected at least one term, such as {"ZZ": 1}'),
)

/** One program of a job. `parameter_values` is a list of sets; each set yields one result, in order. */
export const circuitEntry = v.strictObject({
  circuit: v.pipe(
    v.string(),
    v.nonEmpty(),
    // Not `maxBytes`, which encodes the text: 30 ms for the largest one.
    v.check((text) => Buffer.byteLength(text) <= JOB_LIMITS.programBytes, 'Expected at most 10 MB'),
  ),
  parameter_values: v.optional(v.array(parameterSet)),
  shots: v.optional(shots),
  /** In a job with `exact`: observables whose means are the result; without any, probabilities are. */
  expectation_values: v.optional(
    v.pipe(
      v.array(pauliSum),
      v.minLength(1),
      v.maxLength(JOB_LIMITS.observables),
      v.description('Pauli sums by label, qubit 0 last, of which exact means are asked for: [{"ZZ": 0.5}]'),
    ),
  ),
})
export type CircuitEntry = v.InferOutput<typeof circuitEntry>

/** Limits of what a client names. */
export const LABEL_LIMITS = {
  /** Characters of the name of a job or circuit. */
  nameLength: 200,
  /** JSON text of the metadata of one circuit, in UTF-8. */
  metadataBytes: 4_096,
  tags: 10,
  tagLength: 64,
} as const

export const labelName = v.pipe(v.string(), v.maxLength(LABEL_LIMITS.nameLength))

/** What a client calls one circuit; its results return it in their `header`. */
export const circuitLabel = v.object({
  name: v.optional(labelName),
  metadata: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.check(
        (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= LABEL_LIMITS.metadataBytes,
        `Expected at most ${LABEL_LIMITS.metadataBytes} bytes of JSON`,
      ),
    ),
  ),
})
export type CircuitLabel = v.InferOutput<typeof circuitLabel>

/** Input of a device: complete, with every default filled in. */
export const jobPayload = v.strictObject({
  circuits: v.pipe(v.array(circuitEntry), v.minLength(1), v.maxLength(JOB_LIMITS.executions)),
  shots,
  meas_level: v.picklist([0, 1, 2]),
  meas_return: v.picklist(['single', 'avg']),
  memory: v.boolean(),
  seed: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))),
  acq_rotation: v.optional(v.nullable(finite)),
  acq_threshold: v.optional(v.nullable(finite)),
  /** Form of the outcomes that `memory` adds; `hex` when absent. */
  memory_format: v.optional(v.picklist(['hex', 'packed'])),
  /** Older drivers refuse it, so it is absent unless it is true. */
  allow_uncalibrated: v.optional(
    v.pipe(v.boolean(), v.description('Also use parts of the chip that are not calibrated')),
  ),
  /**
   * How much a compiler changes circuits; see `docs/explanation/compilation.md`. The device decides when
   * absent.
   */
  optimization_level: v.optional(v.picklist([0, 1, 2])),
  /** Older drivers refuse it, so it is absent unless it is true. */
  exact: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Exact expectation values or probabilities in place of shots; simulators only'),
    ),
  ),
  /** Older drivers refuse it, so it is absent unless it is `single`. */
  precision: v.optional(
    v.pipe(
      v.picklist(['double', 'single']),
      v.description('Precision of simulated amplitudes; single takes half the memory and time of double'),
    ),
  ),
  /** Pulses in the waits of qubits; see `docs/explanation/compilation.md`. None when absent. */
  dynamical_decoupling: v.optional(v.picklist(['none', 'XX', 'XY4'])),
  /** When operations start; see `docs/explanation/compilation.md`. As late as possible when absent. */
  scheduling: v.optional(v.picklist(['alap', 'asap'])),
  /** Older drivers refuse it. */
  require: v.optional(qualityCondition),
})
export type JobPayload = v.InferOutput<typeof jobPayload>

/** Whether the bits of a job come from the discriminators of its device. */
export function needsDiscriminators({
  meas_level,
  acq_rotation,
  acq_threshold,
}: Pick<JobPayload, 'meas_level' | 'acq_rotation' | 'acq_threshold'>): boolean {
  return meas_level === 2 && (acq_rotation ?? acq_threshold ?? undefined) === undefined
}

const numbers = v.record(v.string(), v.number())

/** Counts. They are not copied, as `v.record` does, which takes longer than parsing the text of many. */
const counts: typeof numbers = {
  ...numbers,
  '~run': (dataset, config) =>
    areNumbers(dataset.value)
      ? { typed: true, value: dataset.value, issues: undefined }
      : numbers['~run'](dataset, config),
}

function areNumbers(value: unknown): value is Record<string, number> {
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] !== 'number') return false
  return true
}

/** The outcome of one circuit with one parameter set. */
export const circuitResult = v.looseObject({
  /** Shots that the job asks for: the sum of `counts` and `discarded_shots`; 0 for exact values. */
  shots: v.number(),
  /**
   * Bit string (classical bit 0 rightmost, no spaces) → number of shots. Absent at other levels than 2, and
   * with `counts_omitted`.
   */
  counts: v.optional(counts),
  counts_omitted: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'Counts are left out, because results with them are too large: they follow from the packed memory',
      ),
    ),
  ),
  /** In a job with `exact`: the mean of each observable, in order. */
  expectation_values: v.optional(v.array(v.number())),
  /** In a job with `exact` and without observables: bit string → probability, of all that are not 0. */
  probabilities: v.optional(counts),
  /** Shots that the device ran and left out of counts and memory; none when absent. */
  discarded_shots: v.optional(v.number()),
  /**
   * At level 2 `0x…` per shot, or one text with all shots packed; at level 1 `[re, im]` per slot.
   */
  memory: v.optional(v.unknown()),
  header: v.looseObject({
    name: v.string(),
    n_qubits: v.number(),
    memory_slots: v.number(),
    creg_sizes: v.array(v.tuple([v.string(), v.number()])),
    qreg_sizes: v.array(v.tuple([v.string(), v.number()])),
    metadata: v.record(v.string(), v.unknown()),
  }),
  metadata: v.record(v.string(), v.unknown()),
})
export type CircuitResult = v.InferOutput<typeof circuitResult>

/** Results of single circuits of a job before its end, with their positions in `circuit_results`. */
export const partialResults = v.pipe(
  v.array(
    v.object({
      index: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(JOB_LIMITS.executions - 1)),
      result: circuitResult,
    }),
  ),
  v.maxLength(JOB_LIMITS.executions),
)
export type PartialResults = v.InferOutput<typeof partialResults>

/** Results of a completed job. The top-level `counts` and `shots` repeat the first circuit's. */
export const jobResults = v.looseObject({
  success: v.boolean(),
  backend: v.string(),
  shots: v.number(),
  counts: v.optional(counts),
  circuit_results: v.array(circuitResult),
  metadata: v.record(v.string(), v.unknown()),
})
export type JobResults = v.InferOutput<typeof jobResults>

/** Why a job has no results. `user`: the job itself is at fault; `device`: running it again may help. */
export const jobFailure = v.strictObject({
  class: v.picklist(['user', 'device']),
  message: v.pipe(v.string(), v.maxLength(4_000)),
  error_code: v.optional(v.pipe(v.string(), v.maxLength(100))),
  circuit_index: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /**
   * What its owner and superusers may read besides, such as the last line of an exception. Sent only with
   * jobs whose command has `expected`: earlier servers refuse it.
   */
  detail: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
})
export type JobFailure = v.InferOutput<typeof jobFailure>
