import * as v from 'valibot'
import { MIB } from '../base/index.ts'

/** Limits of a calibration that both server and driver enforce. */
export const CALIBRATION_LIMITS = {
  /** Maximum number of qubits and edges to which a partial calibration may be restricted. */
  targets: 1_000,
  nameLength: 100,
  textLength: 2_000,
  /** A report as JSON text in UTF-8; if it is larger, it is sent without its traces. */
  reportBytes: 8 * MIB,
  /** Points of the trace that a step shows while the run goes on. */
  tracePoints: 200,
  /** Outcomes of earlier steps that a step names. */
  stepOutcomes: 100,
} as const

/** `fidelity_check`: benchmarks only; `partial`: stale nodes of some qubits; `full`: the whole graph. */
const CALIBRATION_MODES = ['fidelity_check', 'partial', 'full'] as const
export const calibrationMode = v.picklist(CALIBRATION_MODES)
export type CalibrationMode = (typeof CALIBRATION_MODES)[number]

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const finite = v.pipe(v.number(), v.finite())
const name = v.pipe(v.string(), v.maxLength(CALIBRATION_LIMITS.nameLength))
const text = v.pipe(v.string(), v.maxLength(CALIBRATION_LIMITS.textLength))
const time = v.pipe(v.string(), v.isoTimestamp())
const names = v.pipe(v.array(name), v.maxLength(CALIBRATION_LIMITS.targets))

/** Id of a calibration request, or of one run of it. */
export const calibrationId = v.pipe(v.string(), v.regex(/^[0-9a-z]{15}$/, 'Expected an id of 15 characters'))

/** Name of a qubit or an edge, as in the device file. */
export const targetName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z][A-Za-z0-9_]{0,99}$/, 'Expected a letter, then letters, digits and _, at most 100'),
)

const traceValues = v.pipe(v.array(v.nullable(finite)), v.maxLength(CALIBRATION_LIMITS.tracePoints))

/** A measured line with its fitted curve, as in a report. */
const stepTrace = v.object({
  routine: name,
  target: name,
  kind: v.literal('line'),
  model: name,
  x: v.object({ name, unit: name, values: traceValues }),
  y: traceValues,
  y_name: name,
  y_unit: name,
  curve: v.optional(traceValues),
})

/** One step of a run, reported while the run goes on. */
export const calibrationStep = v.object({
  phase: v.picklist(['plan', 'check', 'routine', 'benchmark', 'verifying', 'write']),
  /** Position among the planned nodes, and their number. */
  step: count,
  total: count,
  routine: v.optional(name),
  target: v.optional(name),
  outcome: v.optional(name),
  /** Targets that are being measured. */
  running: v.optional(names),
  /** Nodes that succeeded, failed and were skipped so far. */
  ok: v.optional(count),
  failed: v.optional(count),
  skipped: v.optional(count),
  elapsed_s: v.optional(v.pipe(finite, v.minValue(0))),
  /** What was measured last. */
  trace: v.optional(stepTrace),
  /** Outcomes of steps that were not sent, because too many followed each other. */
  ended: v.optional(
    v.pipe(
      v.array(v.object({ routine: name, target: name, outcome: name })),
      v.maxLength(CALIBRATION_LIMITS.stepOutcomes),
    ),
  ),
  /** With phase `plan`: the nodes of this run, in order. */
  plan: v.optional(
    v.pipe(
      v.array(
        v.object({
          routine: name,
          depends_on: v.optional(v.pipe(v.array(name), v.maxLength(100))),
          targets: v.optional(names),
          planned: v.optional(v.boolean()),
          has_check: v.optional(v.boolean()),
          /** Expected duration on all targets. */
          estimate_s: v.optional(v.pipe(finite, v.minValue(0))),
        }),
      ),
      v.maxLength(100),
    ),
  ),
})
export type CalibrationStep = v.InferOutput<typeof calibrationStep>

const parameter = v.looseObject({
  value: v.unknown(),
  error: v.optional(v.nullable(finite)),
  unit: v.optional(name),
  previous: v.optional(v.unknown()),
  written: v.optional(v.boolean()),
})

/** Result of one routine on one target. `fit` holds the trace; retention deletes it before the rest. */
const routineResult = v.looseObject({
  routine: name,
  target: name,
  status: v.picklist(['success', 'failed']),
  parameters: v.optional(v.record(v.string(), parameter)),
  error: v.optional(v.nullable(v.looseObject({ code: name, message: text }))),
  quality: v.optional(v.looseObject({})),
  fit: v.optional(v.unknown()),
})

/** Result of one benchmark on one target. Retention deletes `raw_data` as it does `fit`. */
const benchmarkResult = v.looseObject({
  protocol: name,
  target: name,
  fidelity: v.optional(v.nullable(finite)),
  error: v.optional(v.nullable(finite)),
  /** In place of fidelity and error: the error is below this with this probability, and not resolved. */
  upper_bound: v.optional(v.nullable(v.looseObject({ error: finite, confidence: finite }))),
  raw_data: v.optional(v.unknown()),
})

const list = <S extends v.GenericSchema>(entry: S, most: number) => v.pipe(v.array(entry), v.maxLength(most))

/** Findings of a tuner: the part of a report that the run itself produces. */
export const calibrationFindings = v.object({
  /** A run that measured nothing is never a `success`; one that was stopped is `aborted`. */
  status: v.picklist(['success', 'partial_failure', 'failed', 'aborted']),
  /** Device and instruments of the measurement: `scheduler_a_tuner+simulated`. */
  backend: v.optional(name, ''),
  /** Number of changed values in the device file, and its hashes. */
  device_file: v.optional(v.nullable(v.object({ changed: count, before: name, after: name })), null),
  routines: v.optional(list(routineResult, 20_000), []),
  benchmarks: v.optional(list(benchmarkResult, 20_000), []),
  /** Skipped nodes, each with the reason. */
  skipped: v.optional(
    list(v.object({ routine: name, target: name, reason: name, detail: v.optional(text, '') }), 50_000),
    [],
  ),
  errors: v.optional(list(text, 1_000), []),
  notes: v.optional(list(text, 1_000), []),
})
export type CalibrationFindings = v.InferInput<typeof calibrationFindings>

/** The end of one run. `request_id` is null for a tuner's own drift check. */
export const calibrationReport = v.object({
  run_id: calibrationId,
  request_id: v.nullable(calibrationId),
  /** Absent when the report itself could not be read. */
  mode: v.optional(calibrationMode),
  started_at: time,
  ended_at: time,
  ...calibrationFindings.entries,
})
export type CalibrationReport = v.InferOutput<typeof calibrationReport>
