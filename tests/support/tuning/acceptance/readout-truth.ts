import type { Transmon } from '../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import { type Pointers, pointersOf } from '../../../../src/devices/bench/simulated/readout/pointers.ts'
import type { Resonator } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import { minimum } from './drive-truth.ts'

/** Where a resonator is read. */
export interface ReadoutPoint {
  /** Hz */
  frequency: number
  amplitude: number
  /** s */
  window: number
  /** Length of the pulse, s. */
  pulse: number
  /** From the start of the pulse to the window, s. */
  delay: number
  /** Wait before each repetition, s. */
  reset: number
}

/** Shots of one prepared state: places without noise with their probabilities, and the noise of each. */
interface TrueCloud {
  places: { re: number; im: number; weight: number }[]
  /** The signal of the state without any change of level. */
  still: { re: number; im: number }
  noise: number
}

/** A number that chooses the last of the levels to which a jump may lead. */
const LAST = 1 - 1e-9
/** Times of a jump, by which a fidelity is right within 3e-5. */
const JUMP_SAMPLES = 12

/** The frequency at which the line of a resonator appears, with its qubit in a level. */
export function lineOf(resonator: Resonator, level: number, amplitude: number): number {
  const { frequency, lamb_shift: shift, critical_amplitude: critical, pulls, isMirrored } = resonator
  const pull = level === 0 ? 0 : (pulls[level - 1] ?? 0)
  const moved = -shift + (shift + pull) / Math.sqrt(1 + (amplitude / critical) ** 2)
  return frequency + (isMirrored ? -moved : moved)
}

/** The amplitude at which the line of state 0 has moved by a share of its width. */
export function amplitudeOfShift({ lamb_shift, critical_amplitude, linewidth }: Resonator, share: number) {
  const factor = 1 - (share * linewidth) / lamb_shift
  return critical_amplitude * Math.sqrt(1 / factor ** 2 - 1)
}

/** Shots after a qubit in equilibrium was left alone, or was turned once. */
export function cloudAt(
  resonator: Resonator,
  transmon: Transmon,
  point: ReadoutPoint,
  state: 0 | 1,
): TrueCloud {
  const window = point.window * 1e9
  const from = point.delay * 1e9 - resonator.delay
  const probe = {
    ...{ frequency: point.frequency, amplitude: point.amplitude, duration: point.pulse * 1e9 },
    ...{ from, to: from + window },
  }
  const pointers = pointersOf(resonator, transmon, window, probe)
  const { up, down } = transmon.rates
  // A short wait leaves some of what the repetition before has excited.
  const left = state === 0 ? 0 : (1 - 2 * transmon.thermal) * Math.exp(-(up + down) * point.reset)
  const start = transmon.thermal + left
  const excited = state === 0 ? start : 1 - start
  const places = [1 - excited, excited].flatMap((weight, level) =>
    placesOf(pointers, level).map((place) => ({ ...place, weight: weight * place.weight })),
  )
  return { places, still: pointers.signal(state), noise: pointers.noise }
}

/** The signals of a level without a jump, and with jumps to each level at evenly probable times. */
function placesOf(pointers: Pointers, level: number): TrueCloud['places'] {
  const share = switchOf((when) => pointers.jump(level, when, 0) !== undefined)
  const first = pointers.jump(level, 0, 0)?.to
  const toFirst = switchOf((whither) => pointers.jump(level, 0, whither)?.to === first)
  const moved = [
    { whither: 0, weight: share * toFirst },
    { whither: LAST, weight: share * (1 - toFirst) },
  ].flatMap(({ whither, weight }) =>
    Array.from({ length: JUMP_SAMPLES }, (_, at) => {
      const jump = pointers.jump(level, ((at + 0.5) / JUMP_SAMPLES) * share, whither)
      return { ...pointers.signal(level, jump), weight: weight / JUMP_SAMPLES }
    }),
  )
  return [{ ...pointers.signal(level), weight: 1 - share }, ...moved.filter(({ weight }) => weight > 0)]
}

/** The number from 0 to 1 up to which something holds. */
function switchOf(holds: (value: number) => boolean): number {
  if (holds(1)) return 1
  let [yes, no] = [0, 1]
  for (let round = 0; round < 40; round++) {
    const middle = (yes + no) / 2
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

interface Moments {
  center: [number, number]
  covariance: [xx: number, xy: number, yy: number]
}

function momentsOf({ places, noise }: TrueCloud): Moments {
  const mean = (of: (place: TrueCloud['places'][number]) => number) =>
    places.reduce((sum, place) => sum + place.weight * of(place), 0)
  const [x, y] = [mean(({ re }) => re), mean(({ im }) => im)]
  const xx = mean(({ re }) => (re - x) ** 2) + noise ** 2
  const xy = mean(({ re, im }) => (re - x) * (im - y))
  const yy = mean(({ im }) => (im - y) ** 2) + noise ** 2
  return { center: [x, y], covariance: [xx, xy, yy] }
}

/** Squared distance of the clouds of 0 and 1 over the sum of their variances along the line between them. */
export function scoreAt(resonator: Resonator, transmon: Transmon, point: ReadoutPoint): number {
  const [a, b] = cloudsAt(resonator, transmon, point).map(momentsOf) as [Moments, Moments]
  const [x, y] = [b.center[0] - a.center[0], b.center[1] - a.center[1]]
  const along = ({ covariance: [xx, xy, yy] }: Moments) => xx * x * x + 2 * xy * x * y + yy * y * y
  return (x * x + y * y) ** 2 / (along(a) + along(b))
}

function cloudsAt(resonator: Resonator, transmon: Transmon, point: ReadoutPoint): [TrueCloud, TrueCloud] {
  return [cloudAt(resonator, transmon, point, 0), cloudAt(resonator, transmon, point, 1)]
}

/** An axis of the plane and a threshold on it; `separation` is the distance of the states on the axis, V. */
export interface TrueDiscriminator {
  /** Degrees. */
  rotation: number
  threshold: number
  separation: number
  fidelity: number
}

/**
 * The linear discriminant of the clouds of 0 and 1 (R. A. Fisher, 1936), with the threshold in the middle of
 * the states as they are without a change of level: both have the same noise.
 */
export function trueDiscriminator(
  resonator: Resonator,
  transmon: Transmon,
  point: ReadoutPoint,
): TrueDiscriminator {
  const clouds = cloudsAt(resonator, transmon, point)
  const [a, b] = clouds.map(momentsOf) as [Moments, Moments]
  const [x, y] = [b.center[0] - a.center[0], b.center[1] - a.center[1]]
  const [xx, xy, yy] = a.covariance.map(
    (value, at) => value + (b.covariance[at] ?? 0),
  ) as Moments['covariance']
  const rotation = -Math.atan2(xx * y - xy * x, yy * x - xy * y)
  const [low, high] = clouds.map(
    ({ still }) => Math.cos(rotation) * still.re - Math.sin(rotation) * still.im,
  ) as [number, number]
  const threshold = (low + high) / 2
  return {
    ...{ rotation: (rotation * 180) / Math.PI, threshold, separation: high - low },
    fidelity: fidelityOf(clouds, rotation, threshold),
  }
}

/** The largest share of shots of 0 and 1 that an axis and a threshold assign correctly. */
export function bestFidelity(resonator: Resonator, transmon: Transmon, point: ReadoutPoint): number {
  const clouds = cloudsAt(resonator, transmon, point)
  const { rotation, threshold, separation } = trueDiscriminator(resonator, transmon, point)
  const start = (rotation * Math.PI) / 180
  const at = (angle: number) => {
    const reach = 0.4 * separation
    const best = minimum((value) => -fidelityOf(clouds, angle, value), threshold - reach, threshold + reach)
    return fidelityOf(clouds, angle, best)
  }
  return at(minimum((angle) => -at(angle), start - 0.3, start + 0.3))
}

/** 1 − (P(1|0) + P(0|1))/2 with a given discriminator. */
export function fidelityAt(
  resonator: Resonator,
  transmon: Transmon,
  point: ReadoutPoint,
  { rotation, threshold }: { rotation: number; threshold: number },
): number {
  return fidelityOf(cloudsAt(resonator, transmon, point), (rotation * Math.PI) / 180, threshold)
}

function fidelityOf(clouds: readonly [TrueCloud, TrueCloud], rotation: number, threshold: number): number {
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)]
  const [zero, one] = clouds.map(({ places, noise }) =>
    places.reduce((sum, { re, im, weight }) => {
      return sum + weight * normalAbove((threshold - (cos * re - sin * im)) / noise)
    }, 0),
  ) as [number, number]
  return 1 - (zero + 1 - one) / 2
}

/** Share of a normal distribution above `x` deviations (Abramowitz and Stegun, 26.2.17; error below 1e-7). */
function normalAbove(x: number): number {
  if (x < 0) return 1 - normalAbove(-x)
  const t = 1 / (1 + 0.2316419 * x)
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * poly
}
