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
