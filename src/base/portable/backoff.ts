import { randomFraction } from '../id.ts'

/** Limits of the pauses between attempts that fail, in ms. */
export interface BackoffLimits {
  /** Pause after the first failure; each further one doubles it. */
  initialMs: number
  maxMs: number
}

/**
 * Pause after `failures` failed attempts in a row, in ms; 0 when there was none. `random` (0 ≤ x < 1) spreads
 * each pause over its upper half, so that many clients do not return at the same moment; without it pauses
 * are exact.
 */
export function backoffMs(
  failures: number,
  { initialMs, maxMs }: BackoffLimits,
  random: () => number = () => 1,
): number {
  if (failures <= 0) return 0
  const fullMs = Math.min(maxMs, initialMs * 2 ** (failures - 1))
  return fullMs / 2 + (random() * fullMs) / 2
}

/** Counts failures in a row and returns the pause after each of them. */
export class Backoff {
  readonly #limits: BackoffLimits
  readonly #random: () => number
  #failures = 0

  /** `random` as for `backoffMs`; `() => 1` makes pauses exact. */
  constructor(limits: BackoffLimits, random: () => number = randomFraction) {
    this.#limits = limits
    this.#random = random
  }

  /** Counts one more failure; returns the pause before the next attempt, in ms. */
  next(): number {
    this.#failures += 1
    return backoffMs(this.#failures, this.#limits, this.#random)
  }

  /** Called after a success: the next pause is a first one. */
  reset(): void {
    this.#failures = 0
  }
}
