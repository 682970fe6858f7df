import { axisOf, extentOf, type Label, logGrid, pairs, stepGrid } from '../axes.ts'
import type { EstimateFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { everyNth } from '../trace.ts'

/** Samples that the search for start values uses at most. */
const MAX_SAMPLES = 400
/** Latest arrival that a line of this kind has, s. */
const MAX_ARRIVAL_S = 1e-6

type Names = 'arrival' | 'rise' | 'height' | 'offset'
type StepFit = EstimateFit<Names>

/**
 * Fits the arrival of a pulse in a trace, offset + height·(1 − e^(−(t − arrival)/rise)) from the arrival on;
 * times in s. A long trace is thinned to 400 samples first, each the mean of its neighbors. The arrival has
 * to lie between 0 and 1 µs.
 */
export function* fitStep(times: ArrayLike<number>, signal: ArrayLike<number>, label: Label): Steps<StepFit> {
  const thin = times.length === signal.length ? thinned(times, signal) : { times, signal }
  return yield* fitCurve<Names>({
    ...lineData('step', axisOf({ name: 'time', unit: 's' }, thin.times), axisOf(label, thin.signal)),
    parameters: 4,
    mayRepeat: true,
    curve() {
      const { min, span, step } = extentOf(thin.times)
      const positions = Float64Array.from(thin.times, (time) => (time - min) / span)
      return {
        linear: 2,
        candidates: pairs(stepGrid(0, 0.9, 0.01), logGrid(step / span, 0.5, 6)),
        lower: [-0.1, (0.2 * step) / span, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
        upper: [1, 5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
        basis:
          ([arrival = 0, rise = 1]) =>
          (at, out) => {
            const since = (positions[at] as number) - arrival
            out[0] = 1
            out[1] = since > 0 ? 1 - Math.exp(-since / rise) : 0
          },
      }
    },
    describe([arrival = 0, rise = 0, offset = 0, height = 0]) {
      const { min, span } = extentOf(thin.times)
      return { arrival: min + arrival * span, rise: rise * span, height, offset }
    },
    keys: [
      {
        name: 'arrival',
        scale: ({ rise }) => Math.max(rise.value, 4 * resolution(thin.times)),
        swept: thin.times,
      },
    ],
    implausible: ({ arrival: { value } }) =>
      value > 0 && value < MAX_ARRIVAL_S
        ? undefined
        : `The pulse arrives after ${Math.round(value * 1e9)} ns; lines of a cryostat take less than 1 µs`,
  })
}

function resolution(times: ArrayLike<number>): number {
  return extentOf(times).step
}

/** Means over groups of consecutive samples, at most 400 groups. */
function thinned(times: ArrayLike<number>, signal: ArrayLike<number>) {
  const size = Math.ceil(times.length / MAX_SAMPLES)
  const starts = everyNth(
    Array.from({ length: times.length }, (_, at) => at),
    times.length / size,
  )
  const mean = (values: ArrayLike<number>) =>
    starts.map((start) => {
      const end = Math.min(start + size, values.length)
      let sum = 0
      for (let at = start; at < end; at++) sum += values[at] as number
      return sum / (end - start)
    })
  return { times: mean(times), signal: mean(signal) }
}
