import { isObject } from '../../../../src/base/portable/is-object.ts'
import type { CalibrationReport } from '../../../api/model/calibrations.ts'
import { listOf, numberOf, textOf } from './read-json.ts'
import { sortTargets } from './targets.ts'

/** A value of a report. */
export interface ReportedValue {
  path: string
  /** The value as a number, where it is one. */
  value: number | undefined
  previous: number | undefined
  /** Both as the tuner wrote them. */
  raw: unknown
  rawPrevious: unknown
  error: number | undefined
  /** Uncertainty of the value before, where the tuner knows it. */
  previousError: number | undefined
  unit: string
  written: boolean
  /** No routine had measured the value before. */
  typed: boolean
}

/** Outcome of a routine on a target. `declined` includes what was disabled or not planned. */
export type Outcome = 'done' | 'unresolved' | 'failed' | 'blocked' | 'declined'

/** One routine on one target. */
export interface RoutineResult {
  routine: string
  target: string
  outcome: Outcome
  values: readonly ReportedValue[]
  error: { code: string; message: string } | undefined
  /** Reason why it was skipped. */
  reason: string
  attempts: number | undefined
  /** s. */
  duration: number | undefined
  fit: unknown
  quality: Record<string, unknown>
}

/** Result of a benchmark. */
export interface Benchmark {
  protocol: string
  target: string
  fidelity: number | undefined
  /** Standard error of the fidelity. */
  uncertainty: number | undefined
  /** Error per gate. */
  error: number | undefined
  /** In place of both: what the error is below with this probability. */
  upperBound: { error: number; confidence: number } | undefined
  /**
   * Of the error budget that the tuner made: what the coherent part is, or is below where it is not resolved.
   */
  coherent: { value: number | undefined; below: number | undefined } | undefined
  leakage: number | undefined
  /** Duration of the gate, s. */
  gateDuration: number | undefined
  threshold: number | undefined
}

/** A report in the form that the page shows. */
export interface ReadReport {
  routines: readonly string[]
  targets: readonly string[]
  results: readonly RoutineResult[]
  benchmarks: readonly Benchmark[]
  notes: readonly string[]
  errors: readonly string[]
  /** Number of values changed in the device file. */
  changed: number | undefined
}

/** Reads a report of any tuner: parts that it does not understand are left out, never an error. */
export function readReport(report: CalibrationReport): ReadReport {
  const measured = listOf(report.routines).filter(isObject).map(resultOf)
  const skipped = listOf(report.skipped).filter(isObject).map(skippedOf)
  const notes = listOf(report.notes).map(textOf).filter(Boolean)
  const results = [...measured, ...skipped].filter(({ routine }) => routine !== '')
  const unmeasured = typedPaths(notes)
  for (const { target, values } of results)
    for (const value of values) if (unmeasured.has(`${target} ${value.path}`)) value.typed = true
  return {
    routines: [...new Set(results.map(({ routine }) => routine))],
    targets: sortTargets(results.map(({ target }) => target).filter(Boolean)),
    results,
    benchmarks: listOf(report.benchmarks).filter(isObject).map(benchmarkOf),
    notes,
    errors: report.error.split('\n').filter(Boolean),
    changed: isObject(report.device_file) ? numberOf(report.device_file['changed']) : undefined,
  }
}

function resultOf(entry: Record<string, unknown>): RoutineResult {
  const error = entry['error']
  const failed = textOf(entry['status']) === 'failed'
  const parameters = isObject(entry['parameters']) ? entry['parameters'] : {}
  return {
    routine: textOf(entry['routine']),
    target: textOf(entry['target']),
    outcome: failed ? 'failed' : entry['unresolved'] === true ? 'unresolved' : 'done',
    values: Object.entries(parameters).map(([path, value]) => reportedValue(path, value)),
    error: isObject(error)
      ? { code: textOf(error['code']), message: textOf(error['message']) }
      : error
        ? { code: '', message: textOf(error) }
        : undefined,
    reason: '',
    attempts: numberOf(entry['attempts']),
    duration: numberOf(entry['duration_s']),
    fit: entry['fit'] ?? undefined,
    quality: isObject(entry['quality']) ? entry['quality'] : {},
  }
}

function skippedOf(entry: Record<string, unknown>): RoutineResult {
  const reason = textOf(entry['reason'])
  return {
    routine: textOf(entry['routine']),
    target: textOf(entry['target']),
    outcome: reason === 'blocked' ? 'blocked' : 'declined',
    values: [],
    error: undefined,
    reason: [reason.replaceAll('_', ' '), textOf(entry['detail'])].filter(Boolean).join(': '),
    attempts: undefined,
    duration: undefined,
    fit: undefined,
    quality: {},
  }
}

function reportedValue(path: string, given: unknown): ReportedValue {
  const entry = isObject(given) ? given : { value: given }
  return {
    path,
    raw: entry['value'],
    rawPrevious: entry['previous'],
    value: numberOf(entry['value']),
    previous: numberOf(entry['previous']),
    error: numberOf(entry['error']),
    previousError: numberOf(entry['previous_error']),
    unit: textOf(entry['unit']),
    written: entry['written'] === true,
    typed: entry['previous_typed'] === true || entry['typed'] === true,
  }
}

function benchmarkOf(entry: Record<string, unknown>): Benchmark {
  return {
    protocol: textOf(entry['protocol']),
    target: textOf(entry['target']),
    fidelity: numberOf(entry['fidelity']),
    uncertainty: numberOf(entry['fidelity_error']),
    error: numberOf(entry['error']),
    upperBound: boundOf(entry['upper_bound']),
    coherent: coherentOf(entry['error_budget']),
    leakage: numberOf(entry['leakage']),
    gateDuration: numberOf(entry['gate_duration']) ?? numberOf(entry['gate_s']),
    threshold: numberOf(entry['threshold']),
  }
}

function coherentOf(budget: unknown): Benchmark['coherent'] {
  if (!isObject(budget)) return undefined
  const bounds = budget['upper_bounds']
  return {
    value: numberOf(budget['coherent']),
    below: isObject(bounds) ? numberOf(bounds['coherent']) : undefined,
  }
}

function boundOf(entry: unknown): Benchmark['upperBound'] {
  if (!isObject(entry)) return undefined
  const [error, confidence] = [numberOf(entry['error']), numberOf(entry['confidence'])]
  return error === undefined || confidence === undefined ? undefined : { error, confidence }
}

/** Values that a note calls never measured: `q1: clock_freqs.f12 never measured`. */
function typedPaths(notes: readonly string[]): Set<string> {
  const found = new Set<string>()
  for (const note of notes) {
    const [, target, paths] =
      /^(\w{1,100}): (.{1,1900}?),? (?:was |were )?(?:never|not) measured/.exec(note) ?? []
    for (const path of (paths ?? '').split(/,\s*| and /)) found.add(`${target} ${path.trim()}`)
  }
  return found
}

/** How often each outcome occurs. */
export function countOutcomes(results: readonly RoutineResult[]): Record<Outcome, number> {
  const counts = { done: 0, unresolved: 0, failed: 0, blocked: 0, declined: 0 }
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

/** The targets of which a report has values. */
export function valuedTargets({ targets, results }: ReadReport): string[] {
  return targets.filter((name) => results.some((one) => one.target === name && one.values.length > 0))
}

/** The first result worth a look: a failed one, otherwise one with a trace. */
export function firstResult({ results }: ReadReport): RoutineResult | undefined {
  return (
    results.find(({ outcome }) => outcome === 'failed') ??
    results.find(({ fit }) => fit !== undefined) ??
    results[0]
  )
}
