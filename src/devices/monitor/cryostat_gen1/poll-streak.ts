import { backoffMs, MINUTE_MS } from '../../../base/index.ts'

/** Result of a poll of all channels: some reading, none, or none because the key is refused. */
export type PollResult = 'answered' | 'failed' | 'denied'

/** Polls that failed in a row, and how many of them count towards a longer pause. */
interface Streak {
  failures: number
  slowdowns: number
}

/** No failure: a poll at each tick. */
export const NO_STREAK: Streak = { failures: 0, slowdowns: 0 }

/** Failures in a row from which on the pause grows. */
const TOLERATED_FAILURES = 3
const MAX_PAUSE_MS = MINUTE_MS

/**
 * The streak after a poll: the pause grows from the third failure on, or immediately when the key is refused.
 */
export function decideStreak(before: Streak, result: PollResult): Streak {
  if (result === 'answered') return NO_STREAK
  const failures = before.failures + 1
  const isLonger = result === 'denied' || failures >= TOLERATED_FAILURES
  return { failures, slowdowns: before.slowdowns + (isLonger ? 1 : 0) }
}

/**
 * Ticks of `intervalS` from one poll to the next: one, doubled with each slowdown, as many as fit into 60 s.
 * Pauses are whole ticks, so that polls keep their schedule.
 */
export function ticksOf({ slowdowns }: Streak, intervalS: number): number {
  const intervalMs = intervalS * 1_000
  const pauseMs = backoffMs(slowdowns + 1, { initialMs: intervalMs, maxMs: MAX_PAUSE_MS })
  return Math.max(1, Math.floor(pauseMs / intervalMs))
}
