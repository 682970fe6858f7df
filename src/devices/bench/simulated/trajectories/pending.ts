import { type Matrix, multiplyInto } from '../../../../qasm/index.ts'
import type { ExchangeKick } from '../dynamics/exchange.ts'
import { LEVELS, turn } from '../dynamics/matrix.ts'
import type { StateVector } from './state-vector.ts'

/** Places of |11⟩ and |20⟩ among the levels `3a + b` of a pair. */
const [LEVEL_11, LEVEL_20] = [4, 6]
const PAIR_LEVELS = LEVELS * LEVELS

/** What happened to a transmon since its amplitudes were moved last: one matrix for any number of pulses. */
export class PendingTurn {
  readonly #which: number
  #matrix: Matrix = new Float64Array(2 * LEVELS * LEVELS)
  #scratch: Matrix = new Float64Array(2 * LEVELS * LEVELS)
  readonly #scaled: Matrix = new Float64Array(2 * LEVELS * LEVELS)
  #isEmpty = true

  constructor(which: number) {
    this.#which = which
  }

  /** Adds factors of the levels, then a matrix. */
  add(factors: Float64Array, unitary: Matrix): void {
    scaleColumns(unitary, factors, this.#scaled)
    this.push(this.#scaled)
  }

  /** Adds a matrix. */
  push(matrix: Matrix): void {
    if (this.#isEmpty) {
      this.#matrix.set(matrix)
      this.#isEmpty = false
      return
    }
    multiplyInto(LEVELS, matrix, this.#matrix, this.#scratch)
    const last = this.#matrix
    this.#matrix = this.#scratch
    this.#scratch = last
  }

  /** Adds a turn of each level by an angle, rad, times its number. */
  turn(angle: number): void {
    if (angle === 0) return
    const factors = Float64Array.of(
      1,
      0,
      Math.cos(angle),
      Math.sin(angle),
      Math.cos(2 * angle),
      Math.sin(2 * angle),
    )
    this.add(factors, IDENTITY)
  }

  /** Moves the amplitudes. */
  apply(state: StateVector): void {
    if (this.#isEmpty) return
    state.applyToOne(this.#which, this.#matrix)
    this.#isEmpty = true
  }

  clear(): void {
    this.#isEmpty = true
  }

  copy(other: PendingTurn): void {
    this.#isEmpty = other.#isEmpty
    if (!other.#isEmpty) this.#matrix.set(other.#matrix)
  }
}

/** Nothing happens to a transmon. */
export const IDENTITY: Matrix = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0)

/** What moves the amplitudes of a pair: factors of its levels, and a block of |11⟩ and |20⟩. */
export interface PairOperator {
  readonly factors: Float64Array
  readonly block: Float64Array
}

/** The stretches of a pulse of a coupler, and the damping between them, as one operator of its pair. */
export class PendingExchange {
  readonly #factors = new Float64Array(2 * PAIR_LEVELS)
  readonly #block = new Float64Array(8)
  readonly #scratch = new Float64Array(8)

  constructor() {
    this.clear()
  }

  clear(): void {
    for (let level = 0; level < PAIR_LEVELS; level++) {
      this.#factors[2 * level] = 1
      this.#factors[2 * level + 1] = 0
    }
    this.#block.fill(0)
    this.#block[0] = 1
    this.#block[6] = 1
  }

  /** Adds factors of the levels of both, and their interaction, rad per product of their numbers. */
  scale(high: Float64Array, low: Float64Array, angle: number): void {
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    for (let upper = 0; upper < LEVELS; upper++) {
      // The power of the turn that belongs to the product of both numbers.
      let re = high[2 * upper] as number
      let im = high[2 * upper + 1] as number
      for (let lower = 0; lower < LEVELS; lower++) {
        const br = low[2 * lower] as number
        const bi = low[2 * lower + 1] as number
        this.#turn(LEVELS * upper + lower, re * br - im * bi, re * bi + im * br)
        for (let step = 0; step < upper; step++) {
          const next = re * cos - im * sin
          im = re * sin + im * cos
          re = next
        }
      }
    }
  }

  /** Adds a stretch. */
  add({ factors, block }: ExchangeKick): void {
    for (let level = 0; level < PAIR_LEVELS; level++) {
      if (level === LEVEL_11 || level === LEVEL_20) continue
      turn(this.#factors, 2 * level, factors[2 * level] as number, factors[2 * level + 1] as number)
    }
    multiplyBlock(block, this.#block, this.#scratch)
    this.#block.set(this.#scratch)
  }

  /** Moves the amplitudes of a pair, that of higher frequency first. */
  apply(state: StateVector, high: number, low: number): void {
    state.applyPair(high, low, this.#factors, this.#block)
    this.clear()
  }

  /** What was added, which then is cleared. */
  take(): PairOperator {
    const operator = { factors: this.#factors.slice(), block: this.#block.slice() }
    this.clear()
    return operator
  }

  #turn(level: number, re: number, im: number): void {
    if (level !== LEVEL_11 && level !== LEVEL_20) {
      turn(this.#factors, 2 * level, re, im)
      return
    }
    const row = level === LEVEL_11 ? 0 : 4
    turn(this.#block, row, re, im)
    turn(this.#block, row + 2, re, im)
  }
}

/** out = left · right of two rows and columns, real and imaginary parts alternating. */
function multiplyBlock(left: Float64Array, right: Float64Array, out: Float64Array): void {
  for (let row = 0; row < 8; row += 4) {
    for (let column = 0; column < 4; column += 2) {
      const a = left[row] as number
      const b = left[row + 1] as number
      const c = left[row + 2] as number
      const d = left[row + 3] as number
      const e = right[column] as number
      const f = right[column + 1] as number
      const g = right[4 + column] as number
      const h = right[5 + column] as number
      out[row + column] = a * e - b * f + c * g - d * h
      out[row + column + 1] = a * f + b * e + c * h + d * g
    }
  }
}

/** out = matrix · diag(factors). */
export function scaleColumns(matrix: Matrix, factors: Float64Array, out: Matrix): void {
  for (let k = 0; k < LEVELS * LEVELS; k++) {
    const level = k % LEVELS
    const re = factors[2 * level] as number
    const im = factors[2 * level + 1] as number
    const a = matrix[2 * k] as number
    const b = matrix[2 * k + 1] as number
    out[2 * k] = a * re - b * im
    out[2 * k + 1] = a * im + b * re
  }
}
