import { identity, type Matrix, multiplyInto } from '../../../../qasm/index.ts'

/** Dimension 3 is a transmon with its levels 0, 1 and 2; dimension 9 is a pair of them, level `3a + b`. */
export const LEVELS = 3

const TAYLOR_ORDER = 10
/** Largest norm at which the series of this order is exact to 1e-12. */
const TAYLOR_NORM = 0.4

/**
 * exp(−2πi · h · dt) of a Hermitian matrix, by scaling and squaring of the Taylor series (Moler and Van Loan,
 * SIAM Review 45, 3, 2003).
 * @param h Hz
 * @param dt s
 */
export function propagator(n: number, h: Matrix, dt: number): Matrix {
  const angle = 2 * Math.PI * dt
  let norm = 0
  for (let row = 0; row < n; row++) {
    let sum = 0
    for (let k = 2 * row * n; k < 2 * (row + 1) * n; k++) sum += Math.abs(h[k] as number)
    norm = Math.max(norm, sum * angle)
  }
  const squarings = norm > TAYLOR_NORM ? Math.ceil(Math.log2(norm / TAYLOR_NORM)) : 0
  const scale = angle / 2 ** squarings
  const generator = new Float64Array(h.length)
  for (let k = 0; k < h.length; k += 2) {
    generator[k] = scale * (h[k + 1] as number)
    generator[k + 1] = -scale * (h[k] as number)
  }
  let sum = identity(n)
  let other: Matrix = new Float64Array(h.length)
  // Horner's scheme: 1 + X(1 + X/2(1 + X/3(…))).
  for (let order = TAYLOR_ORDER; order >= 1; order--) {
    multiplyInto(n, generator, sum, other)
    for (let k = 0; k < other.length; k++) other[k] = (other[k] as number) / order
    for (let k = 0; k < n; k++) other[2 * (k * n + k)] = (other[2 * (k * n + k)] as number) + 1
    const swap = sum
    sum = other
    other = swap
  }
  for (let k = 0; k < squarings; k++) {
    multiplyInto(n, sum, sum, other)
    const swap = sum
    sum = other
    other = swap
  }
  return sum
}

/** Multiplies the complex number at a place by `re + i · im`. */
export function turn(numbers: Matrix, place: number, re: number, im: number): void {
  const a = numbers[place] as number
  const b = numbers[place + 1] as number
  numbers[place] = a * re - b * im
  numbers[place + 1] = a * im + b * re
}

/** Multiplies two complex numbers by a block, or by its complex conjugate where `sign` is −1. */
export function mix(numbers: Matrix, block: Float64Array, first: number, second: number, sign: 1 | -1): void {
  const r0 = numbers[first] as number
  const i0 = numbers[first + 1] as number
  const r1 = numbers[second] as number
  const i1 = numbers[second + 1] as number
  for (let row = 0; row < 2; row++) {
    const k = 4 * row
    const a0 = block[k] as number
    const b0 = sign * (block[k + 1] as number)
    const a1 = block[k + 2] as number
    const b1 = sign * (block[k + 3] as number)
    const place = row === 0 ? first : second
    numbers[place] = a0 * r0 - b0 * i0 + a1 * r1 - b1 * i1
    numbers[place + 1] = a0 * i0 + b0 * r0 + a1 * i1 + b1 * r1
  }
}
