import { InvalidRequestError, TooLargeError } from './errors.ts'
import type { PostJobsBody } from './generated/wire.gen.ts'

/**
 * Values of the inputs of a program, in their order or by their names such as `{ theta: 3.1 }`; of an input
 * array, its elements in the order of their indices.
 */
export type ParameterSet = readonly number[] | { readonly [name: string]: number | readonly number[] }

/** A program with what belongs to it. */
export interface Circuit {
  /** OpenQASM 2 or 3. */
  readonly circuit: string
  /**
   * One set of values for the inputs of the program, in their order or by their names, or several; each gives
   * one result.
   */
  readonly parameterValues?: ParameterSet | readonly ParameterSet[]
  readonly shots?: number
  /** In an exact job: Pauli sums whose means are asked for, by label with qubit 0 last: `{ ZZ: 0.5 }`. */
  readonly expectationValues?: readonly { readonly [label: string]: number }[]
  /** Returned with its results. */
  readonly name?: string
  /** Returned with its results; at most 4 KiB. */
  readonly metadata?: { readonly [key: string]: unknown }
}

/** What a job requires of the qubits and pairs that it uses. */
export interface QualityCondition {
  /** Bound for each qubit: `>0.97`. */
  readonly readout_fidelity?: string
  /** Bound for each pair: `<0.01`. */
  readonly two_qubit_error?: string
  /** How long ago the newest value of each was measured, at most: `2h`. */
  readonly calibrated_within?: string
}

/** What a job consists of. */
export interface Submission {
  readonly circuits: readonly (string | Circuit)[]
  /** Shots of each circuit that does not state its own; default 1024. */
  readonly shots?: number
  /** Name or id; any QPU unless given. */
  readonly qpu?: string
  readonly measLevel?: 0 | 1 | 2
  readonly measReturn?: 'single' | 'avg'
  /** Also returns the outcome of each shot. */
  readonly memory?: boolean
  /** How much a compiler changes circuits: 0 (gates as written), 1 or 2; the device decides unless given. */
  readonly optimizationLevel?: 0 | 1 | 2
  /** Pulses in the waits of qubits, against slow noise; none unless given. */
  readonly dynamicalDecoupling?: 'none' | 'XX' | 'XY4' | undefined
  /** When operations start: as late as possible (the default), or as early as possible. */
  readonly scheduling?: 'alap' | 'asap'
  /** Makes the results of a simulator repeatable. */
  readonly seed?: number
  /** Also uses parts of the chip that are not calibrated; the results name them in `warnings`. */
  readonly allowUncalibrated?: boolean
  /** Exact expectation values, or probabilities, in place of shots; simulators only. */
  readonly exact?: boolean
  /** Precision of simulated amplitudes: single takes half the memory and time; double unless given. */
  readonly precision?: 'double' | 'single' | undefined
  /** Most QPU time that it may use and be charged, over all attempts, in s; then it fails. */
  readonly maxSeconds?: number
  /** Quality of the qubits and pairs that it may use; it waits until enough of them have it. */
  readonly require?: QualityCondition
  /** Time from the submission, such as `2h`, after which it fails with `given_up` if it still waits. */
  readonly giveUpAfter?: string
  readonly name?: string
  readonly tags?: readonly string[]
}

/** Limits of the server, checked before anything is sent. */
const MAX_EXECUTIONS = 300
const MAX_BODY = 16 * 1024 * 1024

/**
 * The body of `POST /api/jobs`. @throws TooLargeError if the server cannot take it; RangeError for the name
 * of an input that a program does not have, or an input without value.
 */
export function bodyOf(submission: Submission): PostJobsBody {
  const {
    circuits,
    qpu,
    measLevel,
    measReturn,
    memory,
    optimizationLevel,
    allowUncalibrated,
    exact,
    dynamicalDecoupling,
    maxSeconds,
    giveUpAfter,
    ...rest
  } = submission
  // JSON leaves out what is undefined.
  const body = {
    ...rest,
    circuits: circuits.map((each) => {
      if (typeof each === 'string') return each
      const { parameterValues, expectationValues, ...circuit } = each
      return {
        ...circuit,
        parameter_values: parameterValues && setsOf(each.circuit, parameterValues),
        expectation_values: expectationValues,
      }
    }),
    qpu_target: qpu,
    meas_level: measLevel,
    meas_return: measReturn,
    allow_uncalibrated: allowUncalibrated || undefined,
    exact: exact || undefined,
    max_seconds: maxSeconds,
    give_up_after: giveUpAfter,
    optimization_level: optimizationLevel,
    dynamical_decoupling: dynamicalDecoupling,
    memory: memory || undefined,
    memory_format: memory && (measLevel ?? 2) === 2 ? 'packed' : undefined,
  }
  const executions = circuits.reduce((sum, each) => sum + executionsOf(each), 0)
  if (executions > MAX_EXECUTIONS)
    throw tooLarge(
      `The job has ${executions} executions; at most ${MAX_EXECUTIONS} are allowed: submit several jobs`,
    )
  const size = circuits.reduce(
    (sum, each) => sum + (typeof each === 'string' ? each : each.circuit).length,
    0,
  )
  if (size > MAX_BODY)
    throw tooLarge(`The programs have ${size} bytes together; at most ${MAX_BODY} are allowed`)
  return body as PostJobsBody
}

const COMMENT = /\/\/[^\n]*|\/\*.*?\*\//gs
const INPUT = /(?:^|[;}])\s*input\s[^;]*?([\p{L}_][\p{L}\p{N}_]*)\s*(?=;)/gu

/** Sets of values in the order of the inputs of a program. */
function setsOf(
  program: string,
  values: NonNullable<Circuit['parameterValues']>,
): readonly number[] | readonly (readonly number[])[] {
  const isList = (each: ParameterSet | readonly ParameterSet[]): each is readonly number[] =>
    Array.isArray(each) && each.every((value) => typeof value === 'number')
  if (isList(values)) return values
  const names = [...program.replace(COMMENT, ' ').matchAll(INPUT)].map(([, name = '']) => name)
  const ordered = (set: ParameterSet): readonly number[] => {
    if (isList(set)) return set
    const given = new Map(Object.entries(set))
    const unknown = [...given.keys()].find((name) => !names.includes(name))
    if (unknown !== undefined)
      throw new RangeError(
        `The program has no input ${unknown}; its inputs are ${names.join(', ') || 'none'}`,
      )
    return names.flatMap((name) => {
      const value = given.get(name)
      if (value === undefined) throw new RangeError(`parameterValues has no value for the input ${name}`)
      return value
    })
  }
  return Array.isArray(values) ? values.map(ordered) : ordered(values as ParameterSet)
}

function executionsOf(circuit: string | Circuit): number {
  if (typeof circuit === 'string') return 1
  const { parameterValues = [] } = circuit
  return Array.isArray(parameterValues) && typeof parameterValues[0] === 'object' ? parameterValues.length : 1
}

function tooLarge(message: string): TooLargeError {
  return new TooLargeError({ status: 413, code: 'too_large', message, requestId: '', fields: {} })
}

/** The error with the place of each syntax error: its line with a caret below. */
export function withPlaces(error: unknown, { circuits }: Submission): unknown {
  if (!(error instanceof InvalidRequestError)) return error
  const { status, code, requestId, fields } = error
  const places = Object.entries(fields).map(([path, field]) => {
    const at = /^circuits\.(\d+)\.circuit$/.exec(path)?.[1]
    const circuit = at === undefined ? undefined : circuits[Number(at)]
    const program = typeof circuit === 'object' ? circuit.circuit : (circuit ?? '')
    return `\n${path}: ${field.message}${caret(program, field.params)}`
  })
  return new InvalidRequestError({
    status,
    code,
    requestId,
    fields,
    message: error.message + places.join(''),
  })
}

function caret(program: string, params: { readonly [key: string]: unknown } = {}): string {
  const { line, column } = params
  const text = typeof line === 'number' ? program.split('\n')[line - 1] : undefined
  if (text === undefined || typeof column !== 'number') return ''
  return `\n  ${text}\n  ${' '.repeat(Math.max(0, column - 1))}^`
}
