import { axisOf, extentOf, type Label, POPULATION } from '../axes.ts'
import type { EstimateFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'

const FREQUENCY: Label = { name: 'frequency', unit: 'Hz' }
/** Widths of the start values, in steps of the sweep, and the distance of their centers in widths. */
const START_WIDTHS = [2, 5, 12, 30]
const START_DISTANCE = 0.25

type Names = 'center' | 'width' | 'height' | 'offset'
export type LorentzianFit = EstimateFit<Names>

/**
 * Fits one line, offset + height / (1 + ((f − center) / (width / 2))²), a peak or a dip, over frequencies in
 * Hz or what else `x` says; `width` is the full width at half maximum. The center counts as resolved within a
 * quarter of the width, and has to lie inside the sweep.
 */
export function* fitLorentzian(
  frequencies: ArrayLike<number>,
  signal: ArrayLike<number>,
  label: Label = POPULATION,
  x: Label = FREQUENCY,
): Steps<LorentzianFit> {
  return yield* fitCurve<Names>({
    ...lineData('lorentzian', axisOf(x, frequencies), axisOf(label, signal)),
    parameters: 4,
    curve() {
      const { middle, span, step } = extentOf(frequencies)
      const positions = Float64Array.from(frequencies, (frequency) => (frequency - middle) / span)
      return {
        linear: 2,
        candidates: startsOf(positions, step / span),
        lower: [-1, (0.3 * step) / span, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
        upper: [1, 2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
        basis:
          ([center = 0, width = 1]) =>
          (at, out) => {
            out[0] = 1
            out[1] = 1 / (1 + (((positions[at] as number) - center) / (width / 2)) ** 2)
          },
      }
    },
    describe([center = 0, width = 0, offset = 0, height = 0]) {
      const { middle, span } = extentOf(frequencies)
      return { center: middle + span * center, width: span * width, height, offset }
    },
    keys: [{ name: 'center', scale: ({ width }) => width.value, swept: frequencies }],
  })
}

/** Centers and widths to start from: broad lines at fewer places, because they overlap. */
function startsOf(positions: Float64Array, step: number): number[][] {
  return START_WIDTHS.flatMap((width) => {
    const every = Math.max(1, Math.floor(width * START_DISTANCE))
    const centers = Array.from(positions).filter((_, at) => at % every === 0)
    return centers.map((center) => [center, width * step])
  })
}
