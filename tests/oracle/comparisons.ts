import { expect } from 'bun:test'
import { compareCounts } from './statistics.ts'

/** For all comparisons of a test together: a single comparison may fall below its share only (Bonferroni). */
const SIGNIFICANCE = 1e-4

/** The comparisons of one test; `assertAllAgree` fails it if one of them is too improbable. */
export class Comparisons {
  readonly #seen: { name: string; p: number; totalVariation: number }[] = []

  add(name: string, ours: Record<string, number>, theirs: Record<string, number>): void {
    this.#seen.push({ name, ...compareCounts(ours, theirs) })
  }

  assertAllAgree(): void {
    const [worst] = this.#seen.toSorted((one, other) => one.p - other.p)
    const farthest = Math.max(...this.#seen.map(({ totalVariation }) => totalVariation))
    console.info(
      `${this.#seen.length} comparisons: smallest p ${worst?.p.toExponential(1)} (${worst?.name}), largest total variation ${farthest.toFixed(3)}`,
    )
    expect(this.#seen.filter(({ p }) => p < SIGNIFICANCE / this.#seen.length)).toEqual([])
  }
}
