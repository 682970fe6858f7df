import { seeded } from '../support/fitting/seeded.ts'
import { NUMBERS, TEXTS } from './values.ts'

/** Choices that are the same for the same seed. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seeded(seed)
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end)
  }

  of<T>(list: readonly T[]): T {
    // The index is below the length; lists here are not empty.
    return list[this.below(list.length)] as T
  }

  /** Of each of several: all, some or none. */
  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.chance(probability))
  }

  text(): string {
    return this.of(TEXTS)
  }

  number(): number {
    return this.of(NUMBERS)
  }
}
