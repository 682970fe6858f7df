import { axisOf, DELAY, extentOf, type Label, logGrid, POPULATION } from '../axes.ts'
import type { Estimate, EstimateFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { withinWindow } from './damped-cosine.ts'

const CANDIDATES = 40

type Names = 'decay' | 'amplitude' | 'offset'
type ExponentialFit = EstimateFit<Names>

/**
 * Fits offset + amplitude·e^(−t/decay), as the population after relaxation (T1) or an echo (T2); times in s
 * or what else `x` says. The decay has to be at most 3 times the length of the sweep. `implausible` says what
 * contradicts physics, such as a T2 above 2.4 T1.
 */
export function* fitExponential(
  times: ArrayLike<number>,
  signal: ArrayLike<number>,
  options: {
    x?: Label
    y?: Label
    implausible?: (values: { decay: Estimate }) => string | undefined
  } = {},
): Steps<ExponentialFit> {
  const { x = DELAY, y = POPULATION, implausible } = options
  const fit = yield* fitCurve<Names>({
    ...lineData('exponential', axisOf(x, times), axisOf(y, signal)),
    parameters: 3,
    curve() {
      const { span, step } = extentOf(times)
      const positions = Float64Array.from(times, (time) => time / span)
      return {
        linear: 2,
        candidates: logGrid(step / span / 2, 5, CANDIDATES).map((decay) => [decay]),
        lower: [step / span / 10, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
        upper: [100, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
        basis:
          ([decay = 1]) =>
          (at, out) => {
            out[0] = 1
            out[1] = Math.exp(-(positions[at] as number) / decay)
          },
      }
    },
    describe: ([decay = 0, offset = 0, amplitude = 0]) => ({
      decay: decay * extentOf(times).span,
      amplitude,
      offset,
    }),
    keys: [{ name: 'decay' }],
    ...(implausible && { implausible }),
  })
  return withinWindow(fit, times, x)
}
