import { projectOnPrincipalAxis } from '../../../fitting/complex-series.ts'
import { fitCosine } from '../../../fitting/models/cosine.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { averages, populations, seriesOf } from '../../measure/references.ts'
import { type Transition, TransitionSchedule } from '../../measure/transition.ts'
import {
  type CheckOutcome,
  type Finding,
  type Measurement,
  type RoutineContext,
  RoutineError,
} from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 61

interface RabiOptions {
  readonly transition: Transition
  /**
   * End of the sweep by attempt, and the part of it in which the pi pulse has to lie: half a period says
   * little about a frequency.
   */
  readonly sweeps: readonly [Sweep, ...Sweep[]]
  /** Pi pulses of the check, and the largest deviation of the population after them. */
  readonly check: { readonly pulses: number; readonly limit: number }
  /** What to do when full scale does not reach the pi pulse. */
  readonly remedy?: string
}

interface Sweep {
  readonly stop: number
  readonly part: number
}

/**
 * Rabi oscillations on a transition: the signal oscillates with the amplitude of the drive, and the pi pulse
 * is half a period. The signal is that part of the readout which varies, because no pulse is known yet.
 */
export function rabiOn({ transition, sweeps, check, remedy = '' }: RabiOptions) {
  // The relative error of the amplitude at which the check is out.
  const relativeLimit = (2 * Math.asin(Math.sqrt(check.limit))) / (Math.PI * check.pulses)
  return {
    size: { points: POINTS, shots: SHOTS },
    *measure(context: RoutineContext): Measurement<Finding> {
      const { number, failures } = context.attempt
      const { stop, part } = sweeps[Math.min(number, sweeps.length) - 1] ?? sweeps[0]
      const points = failures.length > 1 ? 2 * POINTS - 1 : POINTS
      const amplitudes = context.axis('amplitude', { start: 0, stop, points }).values
      const schedules = Array.from(amplitudes, (amplitude) =>
        new TransitionSchedule(context, transition).turn(Math.PI, 0, { amplitude }).read(),
      )
      const { values: signal } = projectOnPrincipalAxis(seriesOf(yield* averages(context, schedules, SHOTS)))
      const { values, fit, quality } = accepted(
        yield* fitCosine(amplitudes, signal, { y: { name: 'S21', unit: 'V' } }),
      )
      const amp180 = values.half_period
      if (amp180.value > part * stop) {
        const message = `The pi pulse at ${amp180.value.toPrecision(4)} is too close to the end of the sweep at ${stop}${remedy}`
        throw new RoutineError('edge_of_sweep', message, { trace: fit, quality })
      }
      return {
        parameters: { [transition.amp180]: { ...amp180, checkLimit: relativeLimit * amp180.value } },
        trace: fit,
        quality: { ...quality, contrast: values.contrast.value },
      }
    },
    *check(context: RoutineContext): Measurement<CheckOutcome> {
      const repeated = (count: number) => {
        const schedule = new TransitionSchedule(context, transition)
        for (let pulse = 0; pulse < count; pulse++) schedule.turn(Math.PI)
        return schedule.read()
      }
      // An even number of pulses too: with a large error, an odd one may end in the upper state again.
      const counts = [check.pulses, check.pulses - 1]
      const found = yield* populations(context, counts.map(repeated), SHOTS, transition)
      const deviations = counts.map((count, at) => Math.abs((found[at] ?? Number.NaN) - (count % 2)))
      return checkOf(Math.max(...deviations), check.limit)
    },
  }
}
