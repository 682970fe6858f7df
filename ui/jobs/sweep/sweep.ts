import type { CircuitResult } from '../../api/model/jobs.ts'
import { csvText } from '../../lib/save-file.ts'
import { countsOfResult, totalOf } from '../counts.ts'
import { expectationOf, marginalOf, widthOf } from '../ideal/marginals.ts'
import type { Execution } from '../jobs.ts'

/** Executions from which a plot against a parameter says something. */
const FEWEST_POINTS = 3
/** Outcomes that can be chosen; those that change most. */
const MAX_OUTCOMES = 16

/** A parameter that differs between the executions of a sweep. */
export interface Parameter {
  /** Its place among the inputs of the program. */
  index: number
  /** Its value in each execution. */
  values: readonly number[]
}

/** Executions of one program, or of copies that a client has bound, with other values of its parameters. */
export interface Sweep {
  /** The program, whose inputs name the parameters. */
  text: string
  parameters: readonly Parameter[]
  /** Results of each execution. */
  results: readonly CircuitResult[]
}

/** What is plotted of each execution. `bits` are summed over unless given; all of them without any. */
export type Quantity =
  | { kind: 'outcome'; bits: readonly number[]; outcome: string }
  | { kind: 'mean' | 'odd'; bits: readonly number[] }
  | { kind: 'observable'; index: number }

/** A quantity in each execution with its standard error, which exact values do not have. */
export interface Points {
  values: readonly number[]
  errors: readonly number[] | undefined
}

/** The sweep in the results of a job; undefined if fewer than three executions of a program differ. */
export function sweepOf(
  executions: readonly Execution[],
  results: readonly CircuitResult[],
): Sweep | undefined {
  if (executions.length !== results.length) return undefined
  const all = executions.map(({ text, values }, at) => ({
    text,
    values,
    result: results[at] as CircuitResult,
  }))
  const swept = Map.groupBy(all, ({ text }) => text)
  // A client that binds values itself sends them along with a program of its own for each.
  const isBound = swept.size === all.length && new Set(executions.map(({ text }) => unbound(text))).size === 1
  const groups = isBound ? [all] : [...swept.values()]
  const [largest = []] = groups.toSorted((one, other) => other.length - one.length)
  const [first] = largest
  if (!first || largest.length < FEWEST_POINTS) return undefined
  if (largest.some(({ values }) => values.length !== first.values.length)) return undefined
  const parameters = first.values
    .map((_, index) => ({ index, values: largest.map(({ values }) => values[index] ?? Number.NaN) }))
    .filter(({ values }) => new Set(values).size > 1)
  if (parameters.length === 0) return undefined
  return { text: first.text, parameters, results: largest.map(({ result }) => result) }
}

/** What binding changes: delays, numbers and the signs around them; indices (the first group) are kept. */
const BOUND = /delay\[.*?\]|(\[.*?\])|(?<![\w$])([\d.]+(e[-+]?\d+)?|pi\b|π)|[-*/ ]/gi

/** A program without the numbers of its gates: the same of programs that differ in bound values only. */
function unbound(text: string): string {
  return text.replace(BOUND, (_, index) => index ?? '')
}

/** The counts of each execution; undefined unless all have outcomes of the same number of bits. */
export function countsOfSweep({ results }: Sweep) {
  const counts = results.map((result) => countsOfResult(result) ?? {})
  const widths = new Set(counts.map(widthOf))
  const [width] = widths
  return widths.size === 1 && width !== undefined ? { counts, width } : undefined
}

/** The outcomes of the given bits that change most over a sweep, in ascending order. */
export function changingOutcomes(
  counts: readonly Record<string, number>[],
  bits: readonly number[],
): string[] {
  const extremes = new Map<string, { least: number; most: number; seen: number }>()
  for (const each of counts) {
    const shots = totalOf(each)
    for (const [outcome, count] of Object.entries(marginalOf(each, bits))) {
      const share = shots === 0 ? 0 : count / shots
      const { least = share, most = share, seen = 0 } = extremes.get(outcome) ?? {}
      const extreme = { least: Math.min(least, share), most: Math.max(most, share), seen: seen + 1 }
      extremes.set(outcome, extreme)
    }
  }
  // An outcome that an execution does not have is 0 there.
  const spread = ({ least, most, seen }: { least: number; most: number; seen: number }) =>
    most - (seen < counts.length ? 0 : least)
  return [...extremes]
    .sort(([, one], [, other]) => spread(other) - spread(one))
    .slice(0, MAX_OUTCOMES)
    .map(([outcome]) => outcome)
    .sort()
}

/**
 * A quantity in each execution. The standard error is that of the shots: √(p(1 − p)/n) of a probability,
 * √((1 − m²)/n) of a mean.
 */
export function pointsOf(sweep: Sweep, quantity: Quantity): Points {
  if (quantity.kind === 'observable') {
    const { index } = quantity
    const values = sweep.results.map(({ expectation_values: means }) => means?.[index] ?? Number.NaN)
    return { values, errors: undefined }
  }
  const { counts, width } = countsOfSweep(sweep) ?? { counts: [], width: 0 }
  const bits = quantity.bits.length > 0 ? quantity.bits : Array.from({ length: width }, (_, bit) => bit)
  const points = counts.map((each) => {
    if (quantity.kind !== 'outcome') {
      const { mean, error } = expectationOf(each, bits)
      return quantity.kind === 'mean' ? { value: mean, error } : { value: (1 - mean) / 2, error: error / 2 }
    }
    const shots = totalOf(each)
    const share = shots === 0 ? 0 : (marginalOf(each, quantity.bits)[quantity.outcome] ?? 0) / shots
    return { value: share, error: shots === 0 ? 0 : Math.sqrt((share * (1 - share)) / shots) }
  })
  return { values: points.map(({ value }) => value), errors: points.map(({ error }) => error) }
}

/** Two parameters as a grid: values in ascending order, and the execution of each cell, row by row of `y`. */
export interface Grid {
  x: readonly number[]
  y: readonly number[]
  cells: readonly number[]
}

/** The grid that two parameters span; undefined unless each pair of their values was run exactly once. */
export function gridOf(x: Parameter, y: Parameter): Grid | undefined {
  const [across, down] = [x, y].map(({ values }) => [...new Set(values)].sort((a, b) => a - b))
  if (!across || !down || across.length * down.length !== x.values.length) return undefined
  const places = new Map(x.values.map((value, at) => [`${value} ${y.values[at]}`, at]))
  const cells = down.flatMap((of) => across.map((value) => places.get(`${value} ${of}`)))
  return cells.includes(undefined) ? undefined : { x: across, y: down, cells: cells as number[] }
}

/** The points of a sweep as a table for other programs. */
export function sweepCsv(
  { parameters }: Sweep,
  { names, title }: { names: readonly string[]; title: string },
  { values, errors }: Points,
): string {
  const head = [...names, title, ...(errors ? ['error'] : [])]
  const rows = values.map((value, at) => [
    ...parameters.map((each) => each.values[at]),
    value,
    ...(errors ? [errors[at]] : []),
  ])
  return csvText([head, ...rows])
}
