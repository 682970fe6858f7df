import * as v from 'valibot'

/** Limits of what a routine in Python may send at a time; what is played is checked again as a program. */
const MAX_SCHEDULES = 20_000
const MAX_OPERATIONS = 200_000

const number = v.pipe(v.number(), v.finite())
const text = v.pipe(v.string(), v.maxLength(4_000))
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const names = v.pipe(v.array(name), v.maxLength(200))
const orAbsent = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema))
const count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max))
/** Null for one that is not finite. */
const samples = v.pipe(v.array(v.nullable(number)), v.maxLength(1_000_000))
/** The unit of each path. */
const units = v.record(name, v.pipe(v.string(), v.maxLength(20)))

const axis = v.object({
  unit: v.picklist(['Hz', 's', 'A', 'deg', '']),
  min: number,
  max: number,
  relative_to: v.optional(name),
  line: v.optional(v.picklist(['drive', 'drive_12', 'readout', 'coupling'])),
})

/** What a class in Python declares of a routine. */
export const describedRoutine = v.object({
  path: name,
  name,
  kind: v.picklist(['resonator', 'qubit', 'edge'], 'kind: expected resonator, qubit or edge'),
  refiner: v.boolean(),
  has_check: v.boolean(),
  depends_on: names,
  reads: names,
  priors: names,
  needs: names,
  writes: units,
  optional_writes: units,
  axes: v.record(name, axis),
  points: count(1_000_000),
  shots: count(1_000_000),
})
export type DescribedRoutine = v.InferOutput<typeof describedRoutine>

const qubit = name
const driveOverrides = v.strictObject({
  frequency: v.exactOptional(number),
  amp180: v.exactOptional(number),
  amplitude: v.exactOptional(number),
  motzoi: v.exactOptional(number),
  duration: v.exactOptional(number),
})
const rotation = { qubit, theta: number, phi: number, overrides: driveOverrides }

const operation = v.variant('op', [
  v.object({ op: v.literal('rotate'), ...rotation }),
  v.object({ op: v.literal('rotate12'), ...rotation }),
  v.object({ op: v.literal('rz'), qubit, angle: number }),
  v.object({ op: v.literal('tone'), qubit, frequency: number, amplitude: number, duration: number }),
  v.object({ op: v.literal('delay'), qubit, seconds: v.pipe(number, v.minValue(0), v.maxValue(1)) }),
  v.object({ op: v.literal('barrier'), qubits: names }),
  v.object({
    op: v.literal('cz'),
    edge: name,
    is_raw: v.boolean(),
    overrides: v.strictObject({
      frequency: v.exactOptional(number),
      amplitude: v.exactOptional(number),
      duration: v.exactOptional(number),
    }),
  }),
  v.object({
    op: v.literal('measure'),
    qubit,
    point: v.picklist(['measure', 'measure_2state', 'measure_3state']),
    overrides: v.strictObject({
      frequency: v.exactOptional(number),
      amplitude: v.exactOptional(number),
      duration: v.exactOptional(number),
      delay: v.exactOptional(number),
      window: v.exactOptional(number),
    }),
  }),
])
/** A gate, pulse, wait or readout of a schedule. */
export type ScheduleOperation = v.InferOutput<typeof operation>

const schedules = v.pipe(
  v.array(v.pipe(v.array(operation), v.maxLength(MAX_OPERATIONS))),
  v.minLength(1, 'expected at least one schedule'),
  v.maxLength(MAX_SCHEDULES),
)
const acquisition = { schedules, shots: count(1_000_000) }
const element = v.picklist(['self', 'parent', 'child'])
const atPath = { element, path: name }

const list = v.pipe(v.array(number), v.maxLength(4_096))
const table = v.union([list, v.pipe(v.array(list), v.maxLength(4_096))])
const values = v.record(
  name,
  v.object({
    value: v.union([number, table], 'expected a number, or a list or table of numbers'),
    error: v.exactOptional(number),
    scale: v.exactOptional(number),
    is_swept: v.optional(v.boolean(), false),
    check_limit: v.exactOptional(number),
  }),
)

const fit = v.object({
  x: samples,
  y: samples,
  curve: samples,
  model: name,
  x_name: text,
  x_unit: text,
  y_name: text,
  y_unit: text,
  parameters: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000)),
  values,
})
/** A curve through measured points, with the values that follow from it. */
export type SentFit = v.InferOutput<typeof fit>

/** What a measurement in Python asks for. */
export const request = v.variant('ask', [
  v.object({ ask: v.literal('number'), ...atPath }),
  v.object({ ask: v.literal('optional'), ...atPath }),
  v.object({ ask: v.literal('table'), ...atPath }),
  v.object({ ask: v.literal('has'), ...atPath }),
  v.object({
    ask: v.literal('axis'),
    name,
    derived: v.union([
      v.pipe(v.array(number), v.maxLength(MAX_SCHEDULES)),
      v.object({
        start: number,
        stop: number,
        points: count(MAX_SCHEDULES),
        scale: v.picklist(['lin', 'log']),
      }),
    ]),
    of: orAbsent(name),
  }),
  v.object({ ask: v.literal('shots'), derived: count(1_000_000) }),
  v.object({ ask: v.literal('seconds_left') }),
  v.object({ ask: v.literal('populations'), ...acquisition }),
  v.object({ ask: v.literal('averages'), ...acquisition }),
  v.object({ ask: v.literal('points'), ...acquisition }),
  v.object({ ask: v.literal('current'), edge: name }),
  v.object({ ask: v.literal('ramp'), edge: name, amps: number }),
  v.object({ ask: v.literal('accept'), fit }),
])
export type RoutineRequest = v.InferOutput<typeof request>

const share = v.exactOptional(v.pipe(number, v.minValue(-1), v.maxValue(2)))

/** What a measurement in Python found. */
export const sentFinding = v.object({
  parameters: values,
  fit: v.nullable(fit),
  quality: v.record(name, number),
  benchmark: v.nullable(
    v.object({
      metric: name,
      fidelity: share,
      error: v.exactOptional(number),
      fidelity_error: v.exactOptional(number),
      gate_duration: v.exactOptional(number),
      leakage: share,
      leakage_error: v.exactOptional(number),
    }),
  ),
  notes: v.pipe(v.array(text), v.maxLength(100)),
  is_unresolved: v.boolean(),
})
export type SentFinding = v.InferOutput<typeof sentFinding>
