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
  return size.points * (OVERHEAD_S + size.shots * shotSeconds)
}

/** A warning when a plan is likely to exceed the time limit of its mode. */
export function warnOfDuration(
  plan: CalibrationPlan,
  mode: CalibrationMode,
  shotSeconds: number,
): string | undefined {
  const total = plan.nodes.reduce(
    (sum, { routine, targets }) => sum + targets.length * estimateNode(routine, shotSeconds),
    0,
  )
  const limit = TIME_LIMITS_S[mode]
  if (total <= WARNING_PART * limit) return undefined
  const hours = (seconds: number) => `${(seconds / HOUR_S).toFixed(1)} h`
  return `the plan takes about ${hours(total)}, and the server stops a ${mode} run after ${hours(limit)}`
}
