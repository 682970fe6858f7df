/** Pauses between attempts: the first, and the longest they grow to by doubling, in ms. */
export interface Backoff {
  startMs: number
  capMs: number
}

/** The pauses a driver makes between two attempts to connect. */
export const DEFAULT_BACKOFF: Readonly<Backoff> = { startMs: 250, capMs: 10_000 }

/**
 * The pause after `failures` failed attempts in a row (1 or more), in ms: doubled each time, of which the upper
 * half is random, so that many drivers do not come back at the same moment. `random` is in [0, 1).
 */
export function pauseMs(failures: number, backoff: Backoff, random: number): number {
  const full = Math.min(backoff.capMs, backoff.startMs * 2 ** (failures - 1))
  return full / 2 + (random * full) / 2
}
