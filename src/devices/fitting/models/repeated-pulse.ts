import { rejectSamples, squaresAboutMean } from '../acceptance.ts'
import { axisOf, extentOf, linearGrid, logGrid, pairs } from '../axes.ts'
import { type Axis, type Estimate, type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { lineTrace } from '../trace.ts'

/** Populations over a sweep of pulse amplitude or motzoi, after one number of pulses. */
interface RepetitionRow {
  /** How often the pulse, or the pair of pulses, is repeated. */
  count: number
  populations: ArrayLike<number>
}

/** All points of rows, one row after the other. */
function pointsOf(swept: ArrayLike<number>, rows: readonly RepetitionRow[]) {
  return rows.flatMap(({ count }, row) => Array.from(swept, (x) => ({ x, count, row })))
}

const longestCount = (rows: readonly RepetitionRow[]) => Math.max(...rows.map(({ count }) => count))

/** Data of all rows, of which that of the most repetitions is drawn. */
function longestData(model: string, x: Axis, rows: readonly RepetitionRow[]) {
  const count = longestCount(rows)
  const row = rows.findIndex((entry) => entry.count === count)
  const from = row * x.values.length
  const y = { name: `P1 after ${count} repetitions`, unit: '', values: rows[row]?.populations ?? [] }
  return {
    samples: Float64Array.from(rows.flatMap(({ populations }) => Array.from(populations))),
    swept: pointsOf(x.values, rows).map((point) => point.x),
    trace: (predicted?: Float64Array, estimates?: Record<string, Estimate>) =>
      lineTrace({ model, x, y, curve: predicted?.subarray(from, from + x.values.length), estimates }),
  }
}

/** Why rows cannot be fitted, before anything is computed. */
function rejectRows(swept: ArrayLike<number>, rows: readonly RepetitionRow[]) {
  if (rows.length === 0) return rejectFit('no_data', 'No repetitions were measured')
  for (const { count, populations } of rows) {
    const rejected = rejectSamples(swept, populations, { parameters: 1 })
    if (rejected) return { ...rejected, message: `After ${count} repetitions: ${rejected.message}` }
  }
  return undefined
}

/** Rise of the population over the sweep, in standard deviations of a point. */
const MIN_RISE = 3

type DragNames = 'optimum' | 'curvature' | 'contrast'
type DragFit = EstimateFit<DragNames>

/**
 * Fits populations after `count` pairs (X, −X), offset + contrast·sin²(count·curvature·(motzoi − optimum)),
 * with one optimum, contrast and curvature for all counts and an offset for each (pulse-error amplification,
 * F. Motzoi et al., PRL 103, 110501 (2009); S. Sheldon et al., PRA 93, 012301 (2016)). The optimum is unknown
 * up to the period of the longest row; among its repetitions the shorter rows decide.
 */
export function* fitDrag(motzois: ArrayLike<number>, rows: readonly RepetitionRow[]): Steps<DragFit> {
  const unusable = rejectRows(motzois, rows)
  if (unusable) return unusable
  const points = pointsOf(motzois, rows)
  const most = longestCount(rows)
  const widthOf = (curvature: number) => 1 / (most * curvature)
  const fit = yield* fitCurve<DragNames>({
    ...longestData('drag', axisOf({ name: 'motzoi', unit: '' }, motzois), rows),
    parameters: 3 + rows.length,
    baseline: baselineOf(rows),
    curve() {
      const { middle, span } = extentOf(motzois)
      const positions = points.map(({ x }) => (x - middle) / span)
      const free = Array(rows.length).fill(Number.POSITIVE_INFINITY)
      // From a fraction of a rise over the sweep to two periods, at the most repetitions.
      const curvatures = logGrid(0.3 / most, (4 * Math.PI) / most, 24)
      return {
        linear: rows.length + 1,
        candidates: pairs(linearGrid(-0.55, 0.55, 45), curvatures),
        lower: [-1, 0.05 / most, 0, ...free.map((bound: number) => -bound)],
        upper: [1, (6 * Math.PI) / most, ...Array(rows.length + 1).fill(Number.POSITIVE_INFINITY)],
        basis:
          ([optimum = 0, curvature = 0]) =>
          (at, out) => {
            const { count, row } = points[at] as (typeof points)[number]
            out.fill(0)
            out[0] = Math.sin(count * curvature * ((positions[at] as number) - optimum)) ** 2
            out[row + 1] = 1
          },
      }
    },
    describe([optimum = 0, curvature = 0, contrast = 0]) {
      const { middle, span } = extentOf(motzois)
      return { optimum: middle + span * optimum, curvature: curvature / span, contrast }
    },
    keys: [{ name: 'optimum', scale: ({ curvature }) => widthOf(curvature.value), swept: motzois }],
  })
  if (!fit.ok || fit.fit.kind !== 'line') return fit
  const curve = fit.fit.curve ?? []
  const rise = Math.max(...curve) - Math.min(...curve)
  const scatter = Math.sqrt(residualSquares(fit.fit.y, curve) / curve.length)
  if (rise >= MIN_RISE * scatter) return fit
  return rejectFit('no_signal', `The rise of ${rise} is less than ${MIN_RISE} times the scatter`, fit)
}

function residualSquares(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + (value - (right[at] ?? 0)) ** 2, 0)
}

/** What remains when every row is a constant of its own. */
function baselineOf(rows: readonly RepetitionRow[]) {
  const squares = rows.reduce((sum, { populations }) => sum + squaresAboutMean(populations), 0)
  return { squares, parameters: rows.length }
}

/** Largest error of the rotation after all repetitions, rad: beyond, the fringe may be another one. */
const MAX_ROTATION_ERROR = 1
/** Largest error of the first rotation by π/2, rad. */
const MAX_FIRST_ERROR = 0.5

type AmplitudeNames = 'relative_error' | 'first_error' | 'contrast' | 'offset'
type FineAmplitudeFit = EstimateFit<AmplitudeNames>

/**
 * Fits populations after an X90 pulse and `count` X pulses, or (`gate: 'x90'`) after `count` = 4k + 1 X90
 * pulses alone, over a sweep of the relative amplitude d: offset − contrast·cos(θ + first_error)/2 with
 * θ = θ₀·(1 + d − relative_error) and θ₀ = π·(count + 1/2) or π·count/2 (error amplification, S. Sheldon et
 * al., PRA 93, 012301 (2016)). The amplitude is right at d = `relative_error`. Rows whose rotation error
 * reaches 1 rad are left out, longest first.
 */
export function* fitFineAmplitude(
  relative: ArrayLike<number>,
  rows: readonly RepetitionRow[],
  gate: 'x180' | 'x90' = 'x180',
): Steps<FineAmplitudeFit> {
  const unusable = rejectRows(relative, rows)
  if (unusable) return unusable
  const fit = yield* fitRotations(relative, rows, gate)
  if (!fit.ok || rows.length === 1) return fit
  const most = longestCount(rows)
  const isTooLong = Math.abs(rotationOf(gate, most) * fit.values.relative_error.value) >= MAX_ROTATION_ERROR
  if (!isTooLong) return fit
  const shorter = rows.filter(({ count }) => count < most)
  return shorter.length > 0 ? yield* fitFineAmplitude(relative, shorter, gate) : fit
}

function rotationOf(gate: 'x180' | 'x90', count: number): number {
  return gate === 'x180' ? Math.PI * (count + 0.5) : (Math.PI * count) / 2
}

function* fitRotations(
  relative: ArrayLike<number>,
  rows: readonly RepetitionRow[],
  gate: 'x180' | 'x90',
): Steps<FineAmplitudeFit> {
  const points = pointsOf(relative, rows)
  const steepest = rotationOf(gate, longestCount(rows))
  // One row, or X90 pulses alone, cannot distinguish an error of the first rotation from one of them all.
  const firstErrors = gate === 'x90' || rows.length === 1 ? [0] : [-0.1, 0, 0.1]
  const bound = firstErrors.length === 1 ? 0 : MAX_FIRST_ERROR
  return yield* fitCurve<AmplitudeNames>({
    ...longestData('fine_amplitude', axisOf({ name: 'relative amplitude', unit: '' }, relative), rows),
    parameters: 4,
    curve() {
      const { min, span } = extentOf(relative)
      const grid = linearGrid(min, min + span, Math.max(21, Math.ceil((2 * steepest * span) / Math.PI)))
      // In scaled form the error is the phase of the longest row, which is of order 1.
      return {
        linear: 2,
        candidates: pairs(
          grid.map((error) => error * steepest),
          firstErrors,
        ),
        lower: [-steepest, -bound, Number.NEGATIVE_INFINITY, 0],
        upper: [steepest, bound, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
        basis:
          ([error = 0, first = 0]) =>
          (at, out) => {
            const { x, count } = points[at] as (typeof points)[number]
            out[0] = 1
            out[1] = -Math.cos(rotationOf(gate, count) * (1 + x - error / steepest) + first) / 2
          },
      }
    },
    describe: ([error = 0, first = 0, offset = 0, contrast = 0]) => ({
      relative_error: error / steepest,
      first_error: first,
      contrast,
      offset,
    }),
    keys: [{ name: 'relative_error', scale: () => 1 / steepest, swept: relative }],
  })
}
