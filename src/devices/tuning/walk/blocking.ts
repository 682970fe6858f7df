import type { ChipElements } from '../plan/chip-elements.ts'
import { qubitsOf } from '../plan/chip-elements.ts'
import type { Routine } from '../routine.ts'

/** A routine that failed on a target, or declined it. */
interface Culprit {
  readonly routine: string
  readonly target: string
  /** Why the target cannot have what the routine calibrates. */
  readonly declined?: string
}

/** What a gate on an edge needs of both qubits, whatever its routine declares. */
const NEEDS_OF_ENDS = ['clock_freqs.f01', 'rxy.amp180']

/** The element and path of each value that must be set, of an edge also those of its qubits. */
export function requiredReads(
  routine: Routine,
  target: string,
  chip: ChipElements,
): (readonly [string, string])[] {
  const ends = routine.kind === 'edge' ? qubitsOf(target, chip.edges) : []
  const declared = routine.reads.flatMap((read) => {
    if (!read.startsWith('end:')) return [[target, read] as const]
    return ends.map((end) => [end, read.slice('end:'.length)] as const)
  })
  return [...declared, ...ends.flatMap((end) => NEEDS_OF_ENDS.map((path) => [end, path] as const))]
}

/**
 * Follows which values cannot be trusted in this run because the routine that should have found them failed.
 * Blocking follows values, not routines: the failure of a routine that only refines a value blocks nothing.
 */
export class Blocking {
  readonly #chip: ChipElements
  readonly #culprits = new Map<string, Culprit>()

  constructor(chip: ChipElements) {
    this.#chip = chip
  }

  /** The failure that keeps a routine from running on a target; undefined when none does. */
  culpritOf(routine: Routine, target: string): Culprit | undefined {
    for (const [element, path] of requiredReads(routine, target, this.#chip)) {
      const culprit = this.#culprits.get(`${element} ${path}`)
      if (culprit) return culprit
    }
    return undefined
  }

  /** A routine failed, or is itself blocked by `cause`. */
  failed(routine: Routine, target: string, cause: Culprit = { routine: routine.name, target }): void {
    if (routine.refiner) return
    for (const path of routine.writes) this.#culprits.set(`${target} ${path}`, cause)
  }

  /** A routine found these values. */
  found(target: string, paths: Iterable<string>): void {
    for (const path of paths) this.#culprits.delete(`${target} ${path}`)
  }
}
