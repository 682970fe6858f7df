import * as v from 'valibot'
import {
  type CircuitLabel,
  type CircuitResult,
  circuitFiguresOf,
  contradictedFailure,
  contradictionOf,
  type ExpectedResults,
  expectedResultsOf,
  figuresOf,
  INVALID_RESULTS,
  JOB_LIMITS,
  type JobPayload,
  type JobResults,
  jobResults,
  type PartialResults,
  partialContradictionOf,
  partialResults,
  RESULTS_TOO_LARGE,
} from '../protocol/index.ts'
import type { Circuit } from '../qasm/index.ts'
import type { ExactValues } from '../simulator/index.ts'
import { JobError } from './errors.ts'

interface Outcome {
  /** Index in the job, from 0; part of the circuit's default name. */
  circuitIndex: number
  circuit: Pick<Circuit, 'qubits' | 'clbits' | 'qregs' | 'cregs'>
  shots: number
  /** Bit string → number of shots. */
  counts?: Record<string, number>
  memory?: unknown
  /** Exact values in place of counts. */
  exact?: ExactValues
  /** Whether counts are left out because they are too large beside packed memory. */
  countsOmitted?: boolean
  /** Shots that ran and are in neither of them. */
  discardedShots?: number
  metadata: Record<string, unknown>
}

/** The result of one circuit with one parameter set, with the header by which clients format counts. */
export function circuitResultOf(outcome: Outcome): CircuitResult {
  const { circuit, circuitIndex, exact } = outcome
  return {
    shots: outcome.shots,
    ...(outcome.counts !== undefined && { counts: outcome.counts }),
    ...(exact?.expectationValues && { expectation_values: exact.expectationValues }),
    ...(exact?.probabilities && { probabilities: exact.probabilities }),
    ...(outcome.countsOmitted && { counts_omitted: true }),
    ...(outcome.memory !== undefined && { memory: outcome.memory }),
    ...(outcome.discardedShots !== undefined && { discarded_shots: outcome.discardedShots }),
    header: {
      name: `circuit_${circuitIndex}`,
      n_qubits: circuit.qubits,
      memory_slots: circuit.clbits,
      creg_sizes: circuit.cregs,
      qreg_sizes: circuit.qregs,
      metadata: {},
    },
    metadata: outcome.metadata,
  }
}

/**
 * The results of a completed job; the top level repeats the first circuit's shots and counts. If one result
 * omits its counts, all do.
 */
export function jobResultsOf(
  backend: string,
  circuits: readonly CircuitResult[],
  metadata: Record<string, unknown>,
): JobResults {
  // All results of a job have the same form.
  const isCountless = circuits.some(({ counts_omitted }) => counts_omitted)
  const circuit_results = isCountless ? circuits.map(withoutCounts) : [...circuits]
  const [first] = circuit_results
  if (!first) throw new TypeError('a job has at least one circuit result')
  return {
    success: true,
    backend,
    shots: first.shots,
    ...(first.counts !== undefined && { counts: first.counts }),
    circuit_results,
    metadata,
  }
}

function withoutCounts({ counts: _, ...result }: CircuitResult): CircuitResult {
  return { ...result, counts_omitted: true }
}

/** Values between two calls of the checkpoint. */
const CHECK_INTERVAL = 4_096

/** Finds a value that JSON cannot represent. */
class UnsendableSearch {
  readonly #checkpoint: () => void
  #values = 0

  constructor(checkpoint: () => void) {
    this.#checkpoint = checkpoint
  }

  /** Path of the value, such as `circuit_results.0.memory.3`; undefined when there is none. */
  find(value: unknown): string | undefined {
    this.#values += 1
    if (this.#values % CHECK_INTERVAL === 0) this.#checkpoint()
    if (typeof value === 'number') return Number.isFinite(value) ? undefined : ''
    if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined)
      return undefined
    if (typeof value !== 'object') return ''
    // The indices of a long list as texts would take longer than the search.
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const found = this.find((value as Record<string | number, unknown>)[key])
      if (found !== undefined) return `.${key}${found}`
    }
    return undefined
  }
}

/**
 * Checks the results of a device before they are sent, and labels them as the client has named its circuits.
 * Counts with which they are too large are left out if they follow from a packed memory.
 * @param checkpoint called regularly; it may throw to end the work
 * @throws JobError `invalid_results` naming the field, for malformed results, NaN, infinite numbers, and
 *   results that contradict the job; `results_too_large` for results above 8 MiB.
 */
export function checkResults(results: unknown, job?: CheckedJob, checkpoint = () => {}): JobResults {
  const bad = new UnsendableSearch(checkpoint).find(results)
  if (bad !== undefined)
    throw invalid(`The device returned a value that is not a finite number at ${bad.slice(1)}`)
  const parsed = v.safeParse(jobResults, results)
  if (!parsed.success) throw malformed(parsed.issues[0])
  checkpoint()
  if (job) {
    const { device, payload, labels, expected = expectedResultsOf(payload) } = job
    const contradiction = contradictionOf(figuresOf(parsed.output, checkpoint), expected)
    if (contradiction !== undefined)
      throw invalid(contradictedFailure(`device ${device}`, contradiction).message)
    if (labels) {
      const each = parsed.output.circuit_results.map((result, index) => ({ index, result }))
      labelResults(each, payload, labels)
    }
  }
  checkpoint()
  if (!isTooLarge(parsed.output)) return parsed.output
  const { counts: _, circuit_results, ...others } = parsed.output
  const countless = { ...others, circuit_results: circuit_results.map(withoutCounts) }
  checkpoint()
  if (job?.payload.memory_format !== 'packed' || isTooLarge(countless)) throw resultsTooLarge()
  return countless
}

function isTooLarge(results: JobResults): boolean {
  return Buffer.byteLength(JSON.stringify(results)) > JOB_LIMITS.resultBytes
}

/** The device would return the same again, so the job ends; `executed` stays false, so it is not charged. */
function invalid(message: string): JobError {
  return new JobError(message, { errorCode: INVALID_RESULTS })
}

function malformed(issue: v.BaseIssue<unknown>): JobError {
  return invalid(
    `The device returned no valid results: ${v.getDotPath(issue) ?? 'results'}: ${issue.message}`,
  )
}

/** A job, and the device that has run it. */
export interface CheckedJob {
  device: string
  payload: JobPayload
  labels?: readonly CircuitLabel[] | undefined
  /** What the server expects; by default what follows from the payload. */
  expected?: ExpectedResults | undefined
}

/** Bytes that the labels of a job add to its results, at most. */
export function labelBytes({ circuits }: JobPayload, labels: readonly CircuitLabel[] = []): number {
  return labels.reduce((sum, { name = '', metadata = {} }, index) => {
    const sets = circuits[index]?.parameter_values?.length ?? 1
    return sum + Math.max(1, sets) * Buffer.byteLength(JSON.stringify([name, metadata]))
  }, 0)
}

/** Results come in the order of circuits and their parameter sets; `index`: their positions in it. */
function labelResults(
  results: PartialResults,
  { circuits }: JobPayload,
  labels: readonly CircuitLabel[],
): void {
  const ofEach = circuits.flatMap(({ parameter_values = [] }, index) =>
    new Array<CircuitLabel | undefined>(Math.max(1, parameter_values.length)).fill(labels[index]),
  )
  for (const { index, result } of results) {
    const { header } = result
    const { name, metadata } = ofEach[index] ?? {}
    if (name !== undefined) header.name = name
    if (metadata !== undefined) header.metadata = { ...header.metadata, ...metadata }
  }
}

/**
 * Checks results of single circuits before the end of their job as `checkResults` does all, and labels them.
 * @throws JobError `invalid_results` naming the field.
 */
export function checkPartialResults(
  results: readonly { index: number; result: unknown }[],
  { device, payload, labels, expected = expectedResultsOf(payload) }: CheckedJob,
): PartialResults {
  const bad = new UnsendableSearch(() => {}).find(results.map(({ result }) => result))
  if (bad !== undefined)
    throw invalid(`The device returned a value that is not a finite number at ${bad.slice(1)}`)
  const parsed = v.safeParse(partialResults, results)
  if (!parsed.success) throw malformed(parsed.issues[0])
  const found = parsed.output.map(({ index, result }) => ({ index, figures: circuitFiguresOf(result) }))
  const contradiction = partialContradictionOf(found, expected)
  if (contradiction !== undefined)
    throw invalid(contradictedFailure(`device ${device}`, contradiction).message)
  if (labels) labelResults(parsed.output, payload, labels)
  return parsed.output
}

/** The error for results that cannot be sent. */
function resultsTooLarge(): JobError {
  const { message, error_code: errorCode } = RESULTS_TOO_LARGE
  return new JobError(message, { errorCode, executed: true })
}
