import type { AcceptedFit, Estimate } from '../../../fitting/fit.ts'
import { fitFineAmplitude } from '../../../fitting/models/repeated-pulse.ts'
import type { Schedule } from '../../../pulse/schedule.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { ROUGH_T2_STAR } from '../../measure/inputs.ts'
import { populations } from '../../measure/references.ts'
import { type Transition, TransitionSchedule } from '../../measure/transition.ts'
import {
  type CheckOutcome,
  type FoundValue,
  type Measurement,
  type RoutineContext,
  RoutineError,
} from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 31
/** Largest relative standard error of an amplitude that is worth writing. */
const MAX_ERROR = 0.003
/** Quarter turns alone: after 4k + 1 of them the population depends most on their angle. */
const QUARTER_TURNS = [1, 5, 13, 25]
const CHECK_LIMIT = 0.15

interface FineAmplitudeOptions {
  readonly transition: Transition
  /** How far the factors of the amplitude reach from 1; twice as far after an optimum beyond. */
  readonly reach: number
  /** Half turns after the first quarter turn. */
  readonly repetitions: readonly number[]
  readonly checkRepetitions: number
  /** Relaxation time from which the wait between shots follows, s; that of the element by default. */
  readonly t1?: number | undefined
}

interface FineAmplitude {
  readonly parameter: FoundValue & { readonly value: number }
  readonly fit: AcceptedFit<{ relative_error: Estimate }>
}

/**
 * Refines the amplitude of the pi pulse of a transition by repeating it after a quarter turn, so that its
 * error adds up.
 */
export function* fineHalfTurn(
  context: RoutineContext,
  options: FineAmplitudeOptions,
): Measurement<FineAmplitude> {
  const { transition, repetitions } = options
  const amp180 = context.self.number(transition.amp180)
  const counts = Array.from(context.axis('repetitions', repetitions).values)
  return yield* refine(context, options, {
    amplitude: amp180,
    counts,
    gate: 'x180',
    schedule: (count, amplitude) => halfTurns(context, options, count, { amp180: amplitude }),
  })
}

/**
 * Refines the amplitude of the quarter turn of the lower transition in the same way: on a drive that
 * compresses it is not half of the other. Its error includes what slow noise may add to the turns.
 */
export function* fineQuarterTurn(
  context: RoutineContext,
  options: FineAmplitudeOptions,
  amplitude: number,
): Measurement<FineAmplitude> {
  const { parameter, fit } = yield* refine(context, options, {
    amplitude,
    counts: QUARTER_TURNS,
    gate: 'x90',
    schedule: (count, each) => quarterTurns(context, options, count, each),
  })
  const error = amplitude * Math.hypot(fit.values.relative_error.error, excessBySlowNoise(context))
  return { parameter: { ...parameter, error }, fit }
}

/**
 * By how much repeated quarter turns seem larger with slow noise, relative to the turn. A drive that is off
 * by an angle α per pulse turns by π/2 + α²/4; slow noise has ⟨α²⟩ = 2 (duration / T2*)². Fast noise adds
 * nothing, and which of both limits T2* is unknown. Half turns stay as they are.
 */
function excessBySlowNoise({ self }: RoutineContext): number {
  const t2Star = self.optional(ROUGH_T2_STAR) ?? self.optional('coherence.t2_star')
  return t2Star === undefined ? 0 : (self.number('rxy.duration') / t2Star) ** 2 / Math.PI
}

/** Number of points, for the estimate of the duration. */
export function fineAmplitudeSize(rows: number) {
  return { points: POINTS * rows, shots: SHOTS, heralds: 1 }
}

/** Quarter turns of the check: the last show one percent, the first what comes round to nothing there. */
const CHECKED_QUARTERS = [1, 5, 25]

/**
 * Checks that half turns after a quarter turn end on the equator, and repeated quarter turns where the
 * element has an amplitude for them. Without that, a drive that compresses would always be out.
 */
export function* checkFineAmplitude(
  context: RoutineContext,
  options: FineAmplitudeOptions,
): Measurement<CheckOutcome> {
  const amp90 = options.transition.from === 0 ? context.self.optional('fine.amp90') : undefined
  const points = [
    halfTurns(context, options, options.checkRepetitions),
    ...(amp90 === undefined ? [] : CHECKED_QUARTERS).map((count) =>
      quarterTurns(context, options, count, amp90 ?? 0),
    ),
  ]
  const found = yield* populations(context, points, SHOTS, options.transition)
  return checkOf(Math.max(...found.map((each) => Math.abs(each - 0.5))), CHECK_LIMIT)
}

interface Refined {
  readonly amplitude: number
  readonly counts: readonly number[]
  readonly gate: 'x180' | 'x90'
  schedule(count: number, amplitude: number): Schedule
}

function* refine(
  context: RoutineContext,
  { transition, reach, checkRepetitions, t1 }: FineAmplitudeOptions,
  { amplitude, counts, gate, schedule }: Refined,
): Measurement<FineAmplitude> {
  const half = context.attempt.failures.includes('edge_of_sweep') ? 2 * reach : reach
  const factors = context.axis('amplitude', { start: 1 - half, stop: 1 + half, points: POINTS }).values
  const points = counts.flatMap((count) =>
    Array.from(factors, (factor) => schedule(count, amplitude * factor)),
  )
  // One measurement: rows with references of their own would differ by the noise of these.
  const found = yield* populations(context, points, SHOTS, transition, { t1 })
  const rows = counts.map((count, row) => {
    return { count, populations: found.slice(row * factors.length, (row + 1) * factors.length) }
  })
  const relative = factors.map((factor) => factor - 1)
  const fit = accepted(yield* fitFineAmplitude(relative, rows, gate))
  assertFine(fit)
  const { value, error } = fit.values.relative_error
  // The population after the repetitions of the check deviates by its limit at this relative error.
  const limit = Math.asin(2 * CHECK_LIMIT) / (Math.PI * (checkRepetitions + 0.5))
  const parameter = {
    value: amplitude * (1 + value),
    error: amplitude * error,
    checkLimit: amplitude * limit,
  }
  return { parameter, fit }
}

/**
 * Far from its optimum only few repetitions can be fitted, and the value is no better than the present one.
 * @throws RoutineError `unresolved`, so that the present value stays.
 */
function assertFine({ values, fit, quality }: AcceptedFit<{ relative_error: Estimate }>): void {
  const { error } = values.relative_error
  if (error <= MAX_ERROR) return
  const message = `The amplitude is known to ${(100 * error).toFixed(2)} %, needed are ${100 * MAX_ERROR} %`
  throw new RoutineError('unresolved', message, { trace: fit, quality })
}

/** A quarter turn, then half turns. */
function halfTurns(
  context: RoutineContext,
  { transition }: FineAmplitudeOptions,
  count: number,
  overrides: { amp180?: number } = {},
): Schedule {
  const schedule = new TransitionSchedule(context, transition).turn(Math.PI / 2, 0, overrides)
  for (let pulse = 0; pulse < count; pulse++) schedule.turn(Math.PI, 0, overrides)
  return schedule.read()
}

function quarterTurns(
  context: RoutineContext,
  { transition }: FineAmplitudeOptions,
  count: number,
  amplitude: number,
): Schedule {
  const schedule = new TransitionSchedule(context, transition)
  for (let pulse = 0; pulse < count; pulse++) schedule.turn(Math.PI / 2, 0, { amplitude })
  return schedule.read()
}
