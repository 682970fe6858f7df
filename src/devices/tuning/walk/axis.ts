import type { SweepAxis, SweepRange } from '../routine.ts'
import type { AxisLimit } from './sweep-limits.ts'

/** An axis as `calibration.yml` gives it: `values`, `start` and `stop`, or `center` and `span`. */
export interface GivenAxis {
  readonly values?: readonly number[] | undefined
  readonly start?: number | undefined
  readonly stop?: number | undefined
  readonly center?: number | undefined
  readonly span?: number | undefined
  readonly points?: number | undefined
  readonly scale?: 'lin' | 'log' | undefined
}

/** Evenly spaced values with both ends; with the scale `log`, of evenly spaced logarithms. */
export function spread({ start, stop, points, scale = 'lin' }: SweepRange): Float64Array {
  const [from, to] = scale === 'log' ? [Math.log(start), Math.log(stop)] : [start, stop]
  const at = (index: number) => (points === 1 ? from : from + ((to - from) * index) / (points - 1))
  const values = Float64Array.from({ length: points }, (_, index) =>
    scale === 'log' ? Math.exp(at(index)) : at(index),
  )
  if (points > 1) {
    values[0] = start
    values[points - 1] = stop
  }
  return values
}

/** An axis, and whether its range was cut to its limit. */
interface ResolvedAxis extends SweepAxis {
  readonly isCut: boolean
}

/**
 * The values of an axis: the given ones, completed by the derived range, and cut to a limit. A cut range
 * keeps the distance of its values. Empty when no value lies within the limit.
 */
export function resolveAxis(
  name: string,
  given: GivenAxis | undefined,
  derived: SweepRange | readonly number[],
  limit: Pick<AxisLimit, 'min' | 'max'> = NO_LIMIT,
): ResolvedAxis {
  const list = given ? given.values : 'start' in derived ? undefined : derived
  if (list) {
    const kept = list.filter((value) => value >= limit.min && value <= limit.max)
    return { name, values: Float64Array.from(kept), isCut: kept.length < list.length }
  }
  const range = rangeOf(given ?? {}, derived)
  const cut = cutRange(range, limit)
  return { name, values: cut ? spread(cut) : new Float64Array(), isCut: cut !== range }
}

const NO_LIMIT = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }
/** Points that a cut range has at least, unless it had fewer before. */
const MIN_POINTS = 21

/** Undefined when nothing of the range is within the limit. */
function cutRange(range: SweepRange, { min, max }: { min: number; max: number }): SweepRange | undefined {
  const [low, high] = [Math.min(range.start, range.stop), Math.max(range.start, range.stop)]
  if (low >= min && high <= max) return range
  if (low >= max || high <= min) return undefined
  const clip = (value: number) => Math.min(max, Math.max(min, value))
  const [start, stop] = [clip(range.start), clip(range.stop)]
  const length = (from: number, to: number) =>
    Math.abs(range.scale === 'log' ? Math.log(to / from) : to - from)
  const share = length(start, stop) / length(range.start, range.stop)
  const points = Math.ceil((range.points - 1) * share) + 1
  return { ...range, start, stop, points: Math.min(range.points, Math.max(points, MIN_POINTS)) }
}

function rangeOf(given: GivenAxis, derived: SweepRange | readonly number[]): SweepRange {
  const isRange = 'start' in derived
  const points = given.points ?? (isRange ? derived.points : derived.length)
  const scale = given.scale ?? (isRange ? derived.scale : undefined) ?? 'lin'
  return { ...boundsOf(given, derived), points, scale }
}

/** First and last value. */
function boundsOf(given: GivenAxis, derived: SweepRange | readonly number[]) {
  const [first, last] =
    'start' in derived ? [derived.start, derived.stop] : [derived[0] ?? 0, derived.at(-1) ?? 0]
  if (given.center === undefined && given.span === undefined) {
    return { start: given.start ?? first, stop: given.stop ?? last }
  }
  const center = given.center ?? (first + last) / 2
  const span = given.span ?? last - first
  return { start: center - span / 2, stop: center + span / 2 }
}
