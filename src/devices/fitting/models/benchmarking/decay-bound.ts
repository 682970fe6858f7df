import { studentFactor } from '../../solve/student-t.ts'

/** How likely an upper bound is to hold, and the standard errors that this is above an estimate. */
export const BOUND_CONFIDENCE = 0.95
const BOUND_SIGMAS = 1.645

/** An upper bound of an error that is smaller than what a measurement resolves. */
export interface ErrorBound {
  readonly error: number
  /** Probability that the error is not above it. */
  readonly confidence: number
}

/** Least part of the way from the base to 1 at which a decay starts, and most of its standard error. */
const MIN_START = 0.5
const MAX_START_ERROR = 0.05
/** Least part of that start that is left at the deepest point: less is a decay, or no signal at all. */
const MIN_LEFT = 0.6

/** The bound above an estimate with its standard error. A negative estimate counts as none. */
export function boundAbove({ value, error }: { value: number; error: number }): ErrorBound {
  return { error: Math.max(0, value) + BOUND_SIGMAS * error, confidence: BOUND_CONFIDENCE }
}

/**
 * Upper bound of the rate at which a signal decays that stays all but constant over all depths: amplitude·(1
 * − rate·depth) above the base, fitted to the samples of all sequences by least squares. Undefined for a
 * signal that does not start high or does not stay there, which is no evidence of a small rate.
 * @param samples by depth and sequence
 * @param base signal after infinitely many gates
 */
export function boundDecay(
  depths: ArrayLike<number>,
  samples: readonly (readonly number[])[],
  base: number,
): ErrorBound | undefined {
  const points = samples.flatMap((all, at) => all.map((value) => ({ x: depths[at] ?? 0, y: value - base })))
  const count = points.length
  if (count < 4 || !points.every(({ y }) => Number.isFinite(y))) return undefined
  const x = points.reduce((sum, point) => sum + point.x / count, 0)
  const y = points.reduce((sum, point) => sum + point.y / count, 0)
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  if (spread === 0) return undefined
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread
  const start = y - slope * x
  const squares = points.reduce((sum, point) => sum + (point.y - start - slope * point.x) ** 2, 0)
  const deviation = studentFactor(count - 2) * Math.sqrt(squares / (count - 2))
  const startError = deviation * Math.sqrt(1 / count + x ** 2 / spread)
  const deepest = points.reduce((most, point) => Math.max(most, point.x), 0)
  const isHigh = start >= MIN_START * (1 - base) && startError <= MAX_START_ERROR
  if (!isHigh || start + slope * deepest < MIN_LEFT * start) return undefined
  return boundAbove({ value: -slope / start, error: deviation / Math.sqrt(spread) / start })
}

/** A bound of a multiple of the error. */
export function scaleBound({ error, confidence }: ErrorBound, factor: number): ErrorBound {
  return { error: error * factor, confidence }
}
