import { randomFraction } from '../../base/index.ts'

/** Pauses that double from `firstMs` to `longestMs`. */
export class Backoff {
  readonly #firstMs: number
  readonly #longestMs: number
  readonly #random: () => number
  #count = 0

  /** `random` (0 ≤ x < 1) spreads each pause over its upper half; `() => 1` keeps pauses exact. */
  constructor(firstMs: number, longestMs: number, random: () => number = randomFraction) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#random = random
  }

  /** The next pause in ms. */
  next(): number {
    // 2^30 first pauses exceed every limit; more would overflow to Infinity.
    const cap = Math.min(this.#firstMs * 2 ** Math.min(this.#count, 30), this.#longestMs)
    this.#count += 1
    return cap / 2 + (this.#random() * cap) / 2
  }

  /** Starts again with the first pause. */
  reset(): void {
    this.#count = 0
  }
}
