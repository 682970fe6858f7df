/**
 * Solves `matrix · x = vector` for a symmetric positive definite matrix of at most a few rows (row-major,
 * size × size) by Cholesky factors. Returns undefined when the matrix is singular to rounding. The arguments
 * stay as they are.
 */
export function solveSymmetric(matrix: Float64Array, vector: Float64Array): Float64Array | undefined {
  const size = vector.length
  const factor = choleskyFactor(matrix, size)
  return factor && substitute(factor, vector)
}

/** Inverse of a symmetric positive definite matrix (row-major); undefined when it is singular to rounding. */
export function invertSymmetric(matrix: Float64Array, size: number): Float64Array | undefined {
  const factor = choleskyFactor(matrix, size)
  if (!factor) return undefined
  const inverse = new Float64Array(size * size)
  for (let column = 0; column < size; column++) {
    const unit = new Float64Array(size)
    unit[column] = 1
    const solution = substitute(factor, unit)
    for (let row = 0; row < size; row++) inverse[row * size + column] = solution[row] as number
  }
  return inverse
}

/** Pivots below this share of their diagonal entry are rounding errors. */
const MIN_PIVOT = 1e-13

/** Lower triangular L with L·Lᵀ = matrix. */
function choleskyFactor(matrix: Float64Array, size: number): Float64Array | undefined {
  const factor = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = matrix[row * size + column] as number
      for (let at = 0; at < column; at++) {
        rest -= (factor[row * size + at] as number) * (factor[column * size + at] as number)
      }
      if (row !== column) {
        factor[row * size + column] = rest / (factor[column * size + column] as number)
        continue
      }
      // A comparison with NaN is false, so that NaN counts as singular.
      if (!(rest > MIN_PIVOT * (matrix[row * size + row] as number))) return undefined
      factor[row * size + row] = Math.sqrt(rest)
    }
  }
  return factor
}

function substitute(factor: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length
  const x = Float64Array.from(vector)
  for (let row = 0; row < size; row++) {
    for (let at = 0; at < row; at++) {
      x[row] = (x[row] as number) - (factor[row * size + at] as number) * (x[at] as number)
    }
    x[row] = (x[row] as number) / (factor[row * size + row] as number)
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let at = row + 1; at < size; at++) {
      x[row] = (x[row] as number) - (factor[at * size + row] as number) * (x[at] as number)
    }
    x[row] = (x[row] as number) / (factor[row * size + row] as number)
  }
  return x
}
