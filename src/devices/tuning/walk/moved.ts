import type { ChipElements } from '../plan/chip-elements.ts'
import type { FoundValue, Routine } from '../routine.ts'
import { requiredReads } from './blocking.ts'

/** Part of its check limit by which a value must change for what reads it to be measured again. */
const MOVED_PART = 1 / 3

/** Whether a value differs from the one before by so much that what reads it has to be measured again. */
export function hasMoved({ value, error, checkLimit }: FoundValue, previous: unknown): boolean {
  if (typeof value !== 'number' || typeof previous !== 'number') return true
  const limit = checkLimit === undefined ? 3 * (error ?? 0) : checkLimit * MOVED_PART
  return Math.abs(value - previous) > limit
}

/** The values that moved in a run. */
export class MovedValues {
  readonly #chip: ChipElements
  readonly #moved = new Set<string>()

  constructor(chip: ChipElements) {
    this.#chip = chip
  }

  add(element: string, path: string): void {
    this.#moved.add(`${element} ${path}`)
  }

  /** Whether a routine reads a moved value; a benchmark is about all values in use. */
  concern(routine: Routine, target: string): boolean {
    const { priors, isBenchmark } = routine
    return requiredReads(
      isBenchmark ? { ...routine, reads: [...routine.reads, ...priors] } : routine,
      target,
      this.#chip,
    ).some(([element, path]) => this.#moved.has(`${element} ${path}`))
  }
}
