import type { CalibrationFindings } from '../../../protocol/index.ts'
import type { FoundParameter, NodeResult, WalkResult } from '../walk/walk.ts'
import { type BudgetSources, budgetOf, disagreements } from './budget-of.ts'
import {
  digits10,
  LIST_LIMITS,
  reportList,
  reportName,
  reportText,
  reportTexts,
  reportTrace,
} from './limits.ts'

/** What happened to the device file. */
export interface FileOutcome {
  /** Number of values that changed, and the hashes of the file. */
  readonly changed: number
  readonly before: string
  readonly after: string
  /** Paths that were not written because another person changed them, as `q0.clock_freqs.f01`. */
  readonly conflicts: readonly string[]
  /** Paths that were not written because the class of the element does not know them. */
  readonly unknown: readonly string[]
}

/** Entries that are made without a turn of other work: some 5 ms. */
const ENTRIES_PER_TURN = 16

interface FindingsInput extends BudgetSources {
  /** Device and instrument: `scheduler_a_tuner+simulated`. */
  readonly backend: string
  /** Undefined when nothing was to be written. */
  readonly file: FileOutcome | undefined
  /** Why the device file could not be written. */
  readonly fileError: string | undefined
  readonly notes: readonly string[]
  /** Checks whose value still holds. */
  readonly passedChecks?: number | undefined
  /** The error that a benchmark had when the values in force were calibrated. */
  previousErrorOf?(protocol: string, target: string): number | undefined
}

/**
 * The findings of a run, within all limits of a report: texts are one line, lists and traces are cut, and the
 * last entry of a cut list says how many are missing. The traces of a large chip hold some hundred thousand
 * numbers: other work of the process has its turn meanwhile.
 */
export async function buildFindings(input: FindingsInput): Promise<CalibrationFindings> {
  const { backend, walk, file, fileError, passedChecks } = input
  const isWritten = file !== undefined && fileError === undefined
  const unwritten = new Set([...(file?.conflicts ?? []), ...(file?.unknown ?? [])])
  const routines = reportList(walk.results, LIST_LIMITS.routines)
  const skipped = reportList(walk.skipped, LIST_LIMITS.skipped)
  const dropped = [
    ...(routines.dropped > 0 ? [`${routines.dropped} results of routines are left out`] : []),
    ...(skipped.dropped > 0 ? [`${skipped.dropped} skipped routines are left out`] : []),
  ]
  const entries: CalibrationFindings['routines'] = []
  for (const [at, result] of routines.kept.entries()) {
    if (at % ENTRIES_PER_TURN === 0) await turn()
    entries.push({
      ...routineEntry(result, isWritten, unwritten),
      ...(isSuperseded(result, walk) && { superseded: true }),
    })
  }
  const conflictNotes = (file?.conflicts ?? []).map(
    (path) => `${path}: conflict, changed by another person during the run; theirs is kept`,
  )
  return {
    status: statusOf(walk, fileError, passedChecks),
    backend: reportName(backend),
    device_file:
      file && file.changed > 0 ? { changed: file.changed, before: file.before, after: file.after } : null,
    routines: entries,
    benchmarks: routines.kept
      .filter(({ outcome }) => outcome.finding?.benchmark !== undefined)
      .map((result) => ({
        ...benchmarkEntry(result, input),
        ...(isSuperseded(result, walk) && { superseded: true }),
      })),
    skipped: skipped.kept.map(({ routine, target, reason, detail }) => ({
      routine: reportName(routine),
      target: reportName(target),
      reason,
      detail: reportText(detail),
    })),
    errors: reportTexts(errorsOf(walk, fileError), LIST_LIMITS.errors),
    notes: reportTexts(
      [
        ...input.notes,
        ...walk.notes,
        ...disagreements(walk),
        ...conflictNotes,
        ...unknownNotes(file?.unknown ?? []),
        ...dropped,
      ],
      LIST_LIMITS.notes,
    ),
  }
}

/** One note per element about parameters that its class lacks. */
function unknownNotes(paths: readonly string[]): string[] {
  const byElement = Map.groupBy(paths, (path) => path.slice(0, path.indexOf('.')))
  return Array.from(byElement, ([element, all]) => {
    const names = all.map((path) => path.slice(element.length + 1)).join(', ')
    return `${element}: not written, its class does not know them: ${names}; element_type.path svc.elements.CalibratedTransmon does`
  })
}

/** Timers and messages of the process come first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Whether a result counts as failed; one that keeps a valid value does not. */
function isFailed({ outcome, isUnresolved }: NodeResult): boolean {
  return outcome.error !== undefined && !isUnresolved
}

/**
 * `aborted` when a person stopped the run; `success` without any failure, `partial_failure` when something
 * succeeded beside a failure, `failed` when nothing did or the run itself failed. A run that measured nothing
 * is never a success; checks that found every value to hold are a measurement.
 */
export function statusOf(
  { results, skipped, stopped, isAborted = false }: WalkResult,
  fileError: string | undefined,
  passedChecks = 0,
): CalibrationFindings['status'] {
  if (isAborted) return 'aborted'
  if (stopped !== undefined || fileError !== undefined) return 'failed'
  if (results.length === 0) return passedChecks > 0 ? 'success' : 'failed'
  const hasFailure = results.some(isFailed) || skipped.some(({ reason }) => reason === 'blocked')
  if (!hasFailure) return 'success'
  return results.some((result) => !isFailed(result)) ? 'partial_failure' : 'failed'
}

/** A failure is one line, with all that it keeps from running. */
function errorsOf({ results, skipped, stopped }: WalkResult, fileError: string | undefined): string[] {
  const blocked = Map.groupBy(
    skipped.filter(({ reason }) => reason === 'blocked'),
    ({ detail }) => detail,
  )
  const failed = results.flatMap((result) => {
    const { error } = result.outcome
    if (!error || !isFailed(result)) return []
    const name = `${result.target} ${result.routine.name}`
    const others = blocked.get(name) ?? []
    const where = [...new Set(others.map(({ target }) => target))].join(', ')
    const rest = others.length === 0 ? '' : `; blocked by it: ${others.length} on ${where}`
    return [`${name}: ${error.code} ${error.message}${rest}`]
  })
  return [
    ...(stopped === undefined ? [] : [stopped]),
    ...(fileError === undefined ? [] : [fileError]),
    ...failed,
  ]
}

/** Whether a result is as of before a coupler was parked, and was measured again afterwards. */
function isSuperseded(result: NodeResult, { results }: WalkResult): boolean {
  const newest = results.findLast(
    ({ routine, target, outcome, isUnresolved }) =>
      routine.name === result.routine.name && target === result.target && !outcome.error && !isUnresolved,
  )
  return newest !== undefined && results.indexOf(newest) > results.indexOf(result)
}

function routineEntry(result: NodeResult, isWritten: boolean, unwritten: ReadonlySet<string>) {
  const { routine, target, outcome, isUnresolved, parameters } = result
  const { finding, error } = outcome
  const trace = finding?.trace ?? error?.trace
  const quality = finding?.quality ?? error?.quality
  const entries = Object.entries(parameters)
  return {
    routine: reportName(routine.name),
    target: reportName(target),
    status: isFailed(result) ? ('failed' as const) : ('success' as const),
    started_at: new Date(outcome.startedAt).toISOString(),
    duration_s: Number(outcome.durationS.toPrecision(4)),
    attempts: outcome.attempts,
    ...(isUnresolved && { unresolved: true }),
    ...(entries.length > 0 && {
      parameters: Object.fromEntries(
        entries.map(([path, parameter]) => {
          const isLeftOut = unwritten.has(`${target}.${path}`)
          return [path, parameterEntry(parameter, isWritten && !isLeftOut)]
        }),
      ),
    }),
    ...(error && { error: { code: reportName(error.code), message: reportText(error.message) } }),
    ...(quality && { quality: finiteNumbers(quality) }),
    ...(trace && { fit: reportTrace(trace) }),
  }
}

function parameterEntry({ value, error, unit, previous, isApplied }: FoundParameter, isWritten: boolean) {
  return {
    value: typeof value === 'number' ? digits10(value) : value,
    ...(error !== undefined && Number.isFinite(error) && { error: Number(error.toPrecision(6)) }),
    unit: unit ?? '',
    previous: previous ?? null,
    written: isApplied && isWritten,
  }
}

function finiteNumbers(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => Number.isFinite(value)))
}

function benchmarkEntry(result: NodeResult, input: FindingsInput) {
  const { routine, target, outcome } = result
  const found = outcome.finding?.benchmark ?? { metric: '' }
  const budget = found.metric === 'average_gate' ? budgetOf(target, found, input) : undefined
  const { upperBound } = found
  return {
    protocol: reportName(routine.name),
    target: reportName(target),
    metric: found.metric,
    fidelity: finiteOrNull(found.fidelity),
    error: finiteOrNull(found.error),
    ...optional('fidelity_error', found.fidelityError),
    ...optional('previous_error', input.previousErrorOf?.(routine.name, target)),
    ...optional('gate_duration', found.gateDuration),
    ...(upperBound && { upper_bound: { ...upperBound } }),
    ...optional('leakage', found.leakage),
    ...optional('leakage_error', found.leakageError),
    ...optional('incoherent', found.incoherent),
    ...optional('parallel_penalty', penaltyOf(result)),
    ...(budget && { error_budget: budget }),
    ...(found.rawData !== undefined && { raw_data: found.rawData }),
  }
}

/** By how much the error is larger when the targets of a group are measured together. */
function penaltyOf({ outcome, alone }: NodeResult): number | undefined {
  const [together, single] = [outcome, alone].map((each) => each?.finding?.benchmark?.error)
  return together === undefined || single === undefined ? undefined : together - single
}

function finiteOrNull(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value
}

function optional(key: string, value: number | undefined): Record<string, number> {
  return value === undefined || !Number.isFinite(value) ? {} : { [key]: value }
}
