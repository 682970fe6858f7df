import { type KeyTest, qualityOf, rejectSamples, rejectSolution } from './acceptance.ts'
import {
  type Axis,
  type Estimate,
  type EstimateFit,
  type LineTrace,
  type MapTrace,
  rejectFit,
} from './fit.ts'
import type { LeastSquaresSolution } from './solve/least-squares.ts'
import { fitSeparable, type SeparableCurve } from './solve/separable.ts'
import type { Steps } from './steps.ts'
import { lineTrace, mapTrace } from './trace.ts'

/** A value on which acceptance depends, by its name. */
interface Key<Name extends string> {
  name: Name
  /** Standard errors are compared with this; the value itself by default. */
  scale?: (values: Record<Name, Estimate>) => number
  /** The value has to lie between these. */
  swept?: ArrayLike<number>
}

/** A separable curve with everything that decides about its acceptance. */
interface CurveFit<Name extends string> extends CurveData {
  /** Called only with finite samples over a sweep with an extent. */
  curve: () => SeparableCurve
  /** Number of parameters, linear ones included. */
  parameters: number
  /** Physical values of the parameters; linear ones are in the unit of the samples. */
  describe: (parameters: Float64Array) => Record<Name, number>
  keys: readonly Key<Name>[]
  /** Last test: says what contradicts physics. */
  implausible?: (values: Record<Name, Estimate>) => string | undefined
  mayRepeat?: boolean
  /** Fit of the data without the signal, instead of a constant. */
  baseline?: { squares: number; parameters: number }
}

/** Samples and how they are drawn. */
interface CurveData {
  samples: Float64Array
  /** Standard deviations of the samples, up to a common factor; equal by default. */
  spreads?: ArrayLike<number>
  /** Swept values, one per sample. */
  swept: ArrayLike<number>
  /** The trace for a report; without arguments that of the data alone. */
  trace: (predicted?: Float64Array, estimates?: Record<string, Estimate>) => LineTrace | MapTrace
}

/** Data of a curve over one axis. */
export function lineData(model: string, x: Axis, y: Axis): CurveData {
  return {
    samples: Float64Array.from(y.values),
    swept: x.values,
    trace: (curve, estimates) => lineTrace({ model, x, y, curve, estimates }),
  }
}

/** Data of a surface over two axes, `z` one row of `x` after the other. */
export function mapData(model: string, x: Axis, y: Axis, z: ArrayLike<number>): CurveData {
  return {
    samples: Float64Array.from(z),
    swept: Array.from({ length: x.values.length * y.values.length }, (_, at) => at),
    trace: (_, estimates) => mapTrace({ model, x, y, z }, estimates),
  }
}

/**
 * Fits a curve and accepts it by five tests, see {@link FitErrorCode}. Linear parameters are scaled to the
 * largest sample during the fit, so that bounds of them can only be zero or infinite. Never throws.
 */
export function* fitCurve<Name extends string>(options: CurveFit<Name>): Steps<EstimateFit<Name>> {
  const { samples, swept, trace } = options
  const unusable = rejectSamples(swept, samples, options)
  if (unusable) return { ...unusable, fit: trace() }
  const weighted = weightedBy(options)
  const solution = yield* solveScaled(weighted.samples, weighted.curve)
  if (!solution) return rejectFit('no_signal', 'No curve describes the data', { fit: trace() })
  const values = propagate(solution, options.describe)
  const keys: KeyTest[] = options.keys.map(({ name, scale, swept }) => ({
    name,
    swept,
    estimate: values[name],
    scale: scale ? scale(values) : values[name].value,
  }))
  const quality = qualityOf(weighted.samples, solution, keys, weighted.baseline)
  const predicted = solution.predicted.map((value, at) => value * weighted.spreadOf(at))
  const fit = { ...trace(predicted, values), goodness: quality }
  const rejected = rejectSolution(quality, keys)
  if (rejected) return { ...rejected, quality, fit }
  const problem = options.implausible?.(values)
  if (problem !== undefined) return rejectFit('implausible', problem, { quality, fit })
  return { ok: true, values, quality, fit }
}

/** Samples, curve and baseline in units of the spreads, which gives each sample its weight. */
function weightedBy<Name extends string>({ samples, spreads, curve, baseline }: CurveFit<Name>) {
  const plain = curve()
  if (!spreads) return { samples, curve: plain, baseline, spreadOf: () => 1 }
  const spreadOf = (at: number) => spreads[at] as number
  const scaled = samples.map((value, at) => value / spreadOf(at))
  return {
    samples: scaled,
    curve: {
      ...plain,
      basis(parameters: Float64Array) {
        const write = plain.basis(parameters)
        return (at: number, out: Float64Array) => {
          write(at, out)
          for (let term = 0; term < out.length; term++) out[term] = (out[term] as number) / spreadOf(at)
        }
      },
    },
    baseline: baseline ?? { squares: squaresAboutConstant(scaled, spreadOf), parameters: 1 },
    spreadOf,
  }
}

/** Sum of squared differences, in units of the spreads, from the constant that fits best. */
function squaresAboutConstant(scaled: Float64Array, spreadOf: (at: number) => number): number {
  let [weights, sum] = [0, 0]
  for (const [at, value] of scaled.entries()) {
    weights += spreadOf(at) ** -2
    sum += value / spreadOf(at)
  }
  return scaled.reduce((squares, value, at) => squares + (value - sum / weights / spreadOf(at)) ** 2, 0)
}

/** Fits with samples of order 1 and returns the linear parameters in the unit of the samples. */
function* solveScaled(samples: Float64Array, curve: SeparableCurve): Steps<LeastSquaresSolution | undefined> {
  const scale = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const solution = yield* fitSeparable(
    samples.map((value) => value / scale),
    curve,
  )
  if (!solution) return undefined
  const size = solution.parameters.length
  const factorOf = (at: number) => (at < size - curve.linear ? 1 : scale)
  return {
    parameters: solution.parameters.map((value, at) => value * factorOf(at)),
    covariance: solution.covariance.map(
      (value, at) => value * factorOf(Math.floor(at / size)) * factorOf(at % size),
    ),
    predicted: solution.predicted.map((value) => value * scale),
    squares: solution.squares * scale ** 2,
  }
}

/**
 * Values that are functions of fitted parameters, with standard errors to first order in the covariance
 * (the delta method). Derivatives are differences over a tenth of a standard error.
 */
export function propagate<Name extends string>(
  { parameters, covariance }: Pick<LeastSquaresSolution, 'parameters' | 'covariance'>,
  describe: (parameters: Float64Array) => Record<Name, number>,
): Record<Name, Estimate> {
  const size = parameters.length
  const values = describe(parameters)
  const slopes = Array.from(parameters, (value, at) => {
    const step = 0.1 * Math.sqrt(covariance[at * size + at] as number)
    if (step === 0 || !Number.isFinite(step)) return undefined
    const shift = (by: number) => describe(parameters.map((old, other) => (other === at ? value + by : old)))
    const [above, below] = [shift(step), shift(-step)]
    return (name: Name) => (above[name] - below[name]) / (2 * step)
  })
  const isKnown = covariance.every(Number.isFinite)
  const errorOf = (name: Name): number => {
    if (!isKnown) return Number.POSITIVE_INFINITY
    const gradient = slopes.map((slope) => slope?.(name) ?? 0)
    let variance = 0
    for (const [a, left] of gradient.entries()) {
      for (const [b, right] of gradient.entries())
        variance += left * right * (covariance[a * size + b] as number)
    }
    return Math.sqrt(Math.max(variance, 0))
  }
  const names = Object.keys(values) as Name[]
  return Object.fromEntries(
    names.map((name) => [name, { value: values[name], error: errorOf(name) }]),
  ) as Record<Name, Estimate>
}
