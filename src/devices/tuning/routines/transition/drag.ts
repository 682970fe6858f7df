import type { AcceptedFit, Estimate } from '../../../fitting/fit.ts'
import { fitDrag } from '../../../fitting/models/repeated-pulse.ts'
import type { Schedule } from '../../../pulse/schedule.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { populations } from '../../measure/references.ts'
import { type Transition, TransitionSchedule } from '../../measure/transition.ts'
import type { CheckOutcome, Measurement, RoutineContext } from '../../routine.ts'

const SHOTS = 1_000
const POINTS = 41
/** Few repetitions have one optimum in the whole range; many have a sharp one, and repeat within it. */
const COARSE_REPETITIONS = [1, 3]
/** Half width of the second sweep: the rotation at its ends after the most repetitions, rad. */
const FINE_ROTATION = 1.4
const CHECK_LIMIT = 0.1

interface DragOptions {
  readonly transition: Transition
  /** Half width of the first sweep. */
  readonly reach: number
  /** Repetitions of the second sweep. */
  readonly repetitions: readonly number[]
  readonly checkRepetitions: number
}

interface DragOptimum {
  readonly motzoi: Estimate
  /** Distance from the optimum at which the check is out. */
  readonly checkLimit: number
  readonly fit: AcceptedFit<unknown>
}

/**
 * Measures on a transition the weight of the derivative quadrature at which a pi pulse and its opposite
 * cancel: with another one they leave a phase error behind, which repetitions add up.
 */
export function* dragOptimum(
  context: RoutineContext,
  { transition, reach, repetitions, checkRepetitions }: DragOptions,
): Measurement<DragOptimum> {
  const half = context.attempt.failures.includes('edge_of_sweep') ? 2 * reach : reach
  const motzois = context.axis('motzoi', { start: -half, stop: half, points: POINTS }).values
  const rowsOf = (swept: Float64Array, counts: readonly number[]) => rows(context, transition, swept, counts)
  const coarse = accepted(yield* fitDrag(motzois, yield* rowsOf(motzois, COARSE_REPETITIONS)))
  const counts = Array.from(context.axis('repetitions', repetitions).values)
  const near = around(coarse.values, Math.max(...counts), motzois.length)
  const fit = accepted(yield* fitDrag(near, yield* rowsOf(near, counts)))
  const { optimum, curvature } = fit.values
  const checkLimit = Math.asin(Math.sqrt(CHECK_LIMIT)) / (checkRepetitions * curvature.value)
  return { motzoi: optimum, checkLimit, fit }
}

/** Number of points of both sweeps, for the estimate of the duration. */
export function dragSize({ repetitions }: Pick<DragOptions, 'repetitions'>) {
  const points = POINTS * (COARSE_REPETITIONS.length + repetitions.length)
  return { points, shots: SHOTS, firstPart: 1 / 8, heralds: 1 }
}

/** Checks that pairs of a pi pulse and its opposite cancel. */
export function* checkDrag(
  context: RoutineContext,
  { transition, checkRepetitions }: Pick<DragOptions, 'transition' | 'checkRepetitions'>,
): Measurement<CheckOutcome> {
  const points = [pairs(context, transition, checkRepetitions)]
  const [population = Number.NaN] = yield* populations(context, points, SHOTS, transition)
  return checkOf(Math.max(0, population), CHECK_LIMIT)
}

/** Values around a coarse optimum, close enough for the most repetitions. */
function around(
  { optimum, curvature }: { optimum: Estimate; curvature: Estimate },
  most: number,
  points: number,
): Float64Array {
  const half = FINE_ROTATION / (most * curvature.value)
  const at = (index: number) => optimum.value + half * ((2 * index) / (points - 1) - 1)
  return Float64Array.from({ length: points }, (_, index) => at(index))
}

function* rows(
  context: RoutineContext,
  transition: Transition,
  motzois: Float64Array,
  counts: readonly number[],
): Measurement<{ count: number; populations: Float64Array }[]> {
  const found = []
  for (const count of counts) {
    const points = Array.from(motzois, (motzoi) => pairs(context, transition, count, motzoi))
    found.push({ count, populations: yield* populations(context, points, SHOTS, transition) })
  }
  return found
}

/** Pairs of a pi pulse and its opposite. */
function pairs(context: RoutineContext, transition: Transition, count: number, motzoi?: number): Schedule {
  const overrides = motzoi === undefined ? {} : { motzoi }
  const schedule = new TransitionSchedule(context, transition)
  for (let pair = 0; pair < count; pair++) {
    schedule.turn(Math.PI, 0, overrides).turn(-Math.PI, 0, overrides)
  }
  return schedule.read()
}
