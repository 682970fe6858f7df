import * as v from 'valibot'
import { AppError, type FieldError, isObject, nearest, parseDuration } from '../../../base/index.ts'
import {
  circuitEntry,
  circuitLabel,
  durationText,
  JOB_LIMITS,
  type JobPayload,
  jobPayload,
} from '../../../protocol/index.ts'
import { writtenText } from '../../http/request/fields.ts'
import { validate } from '../../http/request/validate.ts'
import { described } from '../../http/schema.ts'
import { jobLabels } from '../labels.ts'
import { problemOfSets } from './parameter-sets.ts'

/** A submission in its canonical form. */
interface Submission {
  payload: JobPayload
  /** The payload as it is stored: a large one is encoded once. */
  text: string
  /** Id or name of a QPU as the caller gave it; '' = any. */
  target: string
  /** Id of the session that it names; '' = none. */
  session: string
  /** Most QPU time over all attempts, in ms; 0 = no limit of its own. */
  maxMs: number
  /** How long it may wait, ms after its submission; 0 = no limit. */
  giveUpMs: number
  /** What its owner calls the job. */
  name: string
  tags: string[]
  /** The JSON text of the names and metadata of its circuits, in their order; '' without any. */
  labels: string
  /** Keys of the body that are not used. */
  ignored: string[]
}

interface ReadOptions {
  /** Ignores unknown keys, for payloads that another server has stored. */
  isStored?: boolean
}

/** The key under which clients may send what the server does not use. */
const EXTENSIONS = 'extensions'
/** Unknown keys that one response names. */
const MAX_UNKNOWN_SHOWN = 10

const CIRCUIT_NAMES = ['circuit', 'qasm', 'circuit_qasm'] as const
const DEFAULTS = { shots: 1_024, meas_level: 2, meas_return: 'single', memory: false }

const target = v.pipe(v.string(), v.trim(), v.maxLength(100), writtenText)
/** Longer than any user waits for a job. */
const MAX_WAIT_MS = 31_536_000_000
/** Longer than any driver runs a job. */
const MAX_SECONDS = 604_800
const maxSeconds = v.pipe(v.number(), v.finite(), v.minValue(0.001), v.maxValue(MAX_SECONDS))
const giveUpAfter = durationText({ min: 1_000, max: MAX_WAIT_MS }, '1s to 365d')
const { circuits: _, ...options } = jobPayload.entries
const { shots } = options
const parameterSets = circuitEntry.entries.parameter_values.wrapped
const program = {
  ...v.entriesFromList(CIRCUIT_NAMES, v.nullish(circuitEntry.entries.circuit)),
  parameter_values: described(
    v.nullish(v.union([parameterSets, parameterSets.item])),
    'One set of values, or a list of sets; each set produces one result',
  ),
}
const label = {
  name: v.nullish(circuitLabel.entries.name),
  metadata: v.nullish(circuitLabel.entries.metadata),
}
const { expectation_values } = circuitEntry.entries
const entry = v.object({
  ...program,
  shots: v.nullish(shots),
  expectation_values: v.nullish(expectation_values),
  ...label,
})

/**
 * Every form of a submission for the API reference, built from what `jobPayload` checks. It also defines
 * which keys of the body are used.
 */
export const submissionForms = v.object({
  circuits: v.nullish(v.array(v.union([entry, circuitEntry.entries.circuit]))),
  ...program,
  ...nullish(options),
  name: described(v.nullish(v.optional(jobLabels.name, '')), 'Name of the job'),
  tags: described(v.nullish(v.optional(jobLabels.tags, [])), 'For finding the job again'),
  max_seconds: described(
    v.nullish(maxSeconds),
    'Most QPU time that it may use and be charged, over all attempts; then it fails',
  ),
  give_up_after: described(
    v.nullish(giveUpAfter),
    'Time from the submission, such as "2h", after which it fails if it still waits',
  ),
  qpu_target: described(v.nullish(target), 'Name or id of a QPU; any QPU if omitted'),
  session: described(
    v.nullish(target),
    'Id of your open session in which it is to run, whose QPU it is for; only names it',
  ),
  [EXTENSIONS]: described(v.nullish(v.unknown()), 'Any value; ignored and not stored'),
})

function nullish(entries: Record<string, v.GenericSchema>): Record<string, v.GenericSchema> {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULTS))
  return Object.fromEntries(
    Object.entries(entries).map(([name, schema]) => [name, v.nullish(schema, defaults.get(name))]),
  )
}

const OPTION_KEYS = Object.keys(options)
const ENTRY_KEYS = new Set(Object.keys(entry.entries))
const USED_KEYS = new Set(Object.keys(submissionForms.entries).filter((key) => key !== EXTENSIONS))
/** Keys that only the server sets; a caller that sends one expects an effect that it does not have. */
const SERVER_KEYS = new Set([
  'id',
  'user',
  'user_id',
  'status',
  'results',
  'duration',
  'finished_at',
  'started_at',
  'driver',
  'attempt',
  'not_before',
  'error_code',
  'qpu_seconds',
  'created',
  'updated',
])

const INVALID = 'Invalid job'
const jobFields = v.object({
  qpu_target: v.optional(target, ''),
  session: v.optional(target, ''),
  max_seconds: v.optional(maxSeconds),
  give_up_after: v.optional(giveUpAfter),
  name: v.optional(jobLabels.name, ''),
  tags: v.optional(jobLabels.tags, []),
})
const labelFields = v.object({ circuits: v.array(circuitLabel) })

type Fields = Record<string, FieldError>
type Body = Readonly<Record<string, unknown>>

/**
 * Reads the body of a submission: fills in defaults, resolves former names of fields, wraps a flat list of
 * parameter values into one set. The programs themselves are not checked.
 * @throws AppError `invalid` with each refused field under its path, such as `circuits.0.shots`; `too_large`.
 */
export function readSubmission(body: unknown, { isStored = false }: ReadOptions = {}): Submission {
  if (!isObject(body)) throw new AppError('invalid', `${INVALID}: expected an object with circuits`)
  const fields: Fields = {}
  const given = withoutNulls(body)
  const ignored = checkKeys(given, fields, isStored)
  const entries = circuitsOf(given, fields)
  const sets = setsOfEntries(entries, fields)
  assertNoErrors(fields)
  const labels = labelsOf(entries)
  const circuits = Array.isArray(entries) ? entries.map(programOf) : entries
  const chosen = Object.fromEntries(OPTION_KEYS.map((key) => [key, given[key]]))
  const input = withoutNulls({
    ...DEFAULTS,
    ...withoutNulls(chosen),
    circuits,
  })
  const fieldsOfJob = validate(jobFields, given, INVALID)
  const { qpu_target, session, max_seconds = 0, give_up_after, name, tags } = fieldsOfJob
  const payload = validate(jobPayload, input, INVALID)
  payload.circuits = payload.circuits.map(({ circuit, ...others }, index) => ({
    circuit,
    // Checked above. In the order of the schema: drivers receive a large payload as it is stored.
    ...(sets[index] !== undefined && { parameter_values: sets[index] as number[][] }),
    ...others,
  }))
  if (!payload.allow_uncalibrated) delete payload.allow_uncalibrated
  if (!payload.exact) delete payload.exact
  if (payload.precision === 'double') delete payload.precision
  assertHasBitsToPack(payload)
  assertExactOptions(payload, given)
  assertFewExecutions(payload)
  return {
    payload,
    text: encoded(payload),
    target: qpu_target,
    session,
    maxMs: Math.round(1_000 * max_seconds),
    giveUpMs: give_up_after === undefined ? 0 : parseDuration(give_up_after),
    name,
    tags,
    labels,
    ignored,
  }
}

/** Refuses keys that only the server sets and, in a submission, unknown ones; returns the others not used. */
function checkKeys(given: Body, fields: Fields, isStored: boolean): string[] {
  for (const key of Object.keys(given)) if (SERVER_KEYS.has(key)) fields[key] = readOnly(key)
  const ignored = Object.keys(given).filter((key) => !USED_KEYS.has(key) && !SERVER_KEYS.has(key))
  const unknown = isStored ? [] : ignored.filter((key) => key !== EXTENSIONS)
  for (const key of unknown.slice(0, MAX_UNKNOWN_SHOWN)) fields[key] = unknownField(key)
  return ignored
}

/** The parameter sets of each entry, checked. */
function setsOfEntries(entries: unknown, fields: Fields): unknown[] {
  const sets = Array.isArray(entries) ? entries.map(setsOfEntry) : []
  for (const [index, each] of sets.entries()) {
    const problem = each === undefined ? undefined : problemOfSets(each, `circuits.${index}.parameter_values`)
    if (problem) fields[problem.path] = problem.error
  }
  return sets
}

function setsOfEntry(entry: unknown): unknown {
  return isObject(entry) ? entry['parameter_values'] : undefined
}

function programOf(entry: unknown): unknown {
  if (!isObject(entry)) return entry
  const { parameter_values: _, ...others } = entry
  return Object.fromEntries(Object.entries(others).filter(([key]) => !Object.hasOwn(label, key)))
}

/** The labels of the entries as JSON text, checked; '' without any. */
function labelsOf(entries: unknown): string {
  if (!Array.isArray(entries)) return ''
  const given = entries.map((entry) => (isObject(entry) ? pickKeys(entry, Object.keys(label)) : {}))
  if (given.every((each) => Object.keys(each).length === 0)) return ''
  return JSON.stringify(validate(labelFields, { circuits: given }, INVALID).circuits)
}

function unknownField(key: string): FieldError {
  const suggestion = nearest(key, [...USED_KEYS])
  const remedy =
    suggestion === undefined
      ? `the fields are ${[...USED_KEYS].join(', ')}; what the server shall ignore goes into ${EXTENSIONS}.`
      : `did you mean ${suggestion}?`
  return { code: 'unknown_field', message: `${key.slice(0, 80)} is not a field of a job: ${remedy}` }
}

/** Clients in several languages send null for values that they omit. */
function withoutNulls(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined))
}

function assertNoErrors(fields: Fields): void {
  if (Object.keys(fields).length > 0) throw new AppError('invalid', INVALID, { fields })
}

function readOnly(key: string): FieldError {
  return { code: 'read_only_field', message: `${key} is set by the server; omit it.` }
}

function circuitsOf(body: Body, fields: Fields): unknown {
  const short = CIRCUIT_NAMES.filter((name) => body[name] !== undefined)
  if (body['circuits'] !== undefined && short.length > 0) {
    const message = `Send either circuits or ${short[0]}, not both.`
    fields[short[0] ?? 'circuit'] = { code: 'validation_invalid_value', message }
  }
  const circuits = body['circuits'] ?? (short.length > 0 ? [pickKeys(body, CIRCUIT_NAMES)] : undefined)
  if (!Array.isArray(circuits)) return circuits
  const entries = circuits.map((each: unknown, index) => entryOf(each, `circuits.${index}`, fields))
  const shared = setsOf(body['parameter_values'])
  if (shared === undefined) return entries
  const [only] = entries
  if (entries.length !== 1 || !isObject(only)) {
    fields['parameter_values'] = {
      code: 'validation_invalid_value',
      message: 'With several circuits, send parameter_values in each entry of circuits.',
    }
    return entries
  }
  return [{ parameter_values: shared, ...only }]
}

function pickKeys(body: Body, keys: readonly string[]): Body {
  return Object.fromEntries(keys.filter((key) => body[key] !== undefined).map((key) => [key, body[key]]))
}

function entryOf(written: unknown, path: string, fields: Fields): unknown {
  if (typeof written === 'string') return { circuit: written }
  if (!isObject(written)) return written
  const given = withoutNulls(written)
  const names = CIRCUIT_NAMES.filter((name) => given[name] !== undefined)
  if (names.length > 1) {
    const message = `Send the program once: ${names.join(' and ')} have the same meaning.`
    fields[`${path}.${names[1]}`] = { code: 'validation_invalid_value', message }
  }
  for (const key of Object.keys(given)) {
    if (ENTRY_KEYS.has(key)) continue
    const message = `${key} is not a key of an entry; the keys are ${[...ENTRY_KEYS].join(', ')}.`
    fields[`${path}.${key}`] = { code: 'unknown_field', message }
  }
  const parameterSets = setsOf(given['parameter_values'])
  return withoutNulls({
    circuit: names[0] === undefined ? undefined : given[names[0]],
    shots: given['shots'],
    parameter_values: parameterSets,
    expectation_values: given['expectation_values'],
    name: given['name'],
    metadata: given['metadata'],
  })
}

/** The parameter sets: a flat list of numbers is one set, an empty list none. */
function setsOf(values: unknown): unknown {
  if (!Array.isArray(values)) return values ?? undefined
  if (values.length === 0) return undefined
  return values.every((value) => typeof value === 'number') ? [values] : values
}

/** @throws AppError `invalid`. */
function assertHasBitsToPack({ memory_format, memory, meas_level }: JobPayload): void {
  if (memory_format !== 'packed' || (memory && meas_level === 2)) return
  const message = 'packed needs memory true and meas_level 2: only bits can be packed.'
  assertNoErrors({ memory_format: { code: 'validation_invalid_value', message } })
}

/**
 * Exact values exist in place of shots and of what is recorded of them.
 * @throws AppError `invalid`.
 */
function assertExactOptions(payload: JobPayload, given: Body): void {
  const fields: Fields = {}
  const refuse = (path: string, message: string) => {
    fields[path] = { code: 'validation_invalid_value', message }
  }
  const SHOTS = 'Exact values have no shots: leave out shots, or exact.'
  const { exact, memory, meas_level, precision } = payload
  const refused = [
    ['shots', given['shots'] !== undefined, SHOTS],
    ['memory', memory, 'Exact values have no shots to return: leave out memory.'],
    ['meas_level', meas_level !== 2, 'Exact values need meas_level 2, which is the default.'],
    ['precision', precision === 'single', 'Exact values need precision double, which is the default.'],
  ] as const
  if (exact) for (const [path, isRefused, message] of refused) if (isRefused) refuse(path, message)
  for (const [index, circuit] of payload.circuits.entries()) {
    if (payload.exact && circuit.shots !== undefined) refuse(`circuits.${index}.shots`, SHOTS)
    if (!payload.exact && circuit.expectation_values)
      refuse(`circuits.${index}.expectation_values`, 'Only a job with exact true has expectation values.')
  }
  assertNoErrors(fields)
}

/** @throws AppError `invalid`. */
function assertFewExecutions(payload: JobPayload): void {
  const executions = executionsOf(payload)
  if (executions > JOB_LIMITS.executions) {
    assertNoErrors({
      circuits: {
        code: 'too_many_executions',
        message: `The job has ${executions} executions; the maximum is ${JOB_LIMITS.executions}, so split it.`,
        params: { max: JOB_LIMITS.executions, executions },
      },
    })
  }
}

/** @throws AppError `too_large`. */
function encoded(payload: JobPayload): string {
  const text = JSON.stringify(payload)
  const bytes = Buffer.byteLength(text)
  if (bytes > JOB_LIMITS.payloadBytes) {
    throw new AppError(
      'too_large',
      `The job has ${bytes} bytes, the maximum is ${JOB_LIMITS.payloadBytes}; split it into several jobs`,
    )
  }
  return text
}

/** The number of results of the job: one for each circuit with each of its parameter sets. */
export function executionsOf(payload: JobPayload): number {
  return payload.circuits.reduce((sum, each) => sum + Math.max(1, each.parameter_values?.length ?? 0), 0)
}
