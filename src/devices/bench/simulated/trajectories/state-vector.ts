import type { ExchangeKick } from '../dynamics/exchange.ts'
import { LEVELS, type Matrix } from '../dynamics/matrix.ts'

const [LEVEL_11, LEVEL_20] = [4, 6]
/** Levels of a pair: `3a + b`. */
const PAIR_LEVELS = 9

/**
 * The amplitudes of some transmons of three levels; the first has the slowest index. Losses shrink the norm:
 * only ratios of populations count.
 */
export class StateVector {
  /** Real and imaginary parts alternate. */
  readonly #amplitudes: Float64Array
  /** Distance of the levels of each transmon, as places of `#amplitudes`. */
  readonly #strides: readonly number[]

  constructor(transmons: number) {
    this.#amplitudes = new Float64Array(2 * LEVELS ** transmons)
    this.#strides = Array.from({ length: transmons }, (_, which) => 2 * LEVELS ** (transmons - 1 - which))
  }

  /** Every transmon in a level. */
  set(levels: ArrayLike<number>): void {
    this.#amplitudes.fill(0)
    const place = this.#strides.reduce((sum, stride, which) => sum + stride * (levels[which] ?? 0), 0)
    this.#amplitudes[place] = 1
  }

  /** Multiplies by a matrix on one transmon. */
  applyToOne(which: number, matrix: Matrix): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] ?? 0
    for (let base = 0; base < amplitudes.length; base += LEVELS * stride) {
      for (let place = base; place < base + stride; place += 2)
        multiplyThree(amplitudes, matrix, place, stride)
    }
  }

  /** Multiplies by factors of the levels of one transmon. */
  scaleLevels(which: number, factors: Float64Array): void {
    const amplitudes = this.#amplitudes
    const stride = this.#strides[which] ?? 0
    for (let start = 0; start < amplitudes.length; start += stride) {
      const level = (start / stride) % LEVELS
      const re = factors[2 * level] as number
      const im = factors[2 * level + 1] as number
      for (let place = start; place < start + stride; place += 2) turn(amplitudes, place, re, im)
    }
  }

  /** Multiplies by the effect of a coupler pulse on two transmons, that of higher frequency first. */
  applyExchange(high: number, low: number, { factors, block }: ExchangeKick): void {
    const [a, b] = [this.#strides[high] ?? 0, this.#strides[low] ?? 0]
    this.#eachGround(a, b, (ground) => {
      for (let level = 0; level < PAIR_LEVELS; level++) {
        const place = ground + Math.floor(level / LEVELS) * a + (level % LEVELS) * b
        if (level === LEVEL_11 || level === LEVEL_20) continue
        turn(this.#amplitudes, place, factors[2 * level] as number, factors[2 * level + 1] as number)
      }
      multiplyTwo(this.#amplitudes, block, ground + a + b, ground + 2 * a)
    })
  }

  /** Turns the levels of two transmons by an angle (rad) times the product of their numbers. */
  turnProducts(one: number, other: number, angle: number): void {
    const [a, b] = [this.#strides[one] ?? 0, this.#strides[other] ?? 0]
    const [re, im] = [Math.cos(angle), Math.sin(angle)]
    const [re2, im2] = [Math.cos(2 * angle), Math.sin(2 * angle)]
    const [re4, im4] = [Math.cos(4 * angle), Math.sin(4 * angle)]
    this.#eachGround(a, b, (ground) => {
      turn(this.#amplitudes, ground + a + b, re, im)
      turn(this.#amplitudes, ground + 2 * a + b, re2, im2)
      turn(this.#amplitudes, ground + a + 2 * b, re2, im2)
      turn(this.#amplitudes, ground + 2 * a + 2 * b, re4, im4)
    })
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

  /** Calls with every place at which two transmons are in 0. */
  #eachGround(a: number, b: number, each: (ground: number) => void): void {
    const [large, small] = [Math.max(a, b), Math.min(a, b)]
    for (let outer = 0; outer < this.#amplitudes.length; outer += LEVELS * large) {
      for (let middle = outer; middle < outer + large; middle += LEVELS * small) {
        for (let ground = middle; ground < middle + small; ground += 2) each(ground)
      }
    }
  }
}

function turn(amplitudes: Float64Array, place: number, re: number, im: number): void {
  const a = amplitudes[place] as number
  const b = amplitudes[place + 1] as number
  amplitudes[place] = a * re - b * im
  amplitudes[place + 1] = a * im + b * re
}

function multiplyThree(amplitudes: Float64Array, matrix: Matrix, place: number, stride: number): void {
  const r0 = amplitudes[place] as number
  const i0 = amplitudes[place + 1] as number
  const r1 = amplitudes[place + stride] as number
  const i1 = amplitudes[place + stride + 1] as number
  const r2 = amplitudes[place + 2 * stride] as number
  const i2 = amplitudes[place + 2 * stride + 1] as number
  for (let row = 0; row < LEVELS; row++) {
    const k = 2 * row * LEVELS
    const a0 = matrix[k] as number
    const b0 = matrix[k + 1] as number
    const a1 = matrix[k + 2] as number
    const b1 = matrix[k + 3] as number
    const a2 = matrix[k + 4] as number
    const b2 = matrix[k + 5] as number
    amplitudes[place + row * stride] = a0 * r0 - b0 * i0 + a1 * r1 - b1 * i1 + a2 * r2 - b2 * i2
    amplitudes[place + row * stride + 1] = a0 * i0 + b0 * r0 + a1 * i1 + b1 * r1 + a2 * i2 + b2 * r2
  }
}

function multiplyTwo(amplitudes: Float64Array, block: Float64Array, first: number, second: number): void {
  const r0 = amplitudes[first] as number
  const i0 = amplitudes[first + 1] as number
  const r1 = amplitudes[second] as number
  const i1 = amplitudes[second + 1] as number
  for (let row = 0; row < 2; row++) {
    const k = 4 * row
    const a0 = block[k] as number
    const b0 = block[k + 1] as number
    const a1 = block[k + 2] as number
    const b1 = block[k + 3] as number
    const place = row === 0 ? first : second
    amplitudes[place] = a0 * r0 - b0 * i0 + a1 * r1 - b1 * i1
    amplitudes[place + 1] = a0 * i0 + b0 * r0 + a1 * i1 + b1 * r1
  }
}
