import { MEDIAN_TO_SIGMA, medianOf } from '../../../base/index.ts'
import { qualityOf, rejectSolution, squaresAboutMean } from '../acceptance.ts'
import { axisOf, extentOf } from '../axes.ts'
import {
  bestStarts,
  COUPLING,
  type Extent,
  GHZ,
  MAX_RESIDUAL,
  type Point,
  predictor,
  SHIFT,
} from '../coupler-branch.ts'
import { type Estimate, type Fit, rejectFit } from '../fit.ts'
import { propagate } from '../fit-curve.ts'
import { type LeastSquaresSolution, minimizeSquares } from '../solve/least-squares.ts'
import { PAUSE, type Steps } from '../steps.ts'
import { lineTrace } from '../trace.ts'

/** Rounds in which points far from the curve are left out, and how far that is in standard deviations. */
const OUTLIER_ROUNDS = 3
const OUTLIER_DEVIATIONS = 4
/** Smallest standard deviation of a point, Hz, below which none is an outlier. */
const MIN_DEVIATION = 20e3
/** Share of the points that may be left out. */
const MAX_OUTLIERS = 0.3
const MIN_POINTS = 12
/** A current at which the coupler has the frequency of a qubit. */
interface Crossing {
  current: Estimate
  /** 0 for the first qubit, 1 for the second. */
  qubit: 0 | 1
}

/** A tunable coupler between two qubits. Currents in A, frequencies in Hz. */
interface Anticrossing {
  /** Current of the largest coupler frequency. */
  sweet_spot: Estimate
  period: Estimate
  coupler_maximum: Estimate
  /** Uncoupled frequencies of the qubits, and their couplings to the coupler. */
  qubits: [Estimate, Estimate]
  couplings: [Estimate, Estimate]
  /** All crossings inside the sweep, by current. */
  crossings: Crossing[]
  /** Share of the points that were left out. */
  outliers: number
}

/**
 * Fits the frequencies of two qubits over the current of the coupler between them. The coupler follows
 * fc = maximum·√|cos(π(I − sweet_spot)/period)|, and a qubit the branch f = fq + d ∓ √(d² + g²) with
 * d = (fc − fq)/2 that is nearer to fq; both share the coupler (F. Yan et al., PR Applied 10, 054062 (2018)).
 * Frequencies that were not found are NaN. Points far from the curve are left out in 3 rounds, at most 30 %.
 * Rejected as `edge_of_sweep` without a crossing inside the sweep.
 */
export function* fitAnticrossing(
  currents: ArrayLike<number>,
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): Steps<Fit<Anticrossing>> {
  if (first.length !== currents.length || second.length !== currents.length) {
    const found = `${first.length} and ${second.length}`
    return rejectFit('no_data', `${found} frequencies for ${currents.length} currents`)
  }
  const points = [first, second].flatMap((frequencies, qubit) =>
    Array.from(frequencies, (frequency, at) => ({
      current: currents[at] as number,
      frequency,
      qubit: qubit as 0 | 1,
    })).filter(({ current, frequency }) => Number.isFinite(current) && Number.isFinite(frequency)),
  )
  const bases = ([0, 1] as const).map((qubit) => medianOf(ofQubit(points, qubit)))
  const counts = ([0, 1] as const).map((qubit) => ofQubit(points, qubit).length)
  const isConstant = ([0, 1] as const).every((qubit) => squaresAboutMean(ofQubit(points, qubit)) <= 1)
  if (
    Math.min(...counts) < MIN_POINTS ||
    isConstant ||
    new Set(points.map(({ current }) => current)).size < MIN_POINTS
  ) {
    const message = `The qubits were found at ${counts.join(' and ')} currents; needed are ${MIN_POINTS} that differ`
    return rejectFit('no_data', message)
  }
  const extent = extentOf(currents)
  yield PAUSE
  let best: Kept | undefined
  for (const start of yield* bestStarts(points, bases, extent)) {
    yield PAUSE
    const found = yield* fitWithoutOutliers(points, bases, extent, start)
    if (!best || costAfter(found, points) < costAfter(best, points)) best = found
  }
  yield PAUSE
  return best
    ? accept({ points, ...best, bases, extent })
    : rejectFit('no_signal', 'No curve describes the data')
}

const ofQubit = (points: readonly Point[], qubit: 0 | 1) =>
  points.filter((point) => point.qubit === qubit).map(({ frequency }) => frequency)

/** The points that a fit uses, and the fit. */
interface Kept {
  readonly kept: readonly Point[]
  readonly solution: LeastSquaresSolution
}

function* fitWithoutOutliers(
  points: readonly Point[],
  bases: readonly number[],
  extent: Extent,
  start: number[],
): Steps<Kept> {
  let kept = points
  let solution = yield* fitPoints(kept, bases, extent, start)
  for (let round = 0; round < OUTLIER_ROUNDS; round++) {
    const predicted = new Float64Array(points.length)
    predictor(points, bases, extent)(solution.parameters, predicted)
    const rests = points.map(({ frequency, qubit }, at) =>
      Math.abs(frequency - (bases[qubit] as number) - (predicted[at] as number) * SHIFT),
    )
    const limit = OUTLIER_DEVIATIONS * Math.max(MEDIAN_TO_SIGMA * medianOf(rests), MIN_DEVIATION)
    const next = points.filter((_, at) => (rests[at] as number) <= limit)
    if (next.length === kept.length && round > 0) break
    kept = next
    solution = yield* fitPoints(kept, bases, extent, solution.parameters)
  }
  return { kept, solution }
}

/** Squares that a fit leaves, in which a point that it left out counts as 3 MHz off. */
function costAfter({ kept, solution }: Kept, points: readonly Point[]) {
  return solution.squares + (points.length - kept.length) * (MAX_RESIDUAL / SHIFT) ** 2
}

function* fitPoints(
  points: readonly Point[],
  bases: readonly number[],
  extent: Extent,
  start: ArrayLike<number>,
): Steps<LeastSquaresSolution> {
  return yield* minimizeSquares({
    observed: Float64Array.from(
      points,
      ({ frequency, qubit }) => (frequency - (bases[qubit] as number)) / SHIFT,
    ),
    start,
    lower: [4, 0.3, -1, -5, -5, 0.05, 0.05],
    upper: [10, 10, 1, 5, 5, 3, 3],
    predict: predictor(points, bases, extent),
  })
}

/** Turns a solution into values, and accepts it. */
function accept(parts: {
  points: readonly Point[]
  kept: readonly Point[]
  solution: LeastSquaresSolution
  bases: readonly number[]
  extent: Extent
}): Fit<Anticrossing> {
  const { points, kept, solution, bases, extent } = parts
  const { middle, span } = extent
  const estimates = propagate(solution, (p) => ({
    coupler_maximum: (p[0] as number) * GHZ,
    period: (p[1] as number) * span,
    sweet_spot: middle + (p[2] as number) * span,
    qubit_a: (bases[0] as number) + (p[3] as number) * SHIFT,
    qubit_b: (bases[1] as number) + (p[4] as number) * SHIFT,
    coupling_a: (p[5] as number) * COUPLING,
    coupling_b: (p[6] as number) * COUPLING,
  }))
  const crossings = crossingsOf(solution, bases, extent)
  const outliers = 1 - kept.length / points.length
  const nearest = crossings.reduce<Crossing | undefined>(
    (best, entry) => (best && best.current.error <= entry.current.error ? best : entry),
    undefined,
  )
  const { value: spot } = estimates.sweet_spot
  const keys = [
    { name: 'sweet_spot', estimate: estimates.sweet_spot, scale: span },
    ...(nearest
      ? [{ name: 'crossing', estimate: nearest.current, scale: nearest.current.value - spot }]
      : []),
  ]
  const observed = kept.map(({ frequency, qubit }) => (frequency - (bases[qubit] as number)) / SHIFT)
  const quality = { ...qualityOf(observed, solution, keys), outliers }
  const fit = lineTrace({
    model: 'anticrossing',
    x: axisOf(
      { name: 'current', unit: 'A' },
      kept.map(({ current }) => current),
    ),
    y: axisOf(
      { name: 'shift', unit: 'Hz' },
      observed.map((value) => value * SHIFT),
    ),
    curve: solution.predicted.map((value) => value * SHIFT),
    estimates,
  })
  if (outliers > MAX_OUTLIERS) {
    const message = `${Math.round(100 * outliers)} % of the points are far from any curve`
    return rejectFit('no_signal', message, { quality, fit })
  }
  const rejected = rejectSolution(quality, keys)
  if (rejected) return { ...rejected, quality, fit }
  if (!nearest) {
    const [min, max] = [extent.min, extent.min + extent.span]
    return rejectFit('edge_of_sweep', `The coupler crosses neither qubit from ${min} to ${max} A`, {
      quality,
      fit,
    })
  }
  const { qubit_a, qubit_b, coupling_a, coupling_b, ...shared } = estimates
  const values: Anticrossing = {
    ...shared,
    qubits: [qubit_a, qubit_b],
    couplings: [coupling_a, coupling_b],
    crossings,
    outliers,
  }
  return { ok: true, values, quality, fit }
}

/** Where cos(π(I − sweet_spot)/period) = ±(fq/maximum)², inside the sweep. */
function crossingsOf(
  solution: LeastSquaresSolution,
  bases: readonly number[],
  { min, middle, span }: Extent,
): Crossing[] {
  const branches = ([0, 1] as const).flatMap((qubit) =>
    [-1, 1].flatMap((side) => [-2, -1, 0, 1, 2].map((period) => ({ qubit, side, period }))),
  )
  const estimates = propagate(solution, (p) =>
    Object.fromEntries(
      branches.map(({ qubit, side, period }, at) => {
        const frequency = (bases[qubit] as number) + (p[3 + qubit] as number) * SHIFT
        const ratio = (frequency / ((p[0] as number) * GHZ)) ** 2
        const angle = side * Math.acos(Math.min(ratio, 1))
        const current = (p[2] as number) + (p[1] as number) * (angle / Math.PI + period)
        return [String(at), middle + span * current]
      }),
    ),
  )
  return branches
    .flatMap(({ qubit }, at) => {
      const current = estimates[String(at)]
      return current ? [{ qubit, current }] : []
    })
    .filter(({ current: { value } }) => value > min && value < min + span)
    .sort((a, b) => a.current.value - b.current.value)
}
