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
 * the middle, at a frequency that the qubit never has. Undefined when one frequency explains the fringes as
 * well, with any decay between an exponential and a Gaussian one.
 */
export function* beatOf(fringes: readonly FittedFringe[]): Steps<number | undefined> {
  const found = []
  for (const fringe of fringes) found.push(yield* compare(fringe))
  const gain = found.reduce((sum, each) => sum + each.gain, 0)
  if (!(gain > MIN_GAIN)) return undefined
  return found.reduce((best, each) => (each.gain > best.gain ? each : best)).distance
}

/** By how much two frequencies explain a fringe better than one, and their distance. */
function* compare(fringe: FittedFringe): Steps<{ gain: number; distance: number }> {
  const { span } = extentOf(fringe.times)
  const one = yield* solve(fringe, span, [0])
  const two = yield* solve(fringe, span, DISTANCES)
  if (!one || !two) return { gain: 0, distance: 0 }
  const points = fringe.times.length
  // Both squares are above zero: measured fringes have noise.
  const gain = points * Math.log(one.squares / two.squares) - Math.log(points)
  return { gain, distance: (two.parameters[3] ?? 0) / span }
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
