import * as v from 'valibot'
import { jobFailure } from '../../protocol/index.ts'

/** Versions of the protocol `svc-device` that this program speaks. */
export const PROTOCOLS: readonly number[] = [1]

const text = v.pipe(v.string(), v.maxLength(100_000))
const shortText = v.pipe(v.string(), v.maxLength(200))
const bound = v.optional(v.nullable(v.pipe(v.number(), v.finite())))

/** How a device in Python declares an option or an environment variable. */
const pythonOption = v.object({
  key: v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), v.maxLength(100)),
  kind: v.picklist([
    ...(['bool', 'int', 'number', 'seconds', 'string'] as const),
    ...(['secret', 'enum', 'url', 'path', 'list'] as const),
  ]),
  help: v.optional(text, ''),
  required: v.optional(v.boolean(), false),
  default: v.optional(v.unknown()),
  example: v.optional(v.nullable(text)),
  min: bound,
  max: bound,
  values: v.optional(v.nullable(v.array(shortText))),
})
export type PythonOption = v.InferOutput<typeof pythonOption>

/** What a class in Python declares. */
export const described = v.object({
  m: v.literal('described'),
  name: v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/), v.maxLength(100)),
  operation: v.optional(v.unknown()),
  version: v.optional(v.nullable(shortText)),
  /** Whether the host parses programs, see `programs` of the message `run`. */
  bind: v.optional(v.boolean(), true),
  /** Whether it takes gates that it does not describe; an earlier package does not say. */
  compiles: v.optional(v.boolean(), true),
  /** Whether the device describes the QPU. */
  describes: v.optional(v.boolean(), false),
  options: v.optional(v.array(pythonOption), []),
  /** Whether it takes every key, because its `__init__` has `**options`. */
  takes_any_option: v.optional(v.boolean(), false),
  /** Maximum execution time of one job, in s. */
  job_timeout: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0.001), v.maxValue(86_400)))),
  environment: v.optional(v.array(pythonOption), []),
})
export type Described = v.InferOutput<typeof described>

const task = shortText
const failure = v.object({
  class: v.optional(jobFailure.entries.class, 'device'),
  message: jobFailure.entries.message,
  error_code: jobFailure.entries.error_code,
  circuit_index: jobFailure.entries.circuit_index,
  detail: jobFailure.entries.detail,
  executed: v.optional(v.boolean(), true),
})

/** Whether a description follows; that of an earlier package comes before. */
const describes = v.optional(v.boolean(), false)

/** The messages of a worker by their name. Unknown names and keys are ignored. */
export const FROM_WORKER = {
  hello: v.object({
    m: v.literal('hello'),
    protocols: v.array(v.number()),
    sdk: v.optional(shortText, 'unknown'),
    python: v.optional(shortText, 'unknown'),
    /** Whether it runs calibration routines; an earlier package does not. */
    routines: v.optional(v.boolean(), false),
  }),
  described,
  /** Response to `describe` and `open`. `known` lists the installed devices if there is none of the name. */
  refused: v.object({
    m: v.literal('refused'),
    reasons: v.array(text),
    known: v.optional(v.array(shortText)),
  }),
  ready: v.object({ m: v.literal('ready') }),
  done: v.object({
    m: v.literal('done'),
    task,
    results: v.optional(v.unknown()),
    findings: v.optional(v.unknown()),
    describes,
  }),
  failed: v.object({ m: v.literal('failed'), task, error: failure, describes }),
  phase: v.object({ m: v.literal('phase'), task, phase: text }),
  /** Which part of a job is done, and results of its circuits so far; the operation checks them. */
  job_progress: v.object({ m: v.literal('job_progress'), task, progress: v.number() }),
  results: v.object({
    m: v.literal('results'),
    task,
    results: v.array(v.object({ index: v.number(), result: v.unknown() })),
  }),
  progress: v.object({ m: v.literal('progress'), task, step: v.looseObject({}) }),
  calibrate_now: v.object({
    m: v.literal('calibrate_now'),
    call: shortText,
    mode: v.picklist(['fidelity_check', 'partial', 'full']),
    target_qubits: v.optional(v.array(shortText), []),
  }),
  event: v.object({ m: v.literal('event'), type: shortText, payload: v.record(v.string(), v.unknown()) }),
  description: v.object({ m: v.literal('description'), description: v.unknown() }),
  extend: v.object({ m: v.literal('extend'), seconds: v.number(), reason: text }),
  log: v.object({
    m: v.literal('log'),
    level: v.picklist(['debug', 'info', 'warn', 'error']),
    message: text,
    fields: v.optional(v.record(v.string(), v.unknown()), {}),
  }),
  stopped: v.object({ m: v.literal('stopped') }),
  /** What routines declare, and what identifies each file of which they consist. */
  routines: v.object({
    m: v.literal('routines'),
    routines: v.array(v.looseObject({ path: shortText })),
    files: v.record(v.string(), v.string()),
  }),
  /** Messages of a measurement; what they carry is checked where it is used. */
  request: v.object({ m: v.literal('request'), call: v.number(), request: v.unknown() }),
  found: v.object({ m: v.literal('found'), call: v.number(), finding: v.unknown() }),
  checked: v.object({ m: v.literal('checked'), call: v.number(), margin: v.pipe(v.number(), v.finite()) }),
  unmeasured: v.object({ m: v.literal('unmeasured'), call: v.number(), code: shortText, message: text }),
} as const

/** Names of the messages of a worker. */
export type FromWorkerName = keyof typeof FROM_WORKER
/** One message of a worker. */
export type FromWorker<Name extends FromWorkerName = FromWorkerName> = v.InferOutput<
  (typeof FROM_WORKER)[Name]
>
