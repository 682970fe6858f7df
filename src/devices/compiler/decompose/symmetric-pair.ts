/** Sweeps until the method has converged, with a wide margin: it converges quadratically. */
const MAX_SWEEPS = 60
const CONVERGED = 1e-30
/** Square of the off-diagonal elements that count as zero, of matrices with elements up to 1. */
const NEGLIGIBLE = 1e-30
const SIZE = 4

/**
 * The rotation whose columns diagonalize two real symmetric 4 × 4 matrices that commute, also where either
 * has equal eigenvalues: Jacobi rotations that reduce the off-diagonal elements of both together (Cardoso
 * and Souloumiac, SIAM J. Matrix Anal. Appl. 17, 161 (1996)).
 * @param one row-major; changed to its diagonal form
 * @param other row-major; changed to its diagonal form
 */
export function diagonalizeTogether(one: Float64Array, other: Float64Array): Float64Array {
  const vectors = new Float64Array(SIZE * SIZE)
  for (let index = 0; index < SIZE; index++) vectors[index * (SIZE + 1)] = 1
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let moved = 0
    for (let p = 0; p < SIZE; p++) {
      for (let q = p + 1; q < SIZE; q++) moved += rotatePair(one, other, vectors, p, q)
    }
    if (moved < CONVERGED) break
  }
  return vectors
}

/** Rotates the basis vectors p and q; returns the square of the sine of the angle. */
function rotatePair(
  one: Float64Array,
  other: Float64Array,
  vectors: Float64Array,
  p: number,
  q: number,
): number {
  let difference = 0
  let mixed = 0
  let left = 0
  for (const matrix of [one, other]) {
    const apart = (matrix[p * (SIZE + 1)] ?? 0) - (matrix[q * (SIZE + 1)] ?? 0)
    const off = 2 * (matrix[p * SIZE + q] ?? 0)
    difference += apart * apart - off * off
    mixed += 2 * apart * off
    left += off * off
  }
  // Rounding is all that is left, and its direction means nothing.
  if (left < NEGLIGIBLE) return 0
  const angle = Math.atan2(mixed, difference) / 4
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  for (const matrix of [one, other]) {
    mixRows(matrix, p, q, cos, sin)
    mixColumns(matrix, p, q, cos, sin)
  }
  mixColumns(vectors, p, q, cos, sin)
  return sin * sin
}

function mixColumns(matrix: Float64Array, p: number, q: number, cos: number, sin: number): void {
  for (let row = 0; row < SIZE; row++) {
    const first = matrix[row * SIZE + p] ?? 0
    const second = matrix[row * SIZE + q] ?? 0
    matrix[row * SIZE + p] = cos * first + sin * second
    matrix[row * SIZE + q] = cos * second - sin * first
  }
}

function mixRows(matrix: Float64Array, p: number, q: number, cos: number, sin: number): void {
  for (let column = 0; column < SIZE; column++) {
    const first = matrix[p * SIZE + column] ?? 0
    const second = matrix[q * SIZE + column] ?? 0
    matrix[p * SIZE + column] = cos * first + sin * second
    matrix[q * SIZE + column] = cos * second - sin * first
  }
}
