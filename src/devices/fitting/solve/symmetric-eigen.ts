/** Sweeps over all pairs of rows; the method converges quadratically and needs about 8. */
const MAX_SWEEPS = 30

/**
 * Eigenvalues and eigenvectors of a real symmetric matrix (row-major, size × size) by the method of Jacobi
 * (G. Golub and C. Van Loan, Matrix Computations, 8.5). Column k of `vectors` belongs to `values[k]`.
 */
export function symmetricEigen(
  matrix: Float64Array,
  size: number,
): { values: Float64Array; vectors: Float64Array } {
  const a = Float64Array.from(matrix)
  const vectors = new Float64Array(size * size)
  for (let at = 0; at < size; at++) vectors[at * size + at] = 1
  const scale = Math.hypot(...a)
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let largest = 0
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const off = a[p * size + q] as number
        largest = Math.max(largest, Math.abs(off))
        if (Math.abs(off) > 1e-15 * scale) rotate(a, vectors, size, p, q)
      }
    }
    if (largest <= 1e-14 * scale) break
  }
  return { values: Float64Array.from({ length: size }, (_, at) => a[at * size + at] as number), vectors }
}

/** Turns rows and columns p and q so that their common entry becomes zero. */
function rotate(a: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const theta =
    ((a[q * size + q] as number) - (a[p * size + p] as number)) / (2 * (a[p * size + q] as number))
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cos = 1 / Math.sqrt(t * t + 1)
  const sin = t * cos
  for (let at = 0; at < size; at++) turnPair(a, at * size + p, at * size + q, cos, sin)
  for (let at = 0; at < size; at++) turnPair(a, p * size + at, q * size + at, cos, sin)
  for (let at = 0; at < size; at++) turnPair(vectors, at * size + p, at * size + q, cos, sin)
}

function turnPair(values: Float64Array, p: number, q: number, cos: number, sin: number): void {
  const [x, y] = [values[p] as number, values[q] as number]
  values[p] = cos * x - sin * y
  values[q] = sin * x + cos * y
}
