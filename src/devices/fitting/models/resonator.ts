import { squaresAboutMean } from '../acceptance.ts'
import { axisOf, extentOf, linearGrid } from '../axes.ts'
import type { ComplexSeries } from '../complex-series.ts'
import { type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve } from '../fit-curve.ts'
import { minimizeSquares } from '../solve/least-squares.ts'
import type { Steps } from '../steps.ts'
import { lineTrace } from '../trace.ts'

/** Corrections of the cable slope among the start values, rad per MHz. */
const SLOPE_CORRECTIONS = linearGrid(-0.36, 0.36, 7)
/** Widths of the start values, as shares of the sweep. */
const START_WIDTHS = [0.02, 0.05, 0.13]
/** Steps of the sweep between the centers of the start values, and about how many there are at most. */
const START_STEPS = 3
const MAX_STARTS = 134
/** Line widths that a sweep resolves: more than so many steps, less than this share of the sweep. */
const MIN_WIDTH_STEPS = 1.5
const MAX_WIDTH_SHARE = 0.25

type Names = 'center' | 'linewidth' | 'depth' | 'asymmetry' | 'delay' | 'gain'
type ResonatorFit = EstimateFit<Names>

/**
 * Fits the transmission of a line past a resonator, gain·e^{i(θ₀ + θ₁f)}·[1 − depth·e^{i·asymmetry} /
 * (1 + 2i(f − center)/linewidth)], in the plane of real and imaginary parts (S. Probst et al., Rev. Sci.
 * Instrum. 86, 024706 (2015)). Frequencies in Hz; `delay` = θ₁/2π in s is that of the cables; `asymmetry` in
 * rad. The center counts as resolved within a quarter of the line width, which has to be more than 1.5 steps
 * (`unresolved`) and less than a quarter of the sweep (`edge_of_sweep`).
 */
export function* fitResonator(
  frequencies: ArrayLike<number>,
  transmission: ComplexSeries,
): Steps<ResonatorFit> {
  const { re, im } = transmission
  const count = frequencies.length
  const samples = Float64Array.from([...Array.from(re), ...Array.from(im)])
  const x = axisOf({ name: 'frequency', unit: 'Hz' }, frequencies)
  const y = axisOf({ name: '|S21|', unit: '' }, magnitudes(transmission))
  const isWhole = re.length === count && im.length === count
  const baseline = isWhole ? yield* cableSquares(frequencies, samples) : undefined
  const fit = yield* fitCurve<Names>({
    samples,
    swept: isWhole ? [...Array.from(frequencies), ...Array.from(frequencies)] : [],
    trace: (predicted, estimates) => {
      const curve =
        predicted && magnitudes({ re: predicted.subarray(0, count), im: predicted.subarray(count) })
      return lineTrace({ model: 'resonator', x, y, curve, estimates })
    },
    parameters: 7,
    ...(baseline && { baseline }),
    curve() {
      const { middle, span } = extentOf(frequencies)
      const positions = Float64Array.from(frequencies, (frequency) => (frequency - middle) / span)
      const slope = cableSlope(positions, transmission)
      const corrections = SLOPE_CORRECTIONS.map((correction) => (correction * span) / 1e6)
      const every = Math.max(START_STEPS, Math.floor(count / MAX_STARTS))
      const limits = Array(4).fill(Number.POSITIVE_INFINITY)
      return {
        linear: 4,
        candidates: corrections.flatMap((correction) =>
          Array.from(positions)
            .filter((_, at) => at % every === 0)
            .flatMap((center) => START_WIDTHS.map((width) => [slope + correction, center, width])),
        ),
        lower: [Number.NEGATIVE_INFINITY, -1, 0.3 / count, ...limits.map((limit: number) => -limit)],
        upper: [Number.POSITIVE_INFINITY, 1, 2, ...limits],
        basis: resonatorBasis(positions),
      }
    },
    describe([slope = 0, center = 0, width = 0, a = 0, b = 0, c = 0, d = 0]) {
      const { middle, span } = extentOf(frequencies)
      const gain = Math.hypot(a, b)
      return {
        center: middle + span * center,
        linewidth: span * width,
        depth: Math.hypot(c, d) / gain,
        asymmetry: Math.atan2(a * d - b * c, a * c + b * d),
        delay: slope / (2 * Math.PI * span),
        gain,
      }
    },
    keys: [
      { name: 'center', scale: ({ linewidth }) => linewidth.value, swept: frequencies },
      { name: 'linewidth', scale: ({ linewidth }) => 2 * linewidth.value },
    ],
  })
  return fit.ok ? withResolvedLine(fit, frequencies) : fit
}

function magnitudes({ re, im }: ComplexSeries): Float64Array {
  return Float64Array.from(re, (real, at) => Math.hypot(real, im[at] ?? Number.NaN))
}

/** Cable rotation times 1, i, and the two parts of the resonance; real parts first, then imaginary ones. */
function resonatorBasis(positions: Float64Array) {
  const count = positions.length
  // Many centers and widths in turn have one slope.
  const cable = { slope: Number.NaN, cos: new Float64Array(count), sin: new Float64Array(count) }
  return ([slope = 0, center = 0, width = 1]: Float64Array) => {
    if (slope !== cable.slope) {
      cable.slope = slope
      for (let at = 0; at < count; at++) {
        cable.cos[at] = Math.cos(slope * (positions[at] as number))
        cable.sin[at] = Math.sin(slope * (positions[at] as number))
      }
    }
    return (at: number, out: Float64Array) => {
      const isReal = at < count
      const point = isReal ? at : at - count
      const u = positions[point] as number
      const [cos, sin] = [cable.cos[point] as number, cable.sin[point] as number]
      const x = (2 * (u - center)) / width
      // −1 / (1 + ix) = (−1 + ix) / (1 + x²), turned by the cable.
      const norm = 1 / (1 + x * x)
      const [re, im] = [(-cos - x * sin) * norm, (-sin + x * cos) * norm]
      out[0] = isReal ? cos : sin
      out[1] = isReal ? -sin : cos
      out[2] = isReal ? re : im
      out[3] = isReal ? -im : re
    }
  }
}

/** Median step of the phase from point to point, rad per span of the sweep. */
function cableSlope(positions: Float64Array, { re, im }: ComplexSeries): number {
  const slopes = Array.from(positions.subarray(1), (position, before) => {
    const [a, b] = [re[before] as number, im[before] as number]
    const [c, d] = [re[before + 1] as number, im[before + 1] as number]
    return Math.atan2(a * d - b * c, a * c + b * d) / (position - (positions[before] as number))
  }).sort((a, b) => a - b)
  return slopes[slopes.length >> 1] ?? 0
}

/** What a curve without the line leaves, and its number of parameters. */
interface Baseline {
  squares: number
  parameters: number
}

/** What a cable without a resonator leaves unexplained. */
function* cableSquares(frequencies: ArrayLike<number>, samples: Float64Array): Steps<Baseline> {
  const count = frequencies.length
  const parameters = 3
  const { middle, span } = extentOf(frequencies)
  const series = { re: samples.subarray(0, count), im: samples.subarray(count) }
  const positions = Float64Array.from(frequencies, (frequency) => (frequency - middle) / span)
  const flat = squaresAboutMean(series.re) + squaresAboutMean(series.im)
  const scale = Math.max(...samples.map(Math.abs))
  if (!(scale > 0) || !Number.isFinite(scale) || !(span > 0)) return { squares: flat, parameters }
  const start = [
    cableSlope(positions, series),
    (series.re[count >> 1] ?? 0) / scale,
    (series.im[count >> 1] ?? 0) / scale,
  ]
  const { squares } = yield* minimizeSquares({
    observed: samples.map((value) => value / scale),
    start,
    predict([slope = 0, a = 0, b = 0], out) {
      for (let at = 0; at < count; at++) {
        const angle = slope * (positions[at] as number)
        out[at] = a * Math.cos(angle) - b * Math.sin(angle)
        out[at + count] = a * Math.sin(angle) + b * Math.cos(angle)
      }
    },
  })
  return { squares: Math.min(flat, squares * scale ** 2), parameters }
}

function withResolvedLine(fit: ResonatorFit & { ok: true }, frequencies: ArrayLike<number>): ResonatorFit {
  const { span, step } = extentOf(frequencies)
  const width = fit.values.linewidth.value
  const khz = `${(width / 1e3).toFixed(1)} kHz`
  if (width <= MIN_WIDTH_STEPS * step) {
    return rejectFit(
      'unresolved',
      `The line is ${khz} wide, less than ${MIN_WIDTH_STEPS} steps of the sweep`,
      fit,
    )
  }
  if (width < MAX_WIDTH_SHARE * span) return fit
  const message = `The line is ${khz} wide, more than ${MAX_WIDTH_SHARE * 100} % of the sweep`
  return rejectFit('edge_of_sweep', message, fit)
}
