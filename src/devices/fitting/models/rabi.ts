import { axisOf, extentOf, type Label, stepGrid } from '../axes.ts'
import type { EstimateFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { maxCycles } from './cosine.ts'

/** The least number of cycles in the sweep, and the step of the search. */
const MIN_CYCLES = 0.3
const CYCLE_STEP = 0.15
/** Largest relative change of the drive at the end of the sweep; from 1/3 on, it would turn back. */
const MAX_COMPRESSION = 0.3
/** Newton's steps to the amplitude of a turn. */
const ROUNDS = 8

type Names = 'half_period' | 'quarter_period' | 'compression' | 'contrast' | 'offset'

/**
 * Fits offset + contrast·cos(2πfx(1 − cx²))/2: the signal against the amplitude x of a pulse whose line
 * compresses by the share c at full scale. The wanted value is `half_period`, the amplitude of a π pulse,
 * which has to lie inside the sweep; `quarter_period` is that of a π/2 pulse. A cosine without compression
 * would be 1 to 2 % off, several times its error.
 */
export function* fitRabi(
  amplitudes: ArrayLike<number>,
  signal: ArrayLike<number>,
  y: Label,
): Steps<EstimateFit<Names>> {
  const spanOf = () => extentOf(amplitudes).span
  return yield* fitCurve<Names>({
    ...lineData('rabi', axisOf({ name: 'amplitude', unit: '' }, amplitudes), axisOf(y, signal)),
    parameters: 4,
    curve: () => ({
      linear: 2,
      candidates: stepGrid(MIN_CYCLES, maxCycles(amplitudes), CYCLE_STEP).map((cycles) => [cycles, 0]),
      lower: [MIN_CYCLES / 2, -MAX_COMPRESSION, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      upper: [2 * maxCycles(amplitudes), MAX_COMPRESSION, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      basis:
        ([cycles = 0, compression = 0]: Float64Array) =>
        (at: number, out: Float64Array) => {
          const position = (amplitudes[at] as number) / spanOf()
          out[0] = 1
          out[1] = Math.cos(2 * Math.PI * cycles * position * (1 - compression * position ** 2))
        },
    }),
    describe([cycles = 0, compression = 0, offset = 0, c = 0]) {
      const positionOf = (turns: number) => {
        let position = turns / cycles
        for (let round = 0; round < ROUNDS; round++) {
          const excess = position * (1 - compression * position ** 2) - turns / cycles
          position -= excess / (1 - 3 * compression * position ** 2)
        }
        return position
      }
      return {
        half_period: spanOf() * positionOf(1 / 2),
        quarter_period: spanOf() * positionOf(1 / 4),
        compression: compression / spanOf() ** 2,
        contrast: 2 * c,
        offset,
      }
    },
    keys: [{ name: 'half_period', swept: amplitudes }],
  })
}
