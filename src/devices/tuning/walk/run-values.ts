import type { ElementValues } from '../../pulse/builder.ts'
import type { ChipElements } from '../plan/chip-elements.ts'
import type { FoundNumber } from '../routine.ts'

/** The chip as its device file describes it. */
export interface ChipValues extends ChipElements {
  /** The value at a path of an element; undefined when absent or never measured. */
  value(element: string, path: string): unknown
}

/** A value of the device file that a run changed. */
interface ValueChange {
  readonly element: string
  readonly path: string
  readonly value: FoundNumber
}

/** The values of the chip during a run: those of the device file, covered by what the run has found. */
export class RunValues implements ElementValues {
  readonly #chip: ChipValues
  readonly #found = new Map<string, ValueChange>()
  readonly #assumed = new Map<string, ValueChange>()

  constructor(chip: ChipValues) {
    this.#chip = chip
  }

  get chip(): ChipElements {
    return this.#chip
  }

  get(element: string, path: string): unknown {
    const key = `${element} ${path}`
    return (this.#assumed.get(key) ?? this.#found.get(key))?.value ?? this.#chip.value(element, path)
  }

  /** The value at the start of the run. */
  before(element: string, path: string): unknown {
    return this.#chip.value(element, path)
  }

  number(element: string, path: string): number | undefined {
    const value = this.get(element, path)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }

  ends(edge: string): readonly [string, string] {
    const found = this.#chip.edges.find(({ name }) => name === edge)
    if (!found) throw new TypeError(`${edge} is not an edge of the chip`)
    return [found.parent, found.child]
  }

  set(element: string, path: string, value: FoundNumber): void {
    this.#found.set(`${element} ${path}`, { element, path, value })
  }

  /** Takes what the rest of the run assumes, which is no value of the element. */
  assume(element: string, path: string, value: FoundNumber): void {
    this.#assumed.set(`${element} ${path}`, { element, path, value })
  }

  /** Returns to the value at the start of the run. */
  restore(element: string, path: string): void {
    this.#found.delete(`${element} ${path}`)
  }

  /** The same values, which change without these. */
  copy(): RunValues {
    const copied = new RunValues(this.#chip)
    for (const { element, path, value } of this.changes) copied.set(element, path, value)
    for (const { element, path, value } of this.#assumed.values()) copied.assume(element, path, value)
    return copied
  }

  /** What the run has found, in the order of the first find. */
  get changes(): readonly ValueChange[] {
    return [...this.#found.values()]
  }
}
