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
/** Preparation of one point beside its shots, s. */
const OVERHEAD_S = 0.01

/** Expected duration of a routine on one target, s. `shotSeconds` is the time of one shot with its reset. */
export function estimateNode({ size }: Routine, shotSeconds: number): number {
  return size.points * (OVERHEAD_S + size.shots * shotSeconds * (size.wait ?? 1))
}

/** What the duration of a plan follows from. */
export interface PlanTimes {
  /** Time of one shot with its reset, s. */
  readonly shotSeconds: number
  /** Splits the targets of a routine into groups that are measured together. */
  group(targets: readonly string[]): readonly unknown[]
}

/** Expected duration of a plan on all its targets, s. */
export function estimatePlan({ nodes }: CalibrationPlan, { shotSeconds, group }: PlanTimes): number {
  return nodes.reduce(
    (sum, { routine, targets }) => sum + group(targets).length * estimateNode(routine, shotSeconds),
    0,
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
