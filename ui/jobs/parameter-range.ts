import { readExpression } from '../lib/expressions.ts'

/** The values of one input, as typed: expressions for the ends, a number of points. */
export interface Range {
  from: string
  to: string
  points: string
}

/** Executions of one job. */
export const MAX_EXECUTIONS = 300

/** The parameter sets of ranges, or what is wrong with them. */
type Ranged = { sets: string[][] } | { problem: string }

/**
 * Every combination of the values of each input, the last input changing fastest. The points of a range are
 * equally spaced and include both ends; one point is the start.
 */
export function setsOfRanges(inputs: readonly string[], ranges: readonly Range[], most: number): Ranged {
  const columns: string[][] = []
  let count = 1
  for (const [index, name] of inputs.entries()) {
    const { from, to, points } = ranges[index] ?? { from: '', to: '', points: '' }
    const number = Number(points)
    if (!Number.isInteger(number) || number < 1) return { problem: `${name}: give a whole number of points` }
    count *= number
    if (count > most) return { problem: `These are more than ${most} sets, the most that this job can have` }
    const [start, stop] = [readExpression(from), readExpression(number === 1 ? from : to)]
    if (typeof start === 'string') return { problem: `${name}: ${start}` }
    if (typeof stop === 'string') return { problem: `${name}: ${stop}` }
    columns.push(number === 1 ? [from.trim()] : pointsOf(start, stop, number))
  }
  return { sets: columns.reduce<string[][]>(combine, [[]]) }
}

function combine(sets: string[][], column: string[]): string[][] {
  return sets.flatMap((set) => column.map((value) => [...set, value]))
}

/** Digits of a value: enough for any angle, without the last ones that come from rounding. */
const DIGITS = 12

function pointsOf(start: number, stop: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const part = at / (count - 1)
    return String(Number((start * (1 - part) + stop * part).toPrecision(DIGITS)))
  })
}
