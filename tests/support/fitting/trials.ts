import type { Fit } from '../../../src/devices/fitting/fit.ts'
import type { Rng } from '../../../src/simulator/index.ts'

/** A fitted value beside its truth. */
export interface Comparison {
  value: number
  /** NaN when the truth is not that of one parameter. */
  error: number
  truth: number
  /** Largest distance from the truth of a fit that counts as right. */
  tolerance: number
}

/** One simulated measurement, fitted. */
export interface Trial {
  fit: Fit<unknown>
  /** The wanted values, of an accepted fit. */
  comparisons: Comparison[]
}

/** A model with the measurements on which it is tried. */
export interface TrialKind {
  name: string
  /** What is compared, and how close it has to be. */
  tolerance: string
  /** Simulates a measurement with a random truth; without a signal, noise only. The result fits it. */
  prepare: (rng: Rng, hasSignal: boolean) => () => Trial
}

/** A random number from `from` to `to`. */
export function between(rng: Rng, from: number, to: number): number {
  return from + (to - from) * rng.next()
}

/** A random number from `from` to `to`, uniform in its logarithm. */
export function logBetween(rng: Rng, from: number, to: number): number {
  return Math.exp(between(rng, Math.log(from), Math.log(to)))
}

/** `count` values from `from` to `to`. */
export function spaced(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => from + ((to - from) * at) / (count - 1))
}

/** `count` values from `from` to `to`, each the same multiple of the one before. */
export function logSpaced(from: number, to: number, count: number): number[] {
  return spaced(Math.log(from), Math.log(to), count).map(Math.exp)
}

/** Every pair of a row and a column, row by row. */
export function grid<R, C>(rows: readonly R[], columns: readonly C[]): [row: R, column: C][] {
  return rows.flatMap((row) => columns.map((column): [R, C] => [row, column]))
}

/** Signal of each point with normal noise. */
export function measured<P>(
  rng: Rng,
  points: readonly P[],
  sigma: number,
  signal: (point: P) => number,
): number[] {
  return points.map((point) => signal(point) + sigma * rng.normal())
}

/** Compares an accepted fit with the truth: per wanted value the truth and the tolerance. */
export function compare<V extends object>(
  fit: Fit<V>,
  wanted: Partial<Record<keyof V, readonly [truth: number, tolerance: number]>>,
): Trial {
  if (!fit.ok) return { fit, comparisons: [] }
  const comparisons = Object.entries<readonly [number, number] | undefined>(wanted).flatMap(
    ([name, entry]) => {
      const estimate: unknown = fit.values[name as keyof V]
      if (!entry || !isEstimate(estimate)) return []
      return [{ ...estimate, truth: entry[0], tolerance: entry[1] }]
    },
  )
  return { fit, comparisons }
}

function isEstimate(value: unknown): value is { value: number; error: number } {
  return typeof value === 'object' && value !== null && 'value' in value && 'error' in value
}

/** Figures of many trials of a kind. */
export interface TrialFigures {
  trials: number
  accepted: number
  /** Accepted, with all values inside their tolerances. */
  right: number
  /** Share of all values of accepted fits that lie within two standard errors of the truth. */
  covered: number
  /** Noise-only measurements that were accepted. */
  noiseAccepted: number
  noiseTrials: number
  /** ms for one fit, mean. */
  ms: number
  /** Distances from the truth in tolerances, sorted. */
  distances: number[]
  /** How often each code was given to signals. */
  codes: Record<string, number>
}

/** Runs `signals` trials with and `noises` without a signal; `now` is a clock in ms. */
export function runTrials(
  kind: TrialKind,
  rng: Rng,
  { signals, noises, now }: { signals: number; noises: number; now: () => number },
): TrialFigures {
  let ms = 0
  const trials = Array.from({ length: signals }, () => {
    const fit = kind.prepare(rng, true)
    const start = now()
    const trial = fit()
    ms += (now() - start) / signals
    return trial
  })
  const noise = Array.from({ length: noises }, () => kind.prepare(rng, false)())
  const noiseAccepted = noise.filter(({ fit }) => fit.ok).length
  const comparisons = trials.flatMap((trial) => trial.comparisons)
  const withErrors = comparisons.filter(({ error }) => !Number.isNaN(error))
  const isRight = ({ value, truth, tolerance }: Comparison) => Math.abs(value - truth) <= tolerance
  const isCovered = ({ value, error, truth }: Comparison) => Math.abs(value - truth) <= 2 * error
  const codes: Record<string, number> = {}
  for (const { fit } of trials) if (!fit.ok) codes[fit.code] = (codes[fit.code] ?? 0) + 1
  return {
    ...{ trials: signals, ms, codes, noiseAccepted, noiseTrials: noises },
    accepted: trials.filter(({ fit }) => fit.ok).length,
    right: trials.filter(({ fit, comparisons: found }) => fit.ok && found.every(isRight)).length,
    covered: withErrors.filter(isCovered).length / withErrors.length,
    distances: comparisons
      .map(({ value, truth, tolerance }) => Math.abs(value - truth) / tolerance)
      .sort((a, b) => a - b),
  }
}
