import type { Ideal } from '../ideal/ideal-distribution.ts'

/** Below this probability an outcome is a rounding error. */
const CERTAIN = 1 - 1e-9

/** The state in which a program leaves the qubit that a bit reads; undefined if it is not certain. */
export function preparedState(ideal: Ideal | undefined, bit: number): 0 | 1 | undefined {
  if (!ideal || !('probabilities' in ideal)) return undefined
  let one = 0
  for (const [outcome, probability] of Object.entries(ideal.probabilities))
    if (outcome.charAt(outcome.length - 1 - bit) === '1') one += probability
  if (one >= CERTAIN) return 1
  return one <= 1 - CERTAIN ? 0 : undefined
}
