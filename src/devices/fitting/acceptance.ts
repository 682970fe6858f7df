import { type Estimate, type FitQuality, type RejectedFit, rejectFit } from './fit.ts'
import type { LeastSquaresSolution } from './solve/least-squares.ts'
import { finiteDigits } from './trace.ts'

/** Relative standard deviation up to which samples count as constant. */
const MIN_SPREAD = 1e-9
/** Smallest difference of the information criterion. */
const MIN_DBIC = 15
const MIN_R2 = 0.4
/** Largest standard error of a wanted value, relative to its scale. */
const MAX_RELATIVE_ERROR = 0.25
/** Samples at one exact extreme from which an acquisition counts as clipped: a share, and a number. */
const CLIPPED_SHARE = 0.25
const CLIPPED_SAMPLES = 4
/** Residuals below this share of the signal are rounding errors. */
const MIN_RESIDUAL = 1e-20

/** A value on which the acceptance of a fit depends. */
export interface KeyTest {
  name: string
  estimate: Estimate
  /** What the standard error is compared with: the value itself, or the width of a line for its center. */
  scale: number
  /** Swept values between which the value has to lie, more than one step from the ends. */
  swept?: ArrayLike<number> | undefined
}

/**
 * Tests the samples before a fit: as many as swept values, at least `parameters` + 2, all finite, neither
 * constant nor clipped (`mayRepeat` allows equal samples, as a trace has before a pulse arrives).
 */
export function rejectSamples(
  swept: ArrayLike<number>,
  samples: ArrayLike<number>,
  { parameters, mayRepeat = false }: { parameters: number; mayRepeat?: boolean },
): RejectedFit | undefined {
  const count = samples.length
  if (swept.length !== count) {
    return rejectFit('no_data', `${count} samples for ${swept.length} swept values`)
  }
  if (count < parameters + 2) {
    return rejectFit('no_data', `${count} samples; the fit needs at least ${parameters + 2}`)
  }
  const values = Array.from(samples)
  if (!values.every(Number.isFinite) || !Array.from(swept).every(Number.isFinite)) {
    return rejectFit('no_data', 'The acquisition has samples that are not finite numbers')
  }
  const [first, last] = rangeOf(swept)
  if (first === last) return rejectFit('no_data', 'All points of the sweep are equal')
  const [min, max] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
  const mean = values.reduce((sum, value) => sum + value / count, 0)
  const spread = Math.sqrt(squaresAboutMean(values) / count)
  if (spread <= MIN_SPREAD * Math.max(Math.abs(mean), Math.abs(min), Math.abs(max))) {
    return rejectFit('no_data', 'The acquisition holds no signal: all samples are equal')
  }
  const extremes = [min, max].map((end) => values.filter((value) => value === end).length)
  const repeated = Math.max(...extremes)
  if (!mayRepeat && repeated >= Math.max(CLIPPED_SAMPLES, CLIPPED_SHARE * count)) {
    return rejectFit('no_data', `The acquisition is clipped: ${repeated} of ${count} samples are equal`)
  }
  return undefined
}

/** Sum of squared differences from the mean. */
export function squaresAboutMean(values: ArrayLike<number>): number {
  let mean = 0
  for (let at = 0; at < values.length; at++) mean += (values[at] as number) / values.length
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += ((values[at] as number) - mean) ** 2
  return sum
}

/**
 * Figures of a solution against the model without the signal: a constant, or `baseline` (`squares` left by
 * another model of `parameters` parameters).
 */
export function qualityOf(
  observed: ArrayLike<number>,
  solution: Pick<LeastSquaresSolution, 'parameters' | 'squares'>,
  keys: readonly KeyTest[],
  baseline = { squares: squaresAboutMean(observed), parameters: 1 },
): FitQuality {
  const points = observed.length
  const parameters = solution.parameters.length
  const dof = points - parameters
  const rest = Math.max(solution.squares, MIN_RESIDUAL * baseline.squares)
  const gain = points * Math.log(baseline.squares / rest)
  const r2 = 1 - rest / Math.max(dof, 1) / (baseline.squares / Math.max(points - baseline.parameters, 1))
  const errors = keys.map(({ estimate, scale }) => estimate.error / Math.abs(scale))
  return {
    r2: finiteDigits(r2),
    dbic: finiteDigits(gain - (parameters - baseline.parameters) * Math.log(points)),
    se_rel: finiteDigits(Math.min(Math.max(0, ...errors), Number.MAX_VALUE)),
    points,
    dof,
  }
}

/** Tests a solution for a signal, the resolution of its wanted values, and their place in the sweep. */
export function rejectSolution(quality: FitQuality, keys: readonly KeyTest[]): RejectedFit | undefined {
  if (!(quality.dbic > MIN_DBIC) || !(quality.r2 > MIN_R2)) {
    return rejectFit(
      'no_signal',
      `No signal: the curve explains the data with ΔBIC ${quality.dbic} and adjusted R² ${quality.r2}; ` +
        `needed are more than ${MIN_DBIC} and ${MIN_R2}`,
    )
  }
  for (const key of keys) {
    const { name, estimate, scale } = key
    if (!(estimate.error <= MAX_RELATIVE_ERROR * Math.abs(scale))) {
      return rejectFit('unresolved', `${name} is ${formatEstimate(estimate)}: the error is too large`)
    }
  }
  for (const { name, estimate, swept } of keys) {
    if (!swept || isInside(estimate.value, swept)) continue
    const [start, stop] = rangeOf(swept)
    return rejectFit(
      'edge_of_sweep',
      `${name} is ${formatEstimate(estimate)}, at the end of the sweep from ${start} to ${stop} or outside`,
    )
  }
  return undefined
}

/** Whether a value lies in a sweep, more than one step from its ends. */
export function isInside(value: number, swept: ArrayLike<number>): boolean {
  const sorted = Float64Array.from(swept).sort()
  return value > (sorted[1] ?? Number.NaN) && value < (sorted.at(-2) ?? Number.NaN)
}

/** Smallest and largest value. */
export function rangeOf(values: ArrayLike<number>): [min: number, max: number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = 0; at < values.length; at++) {
    min = Math.min(min, values[at] as number)
    max = Math.max(max, values[at] as number)
  }
  return [min, max]
}

/** `5.1e-5 ± 3e-6` */
function formatEstimate({ value, error }: Estimate): string {
  return `${Number(value.toPrecision(8))} ± ${Number(error.toPrecision(2))}`
}
