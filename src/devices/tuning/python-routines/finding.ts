import { type KeyTest, qualityOf, rejectSamples, rejectSolution } from '../../fitting/acceptance.ts'
import type { Estimate, Quality } from '../../fitting/fit.ts'
import { lineTrace } from '../../fitting/trace.ts'
import { accepted } from '../measure/accept.ts'
import { type Benchmark, type Finding, type FoundValue, RoutineError } from '../routine.ts'
import type { DescribedRoutine, SentFinding, SentFit } from './routine-messages.ts'

/**
 * The figures of a fit that passes the tests of the built-in routines.
 * @throws RoutineError with the reason and the trace of another.
 */
export function acceptedFit(fit: SentFit): Quality {
  const [x, y, curve] = [numbers(fit.x), numbers(fit.y), numbers(fit.curve)]
  const trace = traceOf(fit)
  const wrong = rejectSamples(x, y, { parameters: fit.parameters })
  if (wrong) accepted({ ...wrong, fit: trace })
  if (curve.length !== y.length || !curve.every(Number.isFinite)) {
    throw new RoutineError('no_signal', 'the curve does not have a finite value at each point', { trace })
  }
  const keys = keysOf(fit, x)
  const squares = curve.reduce((sum, value, at) => sum + (value - (y[at] ?? 0)) ** 2, 0)
  const solution = { parameters: new Float64Array(fit.parameters), squares }
  const quality = qualityOf(y, solution, keys)
  const rejected = rejectSolution(quality, keys)
  if (rejected) accepted({ ...rejected, quality, fit: traceOf(fit, quality) })
  return quality
}

/**
 * What a routine in Python found, as a built-in one reports it.
 * @throws RoutineError for a value that it does not declare, and a declared one that is missing.
 */
export function findingOf(sent: SentFinding, described: DescribedRoutine): Finding {
  const parameters = parametersOf(sent, { ...described.optional_writes, ...described.writes })
  const missing = Object.keys(described.writes).find((path) => !Object.hasOwn(parameters, path))
  if (missing !== undefined && !sent.is_unresolved) throw invalid(`${missing} is in writes, and is not found`)
  return {
    parameters,
    ...(sent.fit && { trace: traceOf(sent.fit, sent.quality) }),
    ...(Object.keys(sent.quality).length > 0 && { quality: sent.quality }),
    ...(sent.benchmark && { benchmark: benchmarkOf(sent.benchmark) }),
    ...(sent.is_unresolved && { unresolved: true }),
    notes: sent.notes,
  }
}

/** The found values with the units that the routine declares for their paths. */
function parametersOf(
  sent: SentFinding,
  units: Readonly<Record<string, string>>,
): Record<string, FoundValue> {
  const isBenchmark = Object.keys(units).length === 0
  if (isBenchmark && !sent.benchmark) throw invalid('a routine that writes nothing has to find a benchmark')
  if (!isBenchmark && sent.benchmark) throw invalid('only a routine that writes nothing may find a benchmark')
  const parameters: Record<string, FoundValue> = {}
  for (const [path, { value, error, check_limit: checkLimit }] of Object.entries(sent.parameters)) {
    const unit = Object.hasOwn(units, path) ? units[path] : undefined
    if (unit === undefined) throw invalid(`${path} is found, and neither in writes nor in optional_writes`)
    if (error !== undefined && error < 0) throw invalid(`the error of ${path} is ${error}`)
    const parts = { ...(error !== undefined && { error }), ...(checkLimit !== undefined && { checkLimit }) }
    parameters[path] = { value, unit, ...parts }
  }
  return parameters
}

function benchmarkOf(sent: NonNullable<SentFinding['benchmark']>): Benchmark {
  const {
    fidelity_error: fidelityError,
    gate_duration: gateDuration,
    leakage_error: leakageError,
    ...rest
  } = sent
  return {
    ...rest,
    ...(fidelityError !== undefined && { fidelityError }),
    ...(gateDuration !== undefined && { gateDuration }),
    ...(leakageError !== undefined && { leakageError }),
  }
}

/** The values on which acceptance depends: those with an error. */
function keysOf({ values }: SentFit, swept: readonly number[]): KeyTest[] {
  return Object.entries(values).flatMap(([name, { value, error, scale, is_swept: isSwept }]) => {
    if (typeof value !== 'number' || error === undefined) return []
    const estimate = { value, error }
    return [{ name, estimate, scale: scale ?? value, ...(isSwept && { swept }) }]
  })
}

function traceOf(fit: SentFit, quality?: Quality) {
  const estimates: Record<string, Estimate> = Object.fromEntries(
    keysOf(fit, []).map(({ name, estimate }) => [name, estimate]),
  )
  const goodness = { r2: 0, dbic: 0, se_rel: 0, points: 0, dof: 0 }
  const isComplete = quality && Object.keys(goodness).every((key) => Object.hasOwn(quality, key))
  return {
    ...lineTrace({
      model: fit.model,
      x: { name: fit.x_name, unit: fit.x_unit, values: numbers(fit.x) },
      y: { name: fit.y_name, unit: fit.y_unit, values: numbers(fit.y) },
      curve: fit.curve.length === fit.y.length ? numbers(fit.curve) : undefined,
      estimates,
    }),
    ...(isComplete && { goodness: { ...goodness, ...quality } }),
  }
}

function numbers(values: readonly (number | null)[]): number[] {
  return values.map((value) => value ?? Number.NaN)
}

function invalid(reason: string): RoutineError {
  return new RoutineError('invalid_result', `the routine in Python: ${reason}`)
}
