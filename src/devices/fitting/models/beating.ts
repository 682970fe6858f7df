import { extentOf } from '../axes.ts'
import type { LeastSquaresSolution } from '../solve/least-squares.ts'
import { fitSeparable } from '../solve/separable.ts'
import type { Steps } from '../steps.ts'

/** Ramsey fringes with the frequency and the decay of a single damped cosine: Hz and s. */
interface FittedFringe {
  times: ArrayLike<number>
  signal: ArrayLike<number>
  frequency: number
  decay: number
}

/** Decays of the start values, in units of the fitted one. */
const DECAYS = [0.5, 1, 2, 4]
/** Powers of time in the exponent of the decay: fast noise gives 1, slow noise 2. */
const POWERS = [1, 1.5, 2]
/** Distances of two frequencies of the start values, in cycles of the sweep. */
const DISTANCES = [0.5, 0.75, 1, 1.4, 2, 2.8, 4, 5.6, 8, 11]
/** Corrections of the frequency of the start values, in cycles of the sweep. */
const CORRECTIONS = [-0.5, 0, 0.5]
/** The middle is at most this far from the single frequency, which may be one of the two; in cycles. */
const MAX_CORRECTION = 8
/** Gain of the Bayesian information that shows two frequencies. */
const MIN_GAIN = 15

/**
 * The distance of the two frequencies (Hz) between which a qubit jumps: its fringes are then the mean of
 * two, e^(−(t/T)^p)·cos(π·distance·t)·(a cos 2πft + b sin 2πft), and a single damped cosine would be in
 * the middle, at a frequency that the qubit never has. Fringes are the same for frequencies on one side of
 * the drive and on both, at distances d and 2f: without fringes of other drives that tell them apart, both
 * are returned, the shorter one first. Undefined when one frequency explains the fringes as well, with any
 * decay between an exponential and a Gaussian one.
 */
export function* beatOf(fringes: readonly FittedFringe[]): Steps<readonly number[] | undefined> {
  const found: Beat[] = []
  for (const fringe of fringes) found.push(yield* compare(fringe))
  const gain = found.reduce((sum, each) => sum + each.gain, 0)
  if (!(gain > MIN_GAIN)) return undefined
  const { distances } = found.reduce((best, each) => (each.gain > best.gain ? each : best))
  const apart = distances.map((distance) => disagreementOn(distance, found))
  const agreed = distances.filter((_, at) =>
    apart.every((other, index) => index === at || 2 * (apart[at] ?? 0) < other),
  )
  return agreed.length > 0 ? agreed : distances
}

/** By how much two frequencies explain a fringe better than one, and their possible distances, rising. */
interface Beat {
  readonly gain: number
  readonly distances: readonly number[]
}

/** How far the possible distances of fringes are from one of them, as logarithms weighted by the gains. */
function disagreementOn(distance: number, found: readonly Beat[]): number {
  return found.reduce((sum, { gain, distances }) => {
    const least = Math.min(...distances.map((other) => Math.abs(Math.log(other / distance))))
    return sum + (gain > 0 ? gain * least : 0)
  }, 0)
}

function* compare(fringe: FittedFringe): Steps<Beat> {
  const { span } = extentOf(fringe.times)
  const one = yield* solve(fringe, span, [0])
  const two = yield* solve(fringe, span, DISTANCES)
  if (!one || !two) return { gain: 0, distances: [] }
  const points = fringe.times.length
  // Both squares are above zero: measured fringes have noise.
  const gain = points * Math.log(one.squares / two.squares) - Math.log(points)
  const [around = 0, , , distance = 0] = two.parameters
  return { gain, distances: [distance / span, (2 * Math.abs(around)) / span].sort((a, b) => a - b) }
}

/** The distances of {@link beatOf} for people. */
export function apartText([same = 0, between]: readonly number[]): string {
  const khz = (distance: number) => `${Math.round(distance / 1e3)} kHz`
  return `${khz(same)} apart${between === undefined ? '' : `, or ${khz(between)} if the drive is between them`}`
}

function* solve(
  { times, signal, frequency, decay }: FittedFringe,
  span: number,
  distances: readonly number[],
): Steps<LeastSquaresSolution | undefined> {
  const positions = Float64Array.from(times, (time) => time / span)
  const cycles = frequency * span
  const isFree = distances.length > 1
  const candidates = distances.flatMap((distance) =>
    [...CORRECTIONS, ...(isFree ? [-distance / 2, distance / 2] : [])].flatMap((correction) =>
      DECAYS.flatMap((factor) =>
        POWERS.map((power) => [cycles + correction, (factor * decay) / span, power, distance]),
      ),
    ),
  )
  const unbounded = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const
  return yield* fitSeparable(Float64Array.from(signal), {
    linear: 3,
    candidates,
    lower: [cycles - MAX_CORRECTION, 0.02, 1, isFree ? 0.3 : 0, ...Array(3).fill(unbounded[0])],
    upper: [cycles + MAX_CORRECTION, 100, 2, isFree ? 20 : 0, ...Array(3).fill(unbounded[1])],
    basis:
      ([around = 0, tau = 1, power = 1, distance = 0]) =>
      (at, out) => {
        const time = positions[at] as number
        const angle = 2 * Math.PI * around * time
        const envelope = Math.exp(-((time / tau) ** power)) * Math.cos(Math.PI * distance * time)
        out[0] = 1
        out[1] = envelope * Math.cos(angle)
        out[2] = envelope * Math.sin(angle)
      },
  })
}
