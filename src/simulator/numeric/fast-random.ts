import type { Rng } from './random.ts'

/** Draws of many bits, from a seed that a counter-based generator gives. */
export interface FastRandom {
  /** 32 random bits, as a signed integer. */
  word(): number
  /** Uniform in [0, 1), with 32 random bits. */
  next(): number
}

/**
 * xoshiro128** (Blackman and Vigna: "Scrambled linear pseudorandom number generators", ACM Trans. Math.
 * Softw. 47, 36, 2021): a twentieth of the time of `Rng`, without its sub-streams.
 */
export function createFastRandom(seed: Rng): FastRandom {
  const draw = () => Math.floor(seed.next() * 2 ** 32) | 0
  // A state of zeros would stay so.
  let [a, b, c, d] = [draw(), draw(), draw(), draw() | 1]
  const word = () => {
    const scaled = Math.imul(b, 5)
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }
  return { word, next: () => (word() >>> 0) / 2 ** 32 }
}

/** 1 / log(1 - `probability`), for `gapOf`. */
export function gapFactor(probability: number): number {
  return probability < 1 ? 1 / Math.log1p(-probability) : 0
}

/** How many trials go by before one of a rare event: a draw of the geometric distribution. */
export function gapOf(random: FastRandom, factor: number): number {
  return Math.floor(Math.log(1 - random.next()) * factor)
}
