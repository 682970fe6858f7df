import { projectOnPrincipalAxis } from '../../../fitting/complex-series.ts'
import type { Estimate } from '../../../fitting/fit.ts'
import { fitRabi } from '../../../fitting/models/cosine.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { averages, populations, seriesOf } from '../../measure/references.ts'
import { AFTER_RESET, foundByWait, testWait } from '../../measure/relaxation.ts'
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
/** Relative standard errors that are small enough: fine amplitudes are sought within 5 %. */
const WANTED_ERRORS = { amp180: 0.01, amp90: 0.015 }

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
 * is half a period, stretched by what the line compresses. The signal is that part of the readout which
 * varies, because no pulse is known yet. On the lower transition, nothing may be known of the relaxation of
 * the qubit either: a sweep counts only when the wait between its shots is found to be long enough, and the
 * rough T1 found thereby serves the run.
 */
export function rabiOn(options: RabiOptions) {
  const { transition, check, sweeps } = options
  // The relative error of the amplitude at which the check is out.
  const relativeLimit = (2 * Math.asin(Math.sqrt(check.limit))) / (Math.PI * check.pulses)
  return {
    // The pi pulse of most designs is too close to the end of the first sweep.
    size: { points: Math.min(2, sweeps.length) * POINTS, shots: SHOTS, firstPart: 1 / 4 },
    *measure(context: RoutineContext): Measurement<Finding> {
      let t1: number | undefined
      for (let isTested = transition.from === 1; ; ) {
        const sweep = yield* sweepAmplitude(context, options, t1)
        const amplitude = sweep.found.values.half_period.value
        const { left, longer } = isTested ? TESTED : yield* testWait(context, amplitude, t1)
        if (longer) {
          t1 = longer.t1
          isTested = !longer.isLeast
          continue
        }
        // What is left in 1 does not oscillate on the upper transition.
        const { values, fit, quality } = transition.from === 1 ? sweep.found : yield* foundBeside(sweep, left)
        const { half_period: amp180, quarter_period: amp90 } = values
        const withLimit = (found: Estimate, wanted: number) => ({
          ...found,
          checkLimit: relativeLimit * found.value,
          wantedError: wanted * found.value,
        })
        return {
          parameters: {
            [transition.amp180]: withLimit(amp180, WANTED_ERRORS.amp180),
            // That of before belongs to another half turn.
            ...(transition.from === 0 && { 'fine.amp90': withLimit(amp90, WANTED_ERRORS.amp90) }),
          },
          trace: fit,
          quality: { ...quality, contrast: values.contrast.value },
          ...foundByWait(context, t1),
        }
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

const TESTED = { left: AFTER_RESET, longer: undefined }

/** A sweep that was fitted, and its fit with what is left of each shot in the next one. */
type AmplitudeSweep =
  ReturnType<typeof sweepAmplitude> extends Generator<unknown, infer Found> ? Found : never

/** The fit with what is left of each shot in the next one; errors include how well that is known. */
function* foundBeside({ fitWith }: AmplitudeSweep, left: Estimate) {
  const share = Math.max(0, left.value)
  const [found, other] = [yield* fitWith(share), yield* fitWith(share + left.error)]
  const withLeft = (name: 'half_period' | 'quarter_period') => {
    const { value, error } = found.values[name]
    return { value, error: Math.hypot(error, other.values[name].value - value) }
  }
  const turns = { half_period: withLeft('half_period'), quarter_period: withLeft('quarter_period') }
  return { ...found, values: { ...found.values, ...turns } }
}

/**
 * Sweeps the amplitude of one pulse.
 * @param t1 relaxation time from which the wait between shots follows, s; that of the element by default
 * @throws RoutineError for a sweep without oscillation, or one that ends too early for it
 */
function* sweepAmplitude(
  context: RoutineContext,
  { transition, sweeps, remedy = '' }: RabiOptions,
  t1: number | undefined,
) {
  const { number, failures } = context.attempt
  const { stop, part } = sweeps[Math.min(number, sweeps.length) - 1] ?? sweeps[0]
  const points = failures.length > 1 ? 2 * POINTS - 1 : POINTS
  const amplitudes = context.axis('amplitude', { start: 0, stop, points }).values
  const schedules = Array.from(amplitudes, (amplitude) =>
    new TransitionSchedule(context, transition).turn(Math.PI, 0, { amplitude }).read(),
  )
  const values = yield* averages(context, schedules, SHOTS, { t1 })
  const { values: signal } = projectOnPrincipalAxis(seriesOf(values))
  function* fitWith(left: number) {
    return accepted(yield* fitRabi(amplitudes, signal, { name: 'S21', unit: 'V' }, left))
  }
  const found = yield* fitWith(0)
  const { value } = found.values.half_period
  if (value <= part * stop) return { found, fitWith }
  const message = `The pi pulse at ${value.toPrecision(4)} is too close to the end of the sweep at ${stop}${remedy}`
  throw new RoutineError('edge_of_sweep', message, { trace: found.fit, quality: found.quality })
}
