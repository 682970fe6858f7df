import { type KeyTest, qualityOf, rejectSamples, rejectSolution } from '../acceptance.ts'
import { axisOf, extentOf, pairs } from '../axes.ts'
import { type Estimate, type EstimateFit, rejectFit } from '../fit.ts'
import { propagate } from '../fit-curve.ts'
import { minimizeSquares } from '../solve/least-squares.ts'
import type { Steps } from '../steps.ts'
import { finiteDigits, lineTrace, mapTrace } from '../trace.ts'

/** Cells on each side of the best one to which the parabola is fitted. */
const REACH = 2
const PARABOLA_PARAMETERS = 6

type ScorePeakFit = EstimateFit<'frequency' | 'amplitude' | 'score'>

/**
 * Best point of a map of readout scores over frequency (Hz) and amplitude: the vertex of a two-dimensional
 * parabola through the cells around the best one. `scores` has one row of frequencies for each amplitude.
 * Rejected as `edge_of_sweep` when the best cell or the vertex is at a border.
 */
export function* fitScorePeak(
  frequencies: ArrayLike<number>,
  amplitudes: ArrayLike<number>,
  scores: ArrayLike<number>,
): Steps<ScorePeakFit> {
  const cells = pairs(indexes(amplitudes), indexes(frequencies))
  const unusable = rejectSamples(
    cells.map(([row, column]) => row * frequencies.length + column),
    scores,
    { parameters: PARABOLA_PARAMETERS },
  )
  if (unusable) return unusable
  const axes = {
    model: 'score_peak',
    x: axisOf({ name: 'frequency', unit: 'Hz' }, frequencies),
    y: axisOf({ name: 'amplitude', unit: '' }, amplitudes),
    z: scores,
  }
  const scoreAt = (row: number, column: number) => scores[row * frequencies.length + column] as number
  const [bestRow, bestColumn] = bestCell(cells, frequencies.length, scores)
  const near = cells.filter(
    ([row, column]) => Math.abs(row - bestRow) <= REACH && Math.abs(column - bestColumn) <= REACH,
  )
  if (near.length < PARABOLA_PARAMETERS + 2) {
    return rejectFit('no_data', 'The map is too small for a parabola', { fit: mapTrace(axes) })
  }
  const scale = Math.max(...near.map(([row, column]) => Math.abs(scoreAt(row, column))))
  const observed = Float64Array.from(near, ([row, column]) => scoreAt(row, column) / scale)
  const solution = yield* minimizeSquares({
    observed,
    start: [1, 0, 0, 0, 0, 0],
    predict(p, out) {
      for (const [at, [row, column]] of near.entries()) {
        const [u, v] = [(column - bestColumn) / REACH, (row - bestRow) / REACH]
        const [constant = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0] = p
        out[at] = constant + a * u + b * v + aa * u * u + ab * u * v + bb * v * v
      }
    },
  })
  const values = propagate(solution, ([constant = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0]) => {
    const determinant = 4 * aa * bb - ab * ab
    const u = (b * ab - 2 * a * bb) / determinant
    const v = (a * ab - 2 * b * aa) / determinant
    return {
      frequency: interpolate(frequencies, bestColumn + REACH * u),
      amplitude: interpolate(amplitudes, bestRow + REACH * v),
      score: scale * (constant + (a * u + b * v) / 2),
    }
  })
  const [, , , aa = 0, ab = 0, bb = 0] = solution.parameters
  const keys = [
    keyOf('frequency', values.frequency, frequencies),
    keyOf('amplitude', values.amplitude, amplitudes),
  ]
  const quality = qualityOf(observed, solution, keys)
  const fit = mapTrace(axes, values)
  const isMaximum = aa < 0 && bb < 0 && 4 * aa * bb > ab * ab
  const isWithin = isInner(bestRow, amplitudes) && isInner(bestColumn, frequencies)
  const rejected =
    rejectSolution(quality, []) ??
    (isMaximum && isWithin
      ? rejectSolution(quality, keys)
      : rejectFit('edge_of_sweep', 'The scores have no maximum inside the map'))
  return rejected ? { ...rejected, quality, fit } : { ok: true, values, quality, fit }
}

/**
 * Share of the best score from which on another is as good: a mean over neighbors has an error of about 2 %,
 * and the best of many is too good by as much.
 */
const PLATEAU_SHARE = 0.97
/** Rows from the largest amplitude down that a plateau has to cover; a slope that just ends is shorter. */
const PLATEAU_ROWS = 4

/**
 * The point of least amplitude inside a map of scores that is as good as the best, for maps without a clear
 * maximum. Scores are taken as the mean over neighbors; the errors are the steps of the map. Undefined when
 * only the border is as good as the best, or when the scores still grow up to the largest amplitude.
 */
export function plateauPoint(
  frequencies: ArrayLike<number>,
  amplitudes: ArrayLike<number>,
  scores: ArrayLike<number>,
): { frequency: Estimate; amplitude: Estimate } | undefined {
  const cells = pairs(indexes(amplitudes), indexes(frequencies))
  const means = neighborMeans(cells, frequencies.length, scores)
  const enough = PLATEAU_SHARE * Math.max(...means)
  const good = cells.flatMap(([row, column], at) => {
    const mean = means[at] as number
    const isGood = mean >= enough && isInner(row, amplitudes) && isInner(column, frequencies)
    return isGood ? [{ row, column, mean }] : []
  })
  good.sort((one, other) => one.row - other.row || other.mean - one.mean)
  const [first] = good
  const [bestRow] = bestCell(cells, frequencies.length, scores)
  const isAtTop = bestRow === amplitudes.length - 1
  if (isAtTop && (first?.row ?? bestRow) > amplitudes.length - PLATEAU_ROWS) return undefined
  return first && { frequency: cellOf(frequencies, first.column), amplitude: cellOf(amplitudes, first.row) }
}

/**
 * The best point of a map of scores, as the mean over its neighbors: of any amplitude, and of a frequency
 * inside the map, where a noisy one has neighbors on both sides.
 */
export function bestScorePoint(
  frequencies: ArrayLike<number>,
  amplitudes: ArrayLike<number>,
  scores: ArrayLike<number>,
): { frequency: Estimate; amplitude: Estimate } {
  const cells = pairs(indexes(amplitudes), indexes(frequencies))
  const isChoice = ([, column]: readonly [number, number]) => isInner(column, frequencies)
  const [row, column] = bestCell(cells, frequencies.length, scores, isChoice)
  return { frequency: cellOf(frequencies, column), amplitude: cellOf(amplitudes, row) }
}

/** Share of the best smoothed score from which on less power is as good. */
const GOOD_SHARE = 0.985

/**
 * The least amplitude of an ascending sweep at one frequency whose score is as good as the best: the scores
 * are smoothed to the closest series that rises, then falls. The error is a step.
 */
export function leastGoodAmplitude(amplitudes: ArrayLike<number>, scores: readonly number[]): Estimate {
  const smoothed = unimodal(scores)
  const enough = GOOD_SHARE * Math.max(...smoothed)
  return cellOf(
    amplitudes,
    smoothed.findIndex((score) => score >= enough),
  )
}

/** A value of an axis, known to a step. */
function cellOf(values: ArrayLike<number>, at: number): Estimate {
  return { value: values[at] as number, error: extentOf(values).step }
}

function isInner(at: number, values: ArrayLike<number>): boolean {
  return at > 0 && at < values.length - 1
}

function indexes(values: ArrayLike<number>): number[] {
  return Array.from(values, (_, at) => at)
}

/** The cell whose neighborhood has the largest mean, so that one noisy cell does not decide. */
function bestCell(
  cells: readonly [number, number][],
  columns: number,
  scores: ArrayLike<number>,
  isChoice: (cell: readonly [number, number]) => boolean = () => true,
) {
  const means = neighborMeans(cells, columns, scores).map((mean, at) => {
    const cell = cells[at]
    return cell && isChoice(cell) ? mean : Number.NEGATIVE_INFINITY
  })
  return cells[means.indexOf(Math.max(...means))] ?? ([0, 0] as const)
}

/** The mean of the 3 × 3 cells around each cell, of fewer at a border. */
function neighborMeans(cells: readonly [number, number][], columns: number, scores: ArrayLike<number>) {
  return cells.map(([row, column]) => {
    const near = cells.filter(([a, b]) => Math.abs(a - row) <= 1 && Math.abs(b - column) <= 1)
    return near.reduce((sum, [a, b]) => sum + (scores[a * columns + b] as number), 0) / near.length
  })
}

/** The value of an axis between its points; beyond the ends, its steps go on. */
function interpolate(values: ArrayLike<number>, position: number): number {
  const left = Math.min(Math.max(Math.floor(position), 0), values.length - 2)
  const [a, b] = [values[left] as number, values[left + 1] as number]
  return a + (position - left) * (b - a)
}

/** The optimum is flat, so that it counts as resolved within a quarter of the sweep. */
function keyOf(name: string, estimate: Estimate, swept: ArrayLike<number>): KeyTest {
  return { name, estimate, scale: extentOf(swept).span, swept }
}

/** How far the χ² about a constant fidelity has to be above its mean, in its standard deviations. */
const MIN_SIGNIFICANCE = 5

type DurationChoice = EstimateFit<'duration' | 'fidelity' | 'best_duration'>

/**
 * Chooses an integration time: the fidelities over increasing durations (s) are smoothed to the closest
 * series that rises, then falls (longer windows separate more, until the qubit decays), and the shortest
 * duration within one standard error of the best is taken. The error of the duration is half the distance of
 * its neighbors.
 */
export function chooseDuration(
  durations: ArrayLike<number>,
  fidelities: readonly Estimate[],
): DurationChoice {
  const measured = fidelities.map(({ value }) => value)
  const unusable = rejectSamples(durations, measured, { parameters: 1 })
  if (unusable) return unusable
  const smoothed = unimodal(measured)
  const best = Math.max(...smoothed)
  // Points of one pool of the smoothing have one value, whose error is that of their mean.
  const pool = smoothed.flatMap((value, at) => (value === best ? [at] : []))
  const error = Math.hypot(...pool.map((at) => fidelities[at]?.error ?? 0)) / pool.length
  const chosen = smoothed.findIndex((value) => value >= best - error)
  const around = [chosen - 1, chosen + 1].map((at) => Math.min(Math.max(at, 0), durations.length - 1))
  const [before = 0, after = 0] = around.map((at) => durations[at] as number)
  const values = {
    duration: { value: durations[chosen] as number, error: (after - before) / 4 },
    best_duration: { value: durations[pool[0] ?? 0] as number, error: (after - before) / 4 },
    fidelity: { value: smoothed[chosen] as number, error },
  }
  const significance = significanceOf(fidelities)
  const quality = { significance: finiteDigits(significance), points: measured.length }
  const fit = lineTrace({
    model: 'duration',
    x: axisOf({ name: 'integration time', unit: 's' }, durations),
    y: axisOf({ name: 'assignment fidelity', unit: '' }, measured),
    curve: smoothed,
    estimates: values,
  })
  if (!(significance > MIN_SIGNIFICANCE)) {
    return rejectFit('no_signal', 'The fidelities of all durations are equal within their errors', {
      quality,
      fit,
    })
  }
  if (best > 1) return rejectFit('implausible', `A fidelity of ${best} is above 1`, { quality, fit })
  return { ok: true, values, quality, fit }
}

/** χ² about the mean, less its expectation, in its standard deviations. */
function significanceOf(fidelities: readonly Estimate[]): number {
  const freedom = fidelities.length - 1
  const mean = fidelities.reduce((sum, { value }) => sum + value, 0) / fidelities.length
  const chi2 = fidelities.reduce((sum, { value, error }) => sum + ((value - mean) / error) ** 2, 0)
  return Number.isNaN(chi2) ? 0 : (chi2 - freedom) / Math.sqrt(2 * freedom)
}

/**
 * The series that rises up to one point and falls from there on, with the least squared distance from
 * `values`.
 */
export function unimodal(values: readonly number[]): number[] {
  const candidates = values.map((_, mode) => {
    const rising = isotonic(values.slice(0, mode + 1))
    const falling = isotonic(values.slice(mode + 1).reverse()).reverse()
    const series = [...rising, ...falling]
    return { series, squares: series.reduce((sum, value, at) => sum + (value - (values[at] ?? 0)) ** 2, 0) }
  })
  return candidates.reduce((best, entry) => (entry.squares < best.squares ? entry : best)).series
}

/** The closest series that does not fall: pools of adjacent violators become their mean. */
function isotonic(values: readonly number[]): number[] {
  const pools: { sum: number; count: number }[] = []
  for (const value of values) {
    let pool = { sum: value, count: 1 }
    for (
      let last = pools.at(-1);
      last && last.sum / last.count > pool.sum / pool.count;
      last = pools.at(-1)
    ) {
      pools.pop()
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count }
    }
    pools.push(pool)
  }
  return pools.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count))
}
