import { HOUR_S } from '../../../base/index.ts'
import type { CalibrationMode } from '../../../protocol/index.ts'
import type { Routine } from '../routine.ts'
import type { CalibrationPlan } from './planner.ts'

/** Longest run that the server allows, s. */
const TIME_LIMITS_S: Readonly<Record<CalibrationMode, number>> = {
  fidelity_check: 2 * HOUR_S,
  partial: 12 * HOUR_S,
  full: 48 * HOUR_S,
}

/** Part of the time limit from which on a plan is reported as too long. */
const WARNING_PART = 0.8
/** Shots of the checks and benchmarks at the end of a full run, for each qubit and each edge. */
const VERIFIED_SHOTS = 200_000
/** Part of these that wait for a full reset where others begin with a reading. */
const WAITED_PART = 1 / 8
/** Preparation of one point beside its shots, s. */
const OVERHEAD_S = 0.01

/** Time of a shot that begins with a reading, s, and how many of them are played for one that is kept. */
const HERALDED_SHOT_S = 20e-6
const SHOTS_PER_KEPT = 4
/** Shots with a full wait by which the readings are judged before: 120 of each of three levels. */
const JUDGING_SHOTS = 360

/** Expected duration of a routine on one target, s. */
export function estimateNode(
  { size }: Routine,
  { shotSeconds, isHeralded = false }: Pick<PlanTimes, 'shotSeconds' | 'isHeralded'>,
): number {
  const { points, shots, wait = 1, firstPart = 1, heralds } = size
  const taken = Math.ceil(shots * firstPart)
  if (!isHeralded || heralds === undefined) return points * (OVERHEAD_S + taken * shotSeconds * wait)
  const seconds = HERALDED_SHOT_S * SHOTS_PER_KEPT ** heralds
  return points * (OVERHEAD_S + taken * seconds) + JUDGING_SHOTS * shotSeconds
}

/** What the duration of a plan follows from. */
export interface PlanTimes {
  /** Time of one shot with its reset, s. */
  readonly shotSeconds: number
  /** Whether shots may begin with a reading instead of a full wait. */
  readonly isHeralded?: boolean
  /** Whether what was found is verified at the end. */
  readonly isVerified?: boolean
  /** Splits the targets of a routine into groups that are measured together. */
  group(targets: readonly string[], routine: Routine): readonly unknown[]
}

/** Expected duration of a plan on all its targets, with its verification, s. */
export function estimatePlan(
  { nodes }: CalibrationPlan,
  { group, isVerified = false, ...times }: PlanTimes,
): number {
  const targetsOf = (isEdge: boolean) =>
    new Set(nodes.flatMap(({ routine, targets }) => ((routine.kind === 'edge') === isEdge ? targets : [])))
  const shots = VERIFIED_SHOTS * (targetsOf(false).size + targetsOf(true).size)
  return nodes.reduce(
    (sum, { routine, targets }) => sum + group(targets, routine).length * estimateNode(routine, times),
    isVerified ? shots * times.shotSeconds * (times.isHeralded ? WAITED_PART : 1) : 0,
  )
}

/** A warning when a plan is likely to exceed the time limit of its mode. */
export function warnOfDuration(
  plan: CalibrationPlan,
  mode: CalibrationMode,
  times: PlanTimes,
): string | undefined {
  const total = estimatePlan(plan, times)
  const limit = TIME_LIMITS_S[mode]
  if (total <= WARNING_PART * limit) return undefined
  const hours = (seconds: number) => `${(seconds / HOUR_S).toFixed(1)} h`
  return `the plan takes about ${hours(total)}, and the server stops a ${mode} run after ${hours(limit)}`
}
