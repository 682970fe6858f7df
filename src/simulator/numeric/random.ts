import { randomBytes } from '../../base/index.ts'

const MULTIPLIER_A = 0xd2511f53
const MULTIPLIER_B = 0xcd9e8d57
const WEYL_A = 0x9e3779b9
const WEYL_B = 0xbb67ae85
const ROUNDS = 10

/** Upper 32 bits of the 64-bit product of two unsigned 32-bit integers. */
function multiplyHigh(a: number, b: number): number {
  // Products with 16 bits stay below 2^53, so dividing instead of shifting keeps every bit.
  const low = Math.floor((a * (b & 0xffff)) / 65_536)
  return Math.floor((a * (b >>> 16) + low) / 65_536)
}

/**
 * Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
 * SC11): encrypts a 128-bit counter with a 64-bit key. `out` receives four unsigned 32-bit words.
 */
export function philox(counter: Uint32Array, keyA: number, keyB: number, out: Uint32Array): void {
  // Indexed access: array destructuring makes this several times slower.
  let c0 = counter[0] ?? 0
  let c1 = counter[1] ?? 0
  let c2 = counter[2] ?? 0
  let c3 = counter[3] ?? 0
  let a = keyA
  let b = keyB
  for (let round = 0; round < ROUNDS; round++) {
    const highA = multiplyHigh(MULTIPLIER_A, c0)
    const lowA = Math.imul(MULTIPLIER_A, c0)
    const highB = multiplyHigh(MULTIPLIER_B, c2)
    const lowB = Math.imul(MULTIPLIER_B, c2)
    c0 = (highB ^ c1 ^ a) >>> 0
    c1 = lowB >>> 0
    c2 = (highA ^ c3 ^ b) >>> 0
    c3 = lowA >>> 0
    a = (a + WEYL_A) >>> 0
    b = (b + WEYL_B) >>> 0
  }
  out[0] = c0
  out[1] = c1
  out[2] = c2
  out[3] = c3
}

/** Purposes of draws: draws of one shot for different purposes are independent. */
export const PURPOSE = { measurement: 0, readout: 1, signal: 2, noise: 3 } as const

/** A stream of random numbers that depends on its key only: the same on every platform. */
export interface Rng {
  /** The seed in two unsigned 32-bit integers, for code that generates the same numbers itself. */
  readonly key: readonly [number, number]
  /** Uniform in [0, 1) with 53 random bits. */
  next(): number
  /** Normally distributed with mean 0 and standard deviation 1. */
  normal(): number
  /**
   * Moves to block `block` (two uniform draws each) of sub-stream `(stream, index, purpose)`; all of them are
   * unsigned 32-bit integers.
   */
  seek(stream: number, index: number, purpose?: number, block?: number): void
}

/**
 * A counter-based generator: draws depend only on `seed` (an integer from 0 to 2^53 - 1), the sub-stream and
 * the number of draws in it. Simulators use the circuit as stream and the shot as index, so that a shot draws
 * the same numbers on whichever thread and in whatever order shots run.
 */
export function createRng(seed: number): Rng {
  const keyA = seed >>> 0
  const keyB = Math.floor(seed / 2 ** 32) >>> 0
  const counter = new Uint32Array(4)
  const words = new Uint32Array(4)
  let unused = 0

  function next(): number {
    if (unused === 0) {
      philox(counter, keyA, keyB, words)
      counter[0] = (counter[0] ?? 0) + 1
      unused = 2
    }
    unused--
    const high = words[2 * unused] ?? 0
    const low = words[2 * unused + 1] ?? 0
    return ((high >>> 5) * 67_108_864 + (low >>> 6)) / 9_007_199_254_740_992
  }

  return {
    key: [keyA, keyB],
    next,
    // Box-Muller; 1 - u lies in (0, 1], so the logarithm is finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    seek(stream, index, purpose = 0, block = 0) {
      counter[0] = block
      counter[1] = purpose
      counter[2] = index
      counter[3] = stream
      unused = 0
    },
  }
}

/** A fresh seed: an integer from 0 to 2^53 - 1. */
export function newSeed(): number {
  const [a = 0, b = 0] = new Uint32Array(randomBytes(8).buffer)
  return (a & 0x1fffff) * 2 ** 32 + b
}
