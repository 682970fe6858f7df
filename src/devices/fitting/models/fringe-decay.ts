import { axisOf, DELAY, extentOf, logGrid, POPULATION, stepGrid } from '../axes.ts'
import { type Estimate, type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { maxCycles } from './cosine.ts'
import { withinWindow } from './damped-cosine.ts'

/** Fewest cycles in the sweep of the start values, and the step between them. */
const MIN_CYCLES = 0.25
const CYCLE_STEP = 0.2
/** Decay times of the start values, in spans of the sweep. */
const START_DECAYS = logGrid(0.08, 4, 5)

type Names = 'frequency' | 'decay' | 'exponential_share' | 'contrast' | 'phase' | 'offset'
type FringeDecayFit = EstimateFit<Names>

/** The shapes of the decay: the start value and the bounds of the exponential share of the exponent. */
const SHAPES = [
  { model: 'exponential_fringes', share: [1, 1, 1] },
  { model: 'gaussian_fringes', share: [0, 0, 0] },
  { model: 'mixed_fringes', share: [0.5, 0, 1] },
] as const

/**
 * Fits the decay of Ramsey fringes, offset + e^(−s·t/T − (1 − s)·(t/T)²)·(a·cos 2πft + b·sin 2πft); times in
 * s. Fast noise gives an exponential decay (s = 1), slow noise a Gaussian one (s = 0), both together the
 * product (G. Ithier et al., PRB 72, 134519 (2005)). In each case T, the value `decay`, is the time after
 * which 1/e of the fringes is left; it has to be at most 3 times the length of the sweep. The shape is the
 * one with the smallest information criterion of Akaike, `exponential_share` is its s.
 */
export function* fitFringeDecay(
  times: ArrayLike<number>,
  signal: ArrayLike<number>,
  options: { implausible?: (values: { decay: Estimate }) => string | undefined } = {},
): Steps<FringeDecayFit> {
  let best: FringeDecayFit | undefined
  let smallest = Number.POSITIVE_INFINITY
  for (const shape of SHAPES) {
    const fit = yield* fitShape(times, signal, shape, options.implausible)
    const criterion = informationOf(fit)
    if (best !== undefined && !(criterion < smallest)) continue
    best = fit
    smallest = criterion
  }
  return best ? withinWindow(best, times, DELAY) : rejectFit('no_data', 'No fringes were measured')
}

/** Akaike's criterion up to a constant that all shapes share; infinite for data that no shape describes. */
function informationOf({ quality }: FringeDecayFit): number {
  const { points, dof, dbic } = quality ?? {}
  if (points === undefined || dof === undefined || dbic === undefined) return Number.POSITIVE_INFINITY
  const parameters = points - dof
  return 2 * parameters - (dbic + (parameters - 1) * Math.log(points))
}

function* fitShape(
  times: ArrayLike<number>,
  signal: ArrayLike<number>,
  { model, share: [start, lowest, highest] }: (typeof SHAPES)[number],
  implausible: ((values: { decay: Estimate }) => string | undefined) | undefined,
): Steps<FringeDecayFit> {
  const isFree = lowest < highest
  return yield* fitCurve<Names>({
    ...lineData(model, axisOf(DELAY, times), axisOf(POPULATION, signal)),
    parameters: isFree ? 6 : 5,
    curve() {
      const { span } = extentOf(times)
      const positions = Float64Array.from(times, (time) => time / span)
      const cycles = stepGrid(MIN_CYCLES, maxCycles(times), CYCLE_STEP)
      const fixed = isFree ? [] : [start]
      return {
        linear: 3,
        candidates: cycles.flatMap((count) =>
          START_DECAYS.map((decay) => (isFree ? [count, decay, start] : [count, decay])),
        ),
        lower: [0.05, 0.02, ...(isFree ? [lowest] : []), ...Array(3).fill(Number.NEGATIVE_INFINITY)],
        upper: [
          ...[maxCycles(times) / 0.95, 100],
          ...(isFree ? [highest] : []),
          ...Array(3).fill(Number.POSITIVE_INFINITY),
        ],
        basis([count = 0, decay = 1, free = 0]) {
          const share = fixed[0] ?? free
          return (at, out) => {
            const time = positions[at] as number
            const [angle, elapsed] = [2 * Math.PI * count * time, time / decay]
            const envelope = Math.exp(-share * elapsed - (1 - share) * elapsed ** 2)
            out[0] = 1
            out[1] = envelope * Math.cos(angle)
            out[2] = envelope * Math.sin(angle)
          }
        },
      }
    },
    describe(parameters) {
      const { span } = extentOf(times)
      const [cycles = 0, decay = 0] = parameters
      const share = isFree ? (parameters[2] ?? 0) : start
      const [offset = 0, a = 0, b = 0] = parameters.subarray(isFree ? 3 : 2)
      return {
        frequency: cycles / span,
        decay: decay * span,
        exponential_share: share,
        contrast: 2 * Math.hypot(a, b),
        phase: Math.atan2(-b, a),
        offset,
      }
    },
    keys: [{ name: 'decay' }],
    ...(implausible && { implausible }),
  })
}
