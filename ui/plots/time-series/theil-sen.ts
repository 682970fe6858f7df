import { medianOf } from '../../../src/base/portable/median.ts'
import { DAY_MS } from '../../../src/base/portable/units.ts'

/** A robust straight line through points: `value = at · slope + offset`. */
export interface Line {
  slope: number
  offset: number
}

/** More points than this are thinned out, for the time grows with their square. */
const MAX_POINTS = 400

/**
 * The line of Theil and Sen: the median of the slopes between all pairs of points, which nearly a third of
 * wild points does not move. Undefined without two different times.
 */
export function theilSen(points: readonly { at: number; value: number }[]): Line | undefined {
  const step = Math.ceil(points.length / MAX_POINTS)
  const used = points.filter((_, index) => index % step === 0)
  const slopes: number[] = []
  for (const [index, one] of used.entries())
    for (const other of used.slice(index + 1))
      if (other.at !== one.at) slopes.push((other.value - one.value) / (other.at - one.at))
  if (slopes.length === 0) return undefined
  const slope = medianOf(slopes)
  return { slope, offset: medianOf(used.map(({ at, value }) => value - slope * at)) }
}

/** Days whose values make the line of the drift. */
const DRIFT_DAYS = 14
/** Fewer values are no drift. */
const MIN_VALUES = 3

/** The drift of a parameter. */
export interface Drift extends Line {
  /** Change per day, in the unit of the parameter. */
  perDay: number
  values: number
}

/** The drift by the values of the last 14 days before `now`, Unix ms. */
export function driftOf(points: readonly { at: number; value: number }[], now: number): Drift | undefined {
  const recent = points.filter(({ at }) => at > now - DRIFT_DAYS * DAY_MS && at <= now)
  if (recent.length < MIN_VALUES) return undefined
  const line = theilSen(recent)
  return line && { ...line, perDay: line.slope * DAY_MS, values: recent.length }
}

/** The line of a drift over its days, from the oldest value that made it to `now`. */
export function trendOf(
  points: readonly { at: number }[],
  { slope, offset }: Line,
  now: number,
): { from: { at: number; value: number }; to: { at: number; value: number } } {
  const since = now - DRIFT_DAYS * DAY_MS
  const first = Math.min(now, ...points.map(({ at }) => at).filter((at) => at > since))
  const place = (at: number) => ({ at, value: slope * at + offset })
  return { from: place(first), to: place(now) }
}

/**
 * Days until the line of the drift crosses a limit: 0 when it is over the limit already, undefined when it
 * moves away from it.
 */
export function daysUntil(line: Line, limit: { value: number; side: 'above' | 'below' }, now: number) {
  const present = line.slope * now + line.offset
  const distance = limit.side === 'above' ? limit.value - present : present - limit.value
  if (distance <= 0) return 0
  const approach = (limit.side === 'above' ? line.slope : -line.slope) * DAY_MS
  return approach > 0 ? distance / approach : undefined
}
