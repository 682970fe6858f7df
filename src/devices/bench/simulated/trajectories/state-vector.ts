import type { Matrix } from '../../../../qasm/index.ts'
import { LEVELS, mix, turn } from '../dynamics/matrix.ts'

/**
 * The amplitudes of some transmons of three levels; the first has the slowest index. Losses shrink the norm:
 * only ratios of populations count. A transmon whose level is known may stand aside, without amplitudes of
 * its own.
 */
export class StateVector {
  /** Real and imaginary parts alternate. */
  #amplitudes: Float64Array
  /** Place for all transmons together. */
  readonly #all: Float64Array
  /** Distance of the levels of each transmon, as places of `#amplitudes`; 0 for one that stands aside. */
  readonly #strides: number[]
  /** Levels of those that stand aside. */
  readonly #levels: Uint8Array

  constructor(transmons: number) {
    this.#all = new Float64Array(2 * LEVELS ** transmons)
    this.#amplitudes = this.#all
    this.#strides = Array.from({ length: transmons }, () => 0)
    this.#levels = new Uint8Array(transmons)
    this.set([])
  }

  /** Every transmon in a level. */
  set(levels: ArrayLike<number>): void {
    this.setAside(levels)
    for (let which = this.#strides.length - 1; which >= 0; which--) this.join(which)
  }

  /** Every transmon in a level, and aside. */
  setAside(levels: ArrayLike<number>): void {
    this.#strides.fill(0)
    this.#amplitudes = this.#all.subarray(0, 2)
    this.#amplitudes.set(ONE)
    for (let which = 0; which < this.#levels.length; which++) this.#levels[which] = levels[which] ?? 0
  }

  copy(other: StateVector): void {
    this.#amplitudes = this.#all.subarray(0, other.#amplitudes.length)
    this.#amplitudes.set(other.#amplitudes)
    this.#levels.set(other.#levels)
    for (let which = 0; which < this.#strides.length; which++)
      this.#strides[which] = other.#strides[which] as number
  }

  /** Gives amplitudes to a transmon that stands aside; its index becomes the slowest. */
  join(which: number): void {
    const { length } = this.#amplitudes
    const start = length * (this.#levels[which] as number)
    this.#amplitudes = this.#all.subarray(0, LEVELS * length)
    this.#amplitudes.copyWithin(start, 0, length)
    this.#amplitudes.fill(0, 0, start)
    this.#amplitudes.fill(0, start + length)
    this.#strides[which] = length
  }

  /** Leaves a transmon aside in a level of this population, and restores the norm. */
  leave(which: number, level: number, population: number): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] as number
    const factor = 1 / Math.sqrt(population)
    let to = 0
    for (let from = level * stride; from < amplitudes.length; from += LEVELS * stride) {
      for (let place = from; place < from + stride; place++)
        amplitudes[to++] = factor * (amplitudes[place] as number)
    }
    this.#amplitudes = this.#all.subarray(0, to)
    this.#levels[which] = level
    this.#strides[which] = 0
    for (let other = 0; other < this.#strides.length; other++)
      if ((this.#strides[other] as number) > stride)
        this.#strides[other] = (this.#strides[other] as number) / LEVELS
  }

  /** How many amplitudes there are. */
  get size(): number {
    return this.#amplitudes.length / 2
  }

  /** The level of a transmon that stands aside. */
  levelAside(which: number): number | undefined {
    return this.#strides[which] === 0 ? this.#levels[which] : undefined
  }

  /** Multiplies by a matrix on one transmon. */
  applyToOne(which: number, matrix: Matrix): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] ?? 0
    // Entries of the matrix by row and column, outside of the loop: most of the time of a shot is spent here.
    const a00 = matrix[0] as number
    const b00 = matrix[1] as number
    const a01 = matrix[2] as number
    const b01 = matrix[3] as number
    const a02 = matrix[4] as number
    const b02 = matrix[5] as number
    const a10 = matrix[6] as number
    const b10 = matrix[7] as number
    const a11 = matrix[8] as number
    const b11 = matrix[9] as number
    const a12 = matrix[10] as number
    const b12 = matrix[11] as number
    const a20 = matrix[12] as number
    const b20 = matrix[13] as number
    const a21 = matrix[14] as number
    const b21 = matrix[15] as number
    const a22 = matrix[16] as number
    const b22 = matrix[17] as number
    for (let base = 0; base < amplitudes.length; base += LEVELS * stride) {
      for (let zero = base; zero < base + stride; zero += 2) {
        const one = zero + stride
        const two = one + stride
        const r0 = amplitudes[zero] as number
        const i0 = amplitudes[zero + 1] as number
        const r1 = amplitudes[one] as number
        const i1 = amplitudes[one + 1] as number
        const r2 = amplitudes[two] as number
        const i2 = amplitudes[two + 1] as number
        amplitudes[zero] = a00 * r0 - b00 * i0 + a01 * r1 - b01 * i1 + a02 * r2 - b02 * i2
        amplitudes[zero + 1] = a00 * i0 + b00 * r0 + a01 * i1 + b01 * r1 + a02 * i2 + b02 * r2
        amplitudes[one] = a10 * r0 - b10 * i0 + a11 * r1 - b11 * i1 + a12 * r2 - b12 * i2
        amplitudes[one + 1] = a10 * i0 + b10 * r0 + a11 * i1 + b11 * r1 + a12 * i2 + b12 * r2
        amplitudes[two] = a20 * r0 - b20 * i0 + a21 * r1 - b21 * i1 + a22 * r2 - b22 * i2
        amplitudes[two + 1] = a20 * i0 + b20 * r0 + a21 * i1 + b21 * r1 + a22 * i2 + b22 * r2
      }
    }
  }

  /**
   * Multiplies by factors of the levels `3a + b` of two transmons, that of higher frequency first, but for
   * |11⟩ and |20⟩, which a block mixes.
   */
  applyPair(high: number, low: number, factors: Float64Array, block: Float64Array): void {
    const amplitudes = this.#amplitudes
    const [a, b] = [this.#strides[high] ?? 0, this.#strides[low] ?? 0]
    const [large, small] = a > b ? [a, b] : [b, a]
    for (let outer = 0; outer < amplitudes.length; outer += LEVELS * large) {
      for (let middle = outer; middle < outer + large; middle += LEVELS * small) {
        for (let ground = middle; ground < middle + small; ground += 2) {
          turn(amplitudes, ground, factors[0] as number, factors[1] as number)
          turn(amplitudes, ground + b, factors[2] as number, factors[3] as number)
          turn(amplitudes, ground + 2 * b, factors[4] as number, factors[5] as number)
          turn(amplitudes, ground + a, factors[6] as number, factors[7] as number)
          turn(amplitudes, ground + a + 2 * b, factors[10] as number, factors[11] as number)
          turn(amplitudes, ground + 2 * a + b, factors[14] as number, factors[15] as number)
          turn(amplitudes, ground + 2 * a + 2 * b, factors[16] as number, factors[17] as number)
          mix(amplitudes, block, ground + a + b, ground + 2 * a, 1)
        }
      }
    }
  }

  /** Turns the levels of two transmons by an angle (rad) times the product of their numbers. */
  turnProducts(one: number, other: number, angle: number): void {
    const amplitudes = this.#amplitudes
    const [a, b] = [this.#strides[one] ?? 0, this.#strides[other] ?? 0]
    const [large, small] = a > b ? [a, b] : [b, a]
    const [re, im] = [Math.cos(angle), Math.sin(angle)]
    const [re2, im2] = [re * re - im * im, 2 * re * im]
    const [re4, im4] = [re2 * re2 - im2 * im2, 2 * re2 * im2]
    for (let outer = 0; outer < amplitudes.length; outer += LEVELS * large) {
      for (let middle = outer; middle < outer + large; middle += LEVELS * small) {
        for (let ground = middle; ground < middle + small; ground += 2) {
          turn(amplitudes, ground + a + b, re, im)
          turn(amplitudes, ground + 2 * a + b, re2, im2)
          turn(amplitudes, ground + a + 2 * b, re2, im2)
          turn(amplitudes, ground + 2 * a + 2 * b, re4, im4)
        }
      }
    }
  }

  /** Writes the populations of the levels of one transmon, up to the norm of the state. */
  populationsOf(which: number, out: Float64Array): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] ?? 0
    out.fill(0)
    for (let start = 0; start < amplitudes.length; start += stride) {
      let sum = 0
      for (let place = start; place < start + stride; place++) sum += (amplitudes[place] as number) ** 2
      const level = (start / stride) % LEVELS
      out[level] = (out[level] as number) + sum
    }
  }

  /**
   * Draws the levels of all transmons, as the number whose ternary digits they are, that of the first
   * transmon in front.
   * @param draws between 0 and 1, ascending
   */
  sample(draws: Float64Array): Uint32Array {
    const amplitudes = this.#amplitudes
    let norm = 0
    for (let place = 0; place < amplitudes.length; place++) norm += (amplitudes[place] as number) ** 2
    const found = new Uint32Array(draws.length)
    let sum = 0
    let next = 0
    let last = 0
    for (let place = 0; place < amplitudes.length && next < draws.length; place += 2) {
      const population = (amplitudes[place] as number) ** 2 + (amplitudes[place + 1] as number) ** 2
      if (population === 0) continue
      sum += population
      last = place / 2
      while (next < draws.length && (draws[next] as number) * norm < sum) found[next++] = last
    }
    // What rounding leaves of the draws.
    return found.fill(last, next)
  }

  /** Projects one transmon on a level of this population, moves it to another, and restores the norm. */
  project(which: number, from: number, to: number, population: number): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] ?? 0
    const factor = 1 / Math.sqrt(population)
    for (let base = 0; base < amplitudes.length; base += LEVELS * stride) {
      for (let place = base; place < base + stride; place++) {
        const kept = factor * (amplitudes[place + from * stride] as number)
        for (let level = 0; level < LEVELS; level++)
          amplitudes[place + level * stride] = level === to ? kept : 0
      }
    }
  }
}

const ONE = Float64Array.of(1, 0)
