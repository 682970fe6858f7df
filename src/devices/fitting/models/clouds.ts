import { squaresAboutMean } from '../acceptance.ts'
import type { ComplexSeries } from '../complex-series.ts'
import { type Estimate, type Fit, type RejectedFit, rejectFit, type StatesTrace } from '../fit.ts'
import {
  along,
  type Cloud,
  cloudOf,
  coreOf,
  crossing,
  distanceOf,
  separatingAngle,
  shared,
} from '../gaussian-cloud.ts'
import { PAUSE, type Steps } from '../steps.ts'
import { everyNth, finiteDigits } from '../trace.ts'

/** Fewest shots per state. */
const MIN_SHOTS = 20
/** Shots per state in a trace. */
const MAX_TRACE_SHOTS = 200
/** Smallest distance of two clouds, in standard deviations of one. */
const MIN_SEPARATION = 2
/** Smallest share of a state that three states have to be assigned to correctly. */
const MIN_DIAGONAL = 0.75

/** Two states distinguished along one axis of the IQ plane. */
export interface Discriminator {
  /** Rotation of the plane, degrees in [0, 360), after which the real part of state 1 is the larger. */
  rotation: Estimate
  /** Real part from which on a rotated shot counts as 1. */
  threshold: Estimate
  /** Distance of the clouds along the axis, in mean standard deviations. */
  separation: Estimate
  /** 1 − (P(1|0) + P(0|1))/2 */
  fidelity: Estimate
  /** Probability of reading state k after preparing j, one row per prepared state. */
  assignment: number[][]
}

/**
 * Linear discriminant of shots of states 0 and 1 (R. A. Fisher, Annals of Eugenics 7, 179 (1936)): the axis
 * that separates two clouds best, given their shared covariance, and the threshold where the normal
 * distributions of both on it are equally dense. Rejected as `no_signal` when the clouds are less than 2
 * standard deviations apart.
 */
export function* discriminate(zero: ComplexSeries, one: ComplexSeries): Steps<Fit<Discriminator>> {
  const series = [zero, one]
  const unusable = rejectShots(series)
  if (unusable) return unusable
  const [a, b] = [cloudOf(zero), cloudOf(one)]
  const angle = separatingAngle(a, b, zero.re.length + one.re.length)
  const [low, high] = [along(zero, angle), along(one, angle)] as const
  yield PAUSE
  const threshold = crossing(coreOf(low.values), coreOf(high.values))
  const above = [low, high].map(
    ({ values }) => values.filter((value) => value >= threshold).length / values.length,
  )
  const assignment = above.map((share) => [1 - share, share])
  const [p = 0, q = 0] = [above[0], assignment[1]?.[0]]
  const distance = high.mean - low.mean
  const spread = Math.sqrt((low.sigma ** 2 + high.sigma ** 2) / 2)
  const share = (low.sigma ** 2 / low.values.length + high.sigma ** 2 / high.values.length) ** 0.5
  const separation = { value: distance / spread, error: share / spread }
  const shots = zero.re.length + one.re.length
  yield PAUSE
  const fit = statesTrace('discriminator', series, [a, b], assignment)
  const quality = { separation: finiteDigits(separation.value), points: shots }
  if (!(separation.value > MIN_SEPARATION)) {
    const found = separation.value.toFixed(2)
    const message = `The clouds are ${found} standard deviations apart; needed are more than ${MIN_SEPARATION}`
    return rejectFit('no_signal', message, { quality, fit })
  }
  const values = {
    rotation: { value: degrees(-angle), error: ((share / distance) * 180) / Math.PI },
    threshold: { value: threshold, error: share / 2 },
    separation,
    fidelity: {
      value: 1 - (p + q) / 2,
      error: Math.sqrt((p * (1 - p)) / zero.re.length + (q * (1 - q)) / one.re.length) / 2,
    },
    assignment,
  }
  return { ok: true, values, quality, fit }
}

/** Clouds of prepared states, and how well they are distinguished. */
export interface StateClouds {
  centroids: [number, number][]
  /** Shared covariance, in squares of the unit of the samples. */
  covariance: { ii: number; iq: number; qq: number }
  /** Probability of reading state k after preparing j, one row per prepared state. */
  assignment: number[][]
  /** Standard errors of `assignment`. */
  assignment_errors: number[][]
  /** Smallest entry of the diagonal. */
  worst: Estimate
  /** Smallest squared distance of two centers, in the shared covariance. */
  score: number
}

/**
 * Centers of the shots of prepared states, the mean of their covariances, and the share of shots that are
 * nearest to each center in this metric. Rejected as `no_signal` when less than 0.75 of any state are
 * assigned to it.
 */
export function* fitClouds(shots: readonly ComplexSeries[]): Steps<Fit<StateClouds>> {
  const unusable = rejectShots(shots)
  if (unusable) return unusable
  const clouds = shots.map(cloudOf)
  const common = shared(clouds)
  yield PAUSE
  const assignment = assignToCenters(
    shots,
    clouds.map(({ center }) => center),
  )
  const errors = assignment.map((row, state) =>
    row.map((share) => Math.sqrt((share * (1 - share)) / (shots[state]?.re.length ?? 1))),
  )
  const diagonal = assignment.map((row, state) => ({
    value: row[state] ?? 0,
    error: errors[state]?.[state] ?? 0,
  }))
  const worst = diagonal.reduce((least, entry) => (entry.value < least.value ? entry : least))
  const score = Math.min(
    ...clouds.flatMap((a, at) => clouds.slice(at + 1).map((b) => distanceOf(common, a.center, b.center))),
  )
  yield PAUSE
  const fit = statesTrace('clouds', shots, clouds, assignment)
  const quality = {
    worst: finiteDigits(worst.value),
    score: finiteDigits(score),
    points: shots.reduce((sum, { re }) => sum + re.length, 0),
  }
  if (!(worst.value > MIN_DIAGONAL)) {
    const state = diagonal.indexOf(worst)
    const message = `State ${state} is read as such with ${worst.value.toFixed(3)}; needed is more than ${MIN_DIAGONAL}`
    return rejectFit('no_signal', message, { quality, fit })
  }
  const [ii, iq, qq] = common
  const values = {
    centroids: clouds.map(({ center }) => center),
    covariance: { ii, iq, qq },
    assignment,
    assignment_errors: errors,
    worst,
    score,
  }
  return { ok: true, values, quality, fit }
}

/**
 * Probability of each center to be the nearest to a shot of each prepared state, one row per state, in the
 * metric of the mean covariance of the shots.
 */
export function assignToCenters(
  shots: readonly ComplexSeries[],
  centers: readonly (readonly [number, number])[],
): number[][] {
  const common = shared(shots.map(cloudOf))
  return shots.map(({ re, im }) => {
    const counts = centers.map(() => 0)
    for (let at = 0; at < re.length; at++) {
      const point = [re[at] as number, im[at] as number] as const
      const distances = centers.map((center) => distanceOf(common, point, center))
      const nearest = distances.indexOf(Math.min(...distances))
      counts[nearest] = (counts[nearest] ?? 0) + 1
    }
    return counts.map((count) => count / re.length)
  })
}

/**
 * Squared distance of the closest two clouds over the sum of their variances along the line between them: the
 * score of a readout point. 0 for samples that are constant or not finite.
 */
export function separationScore(shots: readonly ComplexSeries[]): number {
  if (rejectShots(shots)) return 0
  const clouds = shots.map(cloudOf)
  const scores = clouds.flatMap((a, at) =>
    clouds.slice(at + 1).map((b) => {
      const [x, y] = [b.center[0] - a.center[0], b.center[1] - a.center[1]]
      const variance = ([xx, xy, yy]: Cloud['covariance']) => xx * x * x + 2 * xy * x * y + yy * y * y
      return (x * x + y * y) ** 2 / (variance(a.covariance) + variance(b.covariance))
    }),
  )
  const score = Math.min(...scores)
  return Number.isFinite(score) ? score : 0
}

function rejectShots(series: readonly ComplexSeries[]): RejectedFit | undefined {
  if (series.length < 2) return rejectFit('no_data', 'Shots of at least two states are needed')
  for (const [state, { re, im }] of series.entries()) {
    const name = `state ${state}`
    if (re.length !== im.length)
      return rejectFit('no_data', `${name} has ${re.length} I for ${im.length} Q values`)
    if (re.length < MIN_SHOTS)
      return rejectFit('no_data', `${name} has ${re.length} shots; needed are ${MIN_SHOTS}`)
    const squares = [squaresAboutMean(re), squaresAboutMean(im)]
    if (!squares.every(Number.isFinite))
      return rejectFit('no_data', `${name} has shots that are not finite numbers`)
    const largest = Math.max(Math.abs(re[0] as number), Math.abs(im[0] as number))
    if (squares.some((sum) => Math.sqrt(sum / re.length) <= 1e-9 * largest)) {
      return rejectFit('no_data', `All shots of ${name} are equal`)
    }
  }
  return undefined
}

function degrees(angle: number): number {
  return ((((angle * 180) / Math.PI) % 360) + 360) % 360
}

function statesTrace(
  model: string,
  shots: readonly ComplexSeries[],
  clouds: readonly Cloud[],
  assignment: readonly number[][],
): StatesTrace {
  const round = (values: readonly number[]) => values.map((value) => finiteDigits(value))
  return {
    kind: 'iq',
    model,
    unit: '',
    states: shots.map(({ re, im }, state) => ({
      label: String(state),
      i: round(everyNth(Array.from(re), MAX_TRACE_SHOTS)),
      q: round(everyNth(Array.from(im), MAX_TRACE_SHOTS)),
    })),
    centroids: clouds.map(({ center: [i, q] }) => [finiteDigits(i), finiteDigits(q)]),
    assignment: assignment.map(round),
  }
}
