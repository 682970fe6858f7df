import * as v from 'valibot'
import { MIB } from '../base/index.ts'

/** Limits of a description that both driver and server enforce. */
export const DESCRIPTION_LIMITS = {
  /** The event with a description as JSON text in UTF-8. */
  bytes: MIB,
  qubits: 10_000,
  gates: 1_000,
  /** Entries of one gate: the qubits and pairs that it acts on. */
  places: 20_000,
  features: 100,
  nameLength: 100,
} as const

/**
 * What a device may be able to do besides gates and a final measurement. A description may name others, of
 * which this version knows no use. The order is stored, see `src/server/qpus/features.ts`: append only.
 */
export const DEVICE_FEATURES = [
  'reset',
  'mid_circuit',
  'feedback',
  'inputs',
  'loops',
  'meas_level_0',
  'meas_level_1',
  'optimization_level',
  'exact',
  'dynamical_decoupling',
  'single_precision',
  'quality_condition',
  'scheduling',
] as const
export type DeviceFeature = (typeof DEVICE_FEATURES)[number]

/**
 * Features of options that a device may not know, and would then leave out in silence: it has them only if
 * its description lists them.
 */
export const LISTED_FEATURES = [
  'exact',
  'dynamical_decoupling',
  'single_precision',
  'quality_condition',
  'scheduling',
] as const satisfies readonly DeviceFeature[]

const { nameLength, qubits, gates, places, features } = DESCRIPTION_LIMITS
const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(nameLength))
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0))
const duration = v.pipe(v.number(), v.finite(), v.minValue(0))
const coordinate = v.pipe(v.number(), v.finite())
const error = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const qubitIndex = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(qubits - 1))
const limit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000_000))
const calibratedAt = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.description('UTC time at which the newest of its values in use was measured'),
)

/** Values with a flaw, and what they are needed for: gates, readout, or the bits of a readout. */
const values = v.pipe(
  v.array(
    v.object({
      use: v.picklist(['gates', 'readout', 'bits']),
      reason: v.pipe(v.string(), v.maxLength(200)),
    }),
  ),
  v.maxLength(20),
)
const uncalibrated = v.pipe(
  values,
  v.description('What is not calibrated; a job may use it all the same with allow_uncalibrated'),
)
const stale = v.pipe(values, v.description('What a check has found stale; jobs that use it have warnings'))

const qubit = v.looseObject({
  name,
  t1_s: v.optional(positive),
  t2_s: v.optional(positive),
  frequency_hz: v.optional(positive),
  /** Mean probability of reading a wrong outcome. */
  readout_error: v.optional(error),
  /** Probability of each outcome (columns) for each state (rows). */
  readout_assignment: v.optional(v.pipe(v.array(v.pipe(v.array(error), v.length(2))), v.length(2))),
  /** How the qubits of its readout line are read together: of the first qubit of a line. */
  readout_line: v.optional(
    v.looseObject({
      /** The first one is the lowest bit of states and outcomes. */
      qubits: v.pipe(v.array(qubitIndex), v.minLength(2), v.maxLength(10)),
      /** Probability of each outcome (columns) for each state (rows). */
      assignment: v.pipe(v.array(v.array(error)), v.maxLength(1024)),
    }),
  ),
  calibrated_at: v.optional(calibratedAt),
  /** Place on the chip for maps, in any unit; y grows downwards. */
  x: v.optional(coordinate),
  y: v.optional(coordinate),
  /** False for a qubit that must not be used. */
  operational: v.optional(v.boolean()),
  /** Why it is not operational, if a calibration would make it so. */
  uncalibrated: v.optional(uncalibrated),
  stale: v.optional(stale),
})

/** Where a gate acts, with its average error and its duration there. */
const place = v.looseObject({
  qubits: v.pipe(v.array(qubitIndex), v.minLength(1), v.maxLength(10)),
  error: v.optional(error),
  calibrated_at: v.optional(calibratedAt),
  duration_s: v.optional(duration),
  operational: v.optional(v.boolean()),
  uncalibrated: v.optional(uncalibrated),
  stale: v.optional(stale),
})

const gate = v.looseObject({
  /** As in programs: `sx`, `cz`. */
  name,
  params: v.optional(v.pipe(v.array(name), v.maxLength(20))),
  /** All qubits, in any combination, when absent. */
  on: v.optional(v.pipe(v.array(place), v.maxLength(places))),
  /** Takes no time and adds no error. */
  virtual: v.optional(v.boolean()),
})

const entries = v.object({
  /** Version of this format; a newer one keeps the meaning of these keys. */
  schema: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Number of qubits to write programs for, if it is neither the number of `qubits` nor a limit. */
  num_qubits: v.optional(v.pipe(limit, v.maxValue(1_000_000))),
  qubits: v.optional(v.pipe(v.array(qubit), v.maxLength(qubits))),
  /** Without gates, everything in `stdgates.inc` between any qubits. */
  gates: v.optional(v.pipe(v.array(gate), v.maxLength(gates))),
  measure: v.optional(v.looseObject({ duration_s: v.optional(duration) })),
  reset: v.optional(v.looseObject({ duration_s: v.optional(duration) })),
  /** Unit of time of the device. */
  dt_s: v.optional(positive),
  /** A device that lists its features has no others. */
  features: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/))), v.maxLength(features)),
  ),
  limits: v.optional(
    v.object({
      /** Shots of one circuit. */
      shots: v.optional(limit),
      /** Circuits of a job multiplied by their parameter sets. */
      executions: v.optional(limit),
      /** Qubits that a program declares. */
      qubits: v.optional(limit),
      /** Length of a shot without the wait before it, s. */
      schedule_s: v.optional(positive),
      /** Measurements of a shot. */
      acquisitions: v.optional(limit),
      /** Pulses of a shot. */
      pulses: v.optional(limit),
      /** Conditions on outcomes in a program. */
      branches: v.optional(limit),
      /** Results of a job as JSON text in UTF-8. */
      result_bytes: v.optional(limit),
      /** Time that the driver gives a job, s; stated by the driver. */
      job_timeout_s: v.optional(positive),
      /** Time that a shot takes at least besides its schedule, s: with it, jobs are judged by their time. */
      shot_s: v.optional(duration),
    }),
  ),
  simulator: v.optional(v.boolean()),
  /** UTC time of the last calibration. */
  calibrated_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  /** Identifies the values in use: another one when they have changed. */
  device_config: v.optional(name),
})

/** What a QPU can run, as its device describes it. Everything that is absent is not known. */
export const deviceDescription = v.pipe(
  entries,
  v.check(
    ({ qubits: known, gates: described = [] }) =>
      known === undefined ||
      described.every(({ on = [] }) => on.every((at) => at.qubits.every((each) => each < known.length))),
    'Expected gates on the described qubits only',
  ),
)
export type DeviceDescription = v.InferInput<typeof deviceDescription>
