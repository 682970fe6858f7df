import { createRng, type Rng } from '../../../simulator/index.ts'

/** Purposes of random numbers; numbers of different purposes are independent. */
export const DRAW = { truth: 0, drift: 1, levels: 2, jumps: 3, noise: 4, redraw: 5, courses: 6 } as const

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** A hash of names and numbers, by FNV-1a with a final mix; the same on every platform. */
export class ContentHash {
  #state = FNV_OFFSET

  add(value: string | number): this {
    if (typeof value === 'number') {
      double[0] = value === 0 ? 0 : value
      this.#mix(words[0] ?? 0)
      this.#mix(words[1] ?? 0)
    } else {
      for (let k = 0; k < value.length; k++) this.#mix(value.charCodeAt(k))
      this.#mix(value.length)
    }
    return this
  }

  /** An unsigned integer of 32 bits. */
  value(): number {
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }

  #mix(word: number): void {
    const state = Math.imul(this.#state ^ word, FNV_PRIME)
    this.#state = state ^ (state >>> 15)
  }
}

/** The hash of a few names and numbers. */
export function hashOf(...values: (string | number)[]): number {
  const hash = new ContentHash()
  for (const value of values) hash.add(value)
  return hash.value()
}

/** Random numbers that depend only on a seed and on what they are for. */
export class Draws {
  readonly #seed: number
  readonly #rng: Rng

  constructor(seed: number) {
    this.#seed = seed
    this.#rng = createRng(seed)
  }

  /** The numbers of one purpose, from the first one on. */
  at(purpose: number, ...content: (string | number)[]): Rng {
    this.#rng.seek(hashOf(...content), hashOf('second', ...content), purpose)
    return this.#rng
  }

  /** The numbers of one purpose, for work in which others draw theirs meanwhile. */
  lasting(purpose: number, ...content: (string | number)[]): Rng {
    const rng = createRng(this.#seed)
    rng.seek(hashOf(...content), hashOf('second', ...content), purpose)
    return rng
  }

  /** Uniform between two values. */
  between(low: number, high: number, ...content: (string | number)[]): number {
    return low + (high - low) * this.at(DRAW.truth, ...content).next()
  }
}
