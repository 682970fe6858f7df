import type { Estimate, FitTrace, Quality } from '../../../fitting/fit.ts'
import { apartText, beatOf } from '../../../fitting/models/beating.ts'
import { fitDampedCosine, solveDetuning } from '../../../fitting/models/damped-cosine.ts'
import { accepted, checkOf, onGrid, tracesOf } from '../../measure/accept.ts'
import { ROUGH_T2_STAR } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { type Transition, TransitionSchedule } from '../../measure/transition.ts'
import {
  type CheckOutcome,
  type Finding,
  type Measurement,
  type RoutineContext,
  RoutineError,
} from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 81
const SHORTEST_S = 4e-9
/** Shortest window of the second pass, s. */
const MIN_WINDOW_S = 4e-6
/** Artificial detunings of the first pass, Hz, and in fringes per window of the second one. */
const DETUNINGS = [-1e6, 0.4e6, 1e6]
/**
 * Window of the second pass, in units of the decay of the first one. A transition that jumps seems to decay
 * within two thirds of the time after which both frequencies cancel; twice that time shows that they return.
 */
const DECAYS_PER_WINDOW = 3
/** Growth of the artificial detunings by attempt: one that cancels the true detuning leaves no fringe. */
const GROWTH = 1.7
/**
 * In pairs of either sign: the fit of an exponential to a decay by slow noise shifts the frequency of a
 * fringe by the same amount at both, which would stay in the detuning.
 */
const FRINGES = [-8, -4, 4, 8]
/**
 * Delays of the check, in units of the longest: a detuning that turns the phase of one by whole turns, and
 * looks like none there, does not do so to the other, up to eight turns.
 */
const CHECKED = [1, 0.382]
/** Largest phase error after the delay of the check, rad. */
const MAX_PHASE_ERROR = 0.35

/** Standard error of a frequency that matters to no pulse and no gate, Hz: long T2* would ask for less. */
const WANTED_ERROR_HZ = 300

interface RamseyOptions {
  readonly transition: Transition
  /** Longest delay of the first pass and, at most, of the second, s. */
  readonly firstWindow: number
  readonly maxWindow: number
  /** Delay of the check from what is known before, and from T2* as measured, s. */
  checkDelay(context: RoutineContext, t2Star?: number): number
}

/**
 * Ramsey fringes on a transition. A fringe shows the size of a detuning, not its sign: the drive is detuned
 * by known amounts of both signs, and one detuning of the qubit explains all fringes. The drive is
 * really detuned, rather than its phase shifted, so that the handedness of the drive line plays no role. A
 * second pass over a longer window refines the result. A transition that jumps between two frequencies shows
 * a beat: the middle, which it never has, is no result.
 */
export function ramseyOn({ transition, firstWindow, maxWindow, checkDelay }: RamseyOptions) {
  return {
    size: {
      points: (DETUNINGS.length + FRINGES.length) * (POINTS + 2),
      shots: SHOTS,
      firstPart: 1 / 8,
      heralds: 1,
    },
    *measure(context: RoutineContext): Measurement<Finding> {
      const stored = context.self.number(transition.frequency)
      const delays = context.axis('delay', {
        start: SHORTEST_S,
        stop: firstWindow / context.attempt.number,
        points: POINTS,
      }).values
      const growth = GROWTH ** (context.attempt.number - 1)
      const artificial = context.axis(
        'detuning',
        DETUNINGS.map((each) => growth * each),
      ).values
      const first = yield* pass(context, transition, { frequency: stored, delays, artificial })
      const coarse = stored + first.detuning.value
      const window = Math.min(maxWindow, Math.max(MIN_WINDOW_S, DECAYS_PER_WINDOW * first.decay))
      const fine = yield* pass(context, transition, {
        frequency: coarse,
        delays: Float64Array.from(delays, (_, at) => SHORTEST_S + (window * at) / (delays.length - 1)),
        artificial: FRINGES.map((count) => count / window),
      })
      yield* assertOneFrequency(fine)
      const { value, error } = fine.detuning
      const checkLimit = MAX_PHASE_ERROR / (2 * Math.PI * checkDelay(context, fine.decay))
      const found = { value: coarse + value, error, unit: 'Hz', checkLimit, wantedError: WANTED_ERROR_HZ }
      return {
        parameters: { [transition.frequency]: found },
        trace: fine.trace,
        quality: { ...fine.quality, first_detuning: first.detuning.value, t2_star: fine.decay },
        ...(transition.from === 0 && { assumed: { [ROUGH_T2_STAR]: fine.decay } }),
      }
    },
    *check(context: RoutineContext): Measurement<CheckOutcome> {
      const delays = CHECKED.map((part) => onGrid(part * checkDelay(context)))
      const points = delays.flatMap((delay) =>
        [0, Math.PI / 2].map((phase) =>
          new TransitionSchedule(context, transition)
            .turn(Math.PI / 2)
            .wait(delay)
            .turn(Math.PI / 2, phase)
            .read(),
        ),
      )
      const found = yield* populations(context, points, SHOTS, transition)
      const phases = delays.map((_, at) =>
        Math.atan2(2 * (found[2 * at + 1] ?? Number.NaN) - 1, 2 * (found[2 * at] ?? Number.NaN) - 1),
      )
      return checkOf(Math.max(...phases.map(Math.abs)), MAX_PHASE_ERROR)
    },
  }
}

interface PassInput {
  /** Where the transition is taken to be, Hz. */
  readonly frequency: number
  /** s */
  readonly delays: ArrayLike<number>
  /** Hz */
  readonly artificial: ArrayLike<number>
}

interface Pass {
  /** Distance of the transition from where it was taken to be, Hz. */
  readonly detuning: Estimate
  /** T2*, s. */
  readonly decay: number
  readonly trace: FitTrace
  readonly quality: Quality
  readonly fringes: Parameters<typeof beatOf>[0]
}

/** @throws RoutineError `unresolved` for fringes that beat, so that the present value stays. */
function* assertOneFrequency({ fringes, trace, quality }: Pass): Measurement<void> {
  const distances = yield* beatOf(fringes)
  if (!distances) return
  const message = `The transition jumps between two frequencies, ${apartText(distances)}`
  throw new RoutineError('unresolved', message, { trace, quality, isCertain: true })
}

/** Fringes at each artificial detuning, and the detuning of the transition that explains them all. */
function* pass(context: RoutineContext, transition: Transition, input: PassInput): Measurement<Pass> {
  const delays = Float64Array.from(input.delays, onGrid)
  const fits = []
  for (const artificial of Array.from(input.artificial)) {
    // Driven below its frequency, a qubit turns ahead of the drive: the fringe shows detuning + artificial.
    const frequency = input.frequency - artificial
    const schedules = Array.from(delays, (delay) => fringe(context, transition, delay, frequency))
    const found = yield* populations(context, schedules, SHOTS, transition)
    const fit = accepted(yield* fitDampedCosine(delays, found, { wanted: 'frequency' }))
    fits.push({ artificial, signal: found, ...fit })
  }
  const solved = solveDetuning(
    fits.map(({ artificial, values }) => ({ artificial, frequency: values.frequency })),
  )
  if (!solved.ok)
    throw new RoutineError(solved.code, solved.message, { ...tracesOf(solved), isCertain: true })
  const decays = fits.map(({ values }) => values.decay.value).sort((one, other) => one - other)
  const shown = fits.at(-1)
  return {
    detuning: solved.values.detuning,
    decay: decays[Math.floor(decays.length / 2)] ?? MIN_WINDOW_S,
    trace: shown?.fit ?? solved.fit,
    fringes: fits.map(({ signal, values: { frequency, decay } }) => ({
      times: delays,
      signal,
      frequency: frequency.value,
      decay: decay.value,
    })),
    quality: { ...shown?.quality, ...solved.quality },
  }
}

function fringe(context: RoutineContext, transition: Transition, delay: number, frequency: number) {
  return new TransitionSchedule(context, transition)
    .turn(Math.PI / 2, 0, { frequency })
    .wait(delay)
    .turn(Math.PI / 2, 0, { frequency })
    .read()
}
