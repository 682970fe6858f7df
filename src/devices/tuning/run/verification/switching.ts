import { type ChipElements, qubitsOf } from '../../plan/chip-elements.ts'
import type { WalkResult } from '../../walk/walk.ts'

/** The frequency of a qubit, whose routine tells two values of it apart. */
export const FREQUENCY = 'clock_freqs.f01'

/** A qubit that has jumped between two frequencies. */
export interface Switching {
  readonly target: string
  /** Both frequencies, and which one is in use, for people. */
  readonly text: string
}

interface Found {
  readonly value: number
  /** By how much another one must differ to count as another one. */
  readonly limit: number
}

/**
 * The qubits that have left a frequency and returned to it since the end of a run: found three times, of
 * which two agree and one does not. Three that differ are a drift.
 */
export function switchingOf(verified: WalkResult, walked: WalkResult): Switching[] {
  const later = verified.results.slice(walked.results.length)
  return [...new Set(later.map(({ target }) => target))].flatMap((target) => {
    const earlier = foundOf(walked, target).slice(-1)
    const found = [...earlier, ...foundOf({ results: later }, target)]
    const last = found.at(-1)
    if (!last || found.length < 3) return []
    const others = found.filter(
      (each) => Math.abs(each.value - last.value) > Math.max(each.limit, last.limit),
    )
    const [other] = others
    const isPair = others.every((each) => Math.abs(each.value - (other?.value ?? 0)) <= each.limit)
    if (!other || !isPair) return []
    const apart = `${Math.round(Math.abs(other.value - last.value) / 1e3)} kHz apart`
    const [used, left] = [last, other].map(({ value }) => `${(value / 1e9).toFixed(6)} GHz`)
    return [
      {
        target,
        text: `${target}: f01 switches between two frequencies, ${used} and ${left}, ${apart}; the first is in use`,
      },
    ]
  })
}

/** The frequencies found of a qubit, in the order of time. */
function foundOf({ results }: Pick<WalkResult, 'results'>, target: string): Found[] {
  return results.flatMap((result) => {
    const found =
      result.target === target && result.routine.refiner ? result.parameters[FREQUENCY] : undefined
    if (!found?.isApplied || typeof found.value !== 'number') return []
    return [{ value: found.value, limit: found.checkLimit ?? 0 }]
  })
}

/** Whether a target is a qubit, or an edge of it. */
export function isBeside(target: string, qubit: string, { edges }: ChipElements): boolean {
  return qubitsOf(target, edges).includes(qubit)
}
