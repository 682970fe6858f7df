/** How a poll of all channels went: any reading, none, or none because the key is refused. */
export type PollResult = 'answered' | 'failed' | 'denied'

/** Polls that failed in a row, and how many beats it now is from one poll to the next. */
export interface Streak {
  failures: number
  beats: number
}

/** No failure: a poll on each beat. */
export const NO_STREAK: Streak = { failures: 0, beats: 1 }

const PATIENCE = 3
const LONGEST_PAUSE_S = 60

/** Most beats of `intervalS` from one poll to the next: as many as fit into 60 s. */
export function beatsMax(intervalS: number): number {
  return Math.max(1, Math.floor(LONGEST_PAUSE_S / intervalS))
}

/**
 * The streak after a poll: from the third failure on, or at once when the key is refused, the pause is doubled.
 * Pauses are whole beats, so that polls stay on the beat.
 */
export function decideStreak(before: Streak, result: PollResult, max: number): Streak {
  if (result === 'answered') return NO_STREAK
  const failures = before.failures + 1
  const isLonger = result === 'denied' || failures >= PATIENCE
  return { failures, beats: isLonger ? Math.min(before.beats * 2, max) : before.beats }
}
