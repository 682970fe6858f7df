/**
 * Square complex matrices as one array: row by row, real and imaginary parts alternating. Dimension 3 is a
 * transmon with its levels 0, 1 and 2; dimension 9 is a pair of them, level `3a + b`.
 */
export type Matrix = Float64Array

export const LEVELS = 3

/** The identity of dimension `n`. */
export function identity(n: number): Matrix {
  const matrix = new Float64Array(2 * n * n)
  for (let k = 0; k < n; k++) matrix[2 * (k * n + k)] = 1
  return matrix
}

/** out = a · b, which must not share memory with out. */
export function multiply(n: number, a: Matrix, b: Matrix, out: Matrix): void {
  product(n, a, b, out, n, 1, 1)
}

/** out = a · b†, which must not share memory with out. */
export function multiplyByAdjoint(n: number, a: Matrix, b: Matrix, out: Matrix): void {
  product(n, a, b, out, 1, n, -1)
}

/** Sums over elements of b that are `step` apart, from one that is `next` apart for the next column. */
function product(
  n: number,
  a: Matrix,
  b: Matrix,
  out: Matrix,
  step: number,
  next: number,
  sign: 1 | -1,
): void {
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < n; column++) {
      let re = 0
      let im = 0
      for (let k = 0; k < n; k++) {
        const left = 2 * (row * n + k)
        const right = 2 * (k * step + column * next)
        const ar = a[left] as number
        const ai = a[left + 1] as number
        const br = b[right] as number
        const bi = sign * (b[right + 1] as number)
        re += ar * br - ai * bi
        im += ar * bi + ai * br
      }
      const place = 2 * (row * n + column)
      out[place] = re
      out[place + 1] = im
    }
  }
}

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
    multiply(n, generator, sum, other)
    for (let k = 0; k < other.length; k++) other[k] = (other[k] as number) / order
    for (let k = 0; k < n; k++) other[2 * (k * n + k)] = (other[2 * (k * n + k)] as number) + 1
    const swap = sum
    sum = other
    other = swap
  }
  for (let k = 0; k < squarings; k++) {
    multiply(n, sum, sum, other)
    const swap = sum
    sum = other
    other = swap
  }
  return sum
}
