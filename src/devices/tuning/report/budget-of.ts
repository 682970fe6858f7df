import { boundAbove } from '../../fitting/models/benchmarking/decay-bound.ts'
import { type ChipElements, qubitsOf } from '../plan/chip-elements.ts'
import type { Benchmark } from '../routine.ts'
import type { RunValues } from '../walk/run-values.ts'
import type { WalkResult } from '../walk/walk.ts'
import { disagree, type ErrorBudget, errorBudget, type Figure, figureText } from './error-budget.ts'

/** What is known about the gates of a chip. */
export interface BudgetSources {
  readonly chip: ChipElements
  readonly values: RunValues
  readonly walk: WalkResult
  /** Relative standard error of a value that an earlier run measured; undefined when it is not known. */
  relativeErrorOf?(element: string, path: string): number | undefined
}

/** The error budget of a gate on a target, from all benchmarks and coherence times that are known. */
export function budgetOf(target: string, found: Benchmark, input: BudgetSources): ErrorBudget | undefined {
  const { chip, walk } = input
  const measured = figureOf(found)
  if (!measured) return undefined
  const qubits = qubitsOf(target, chip.edges)
  const readouts = qubits.flatMap((qubit) => {
    const readout = newestOf(walk, qubit, ({ metric }) => metric === 'assignment')
    const figure = readout && figureOf(readout)
    return figure && 'value' in figure ? [figure] : []
  })
  const worst = readouts.toSorted((one, other) => other.value - one.value)[0]
  const purity = newestOf(
    walk,
    target,
    ({ incoherent, metric }) => metric === 'incoherent' || incoherent !== undefined,
  )
  return errorBudget({
    measured,
    gateDuration: found.gateDuration,
    readout: worst,
    qubits: qubits.map((qubit) => ({
      t1: timeOf(qubit, 'coherence.t1', input),
      t2: timeOf(qubit, 'coherence.t2_echo', input),
    })),
    incoherent:
      purity &&
      (purity.upperBound ? figureOf(purity) : figureOfValue(purity.incoherent, purity.fidelityError)),
    leakage: leakageOf(target, found, walk),
  })
}

/** The error that a benchmark found. */
function figureOf({ error, fidelityError, upperBound }: Benchmark): Figure | undefined {
  return upperBound ? { below: upperBound.error } : figureOfValue(error, fidelityError)
}

function figureOfValue(value: number | undefined, error: number | undefined): Figure | undefined {
  return value === undefined ? undefined : { value, error }
}

/** The newest benchmark of a kind on a target. */
function newestOf(
  { results }: WalkResult,
  target: string,
  isWanted: (benchmark: Benchmark) => boolean,
): Benchmark | undefined {
  return results.findLast(({ target: of, outcome }) => {
    const benchmark = outcome.finding?.benchmark
    return of === target && benchmark !== undefined && isWanted(benchmark)
  })?.outcome.finding?.benchmark
}

/** The leakage of a benchmark itself, of another one, or of the calibration of the gate. */
function leakageOf(target: string, found: Benchmark, walk: WalkResult): Figure | undefined {
  const other = newestOf(walk, target, ({ leakage }) => leakage !== undefined)
  const { leakage, leakageError } = found.leakage === undefined ? (other ?? {}) : found
  if (leakage !== undefined) return resolved(leakage, leakageError)
  const calibrated = walk.results.findLast(
    ({ target: of, outcome }) => of === target && outcome.finding?.leakage !== undefined,
  )?.outcome.finding
  return calibrated?.leakage === undefined ? undefined : resolved(calibrated.leakage, calibrated.leakageError)
}

/** A share that is not above zero by two standard errors is one that it is below. */
function resolved(value: number, error: number | undefined): Figure {
  return error !== undefined && value <= 2 * error
    ? { below: boundAbove({ value, error }).error }
    : { value, error }
}

/** A coherence time with its error, of this run or of the one that measured it. */
function timeOf(qubit: string, path: string, { values, walk, relativeErrorOf }: BudgetSources) {
  const value = values.number(qubit, path)
  if (value === undefined) return undefined
  const found = walk.results.findLast(
    ({ target, parameters }) => target === qubit && parameters[path]?.value === value,
  )
  const relative = relativeErrorOf?.(qubit, path)
  const known = relative === undefined ? undefined : relative * value
  return { value, error: found?.parameters[path]?.error ?? known }
}

/** Methods that see the same error of a gate of two qubits. */
const SAME = ['cz_rb', 'process_tomography'] as const

/** What two methods contradict each other about, a line each. */
export function disagreements(walk: WalkResult): string[] {
  const targets = [...new Set(walk.results.map(({ target }) => target))]
  return targets.flatMap((target) => {
    const of = (routine: string) => {
      const found = walk.results.findLast((each) => each.target === target && each.routine.name === routine)
      const benchmark = found?.outcome.finding?.benchmark
      return benchmark && figureOf(benchmark)
    }
    const [one, other] = SAME.map(of)
    const [total, incoherent] = [of('randomized_benchmarking'), of('purity_benchmarking')]
    const text = (first: string, a: Figure, second: string, b: Figure) =>
      `${target}: ${first} and ${second} disagree on the error of the gate: ${figureText(a)} and ${figureText(b)}`
    const isMore = total && incoherent && 'value' in incoherent && exceedsTotal(incoherent, total)
    return [
      ...(one && other && disagree(one, other) ? [text(SAME[0], one, SAME[1], other)] : []),
      ...(isMore && disagree(total, incoherent)
        ? [text('randomized_benchmarking', total, 'purity_benchmarking', incoherent)]
        : []),
    ]
  })
}

/** The incoherent part of an error is at most all of it. */
function exceedsTotal({ value }: { value: number }, total: Figure): boolean {
  return value > ('below' in total ? total.below : total.value)
}
