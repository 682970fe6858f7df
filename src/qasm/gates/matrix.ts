/** A square complex matrix, row-major, real and imaginary parts interleaved. */
export type Matrix = Float64Array

/** A matrix from rows of [re, im] pairs written one after another. */
export function matrixOf(...parts: number[]): Matrix {
  return Float64Array.from(parts)
}

/**
 * A 2 x 2 matrix by rows, each entry as re and im. Made once per gate call, so without a list of its numbers.
 */
function squareOf(
  aRe: number,
  aIm: number,
  bRe: number,
  bIm: number,
  cRe: number,
  cIm: number,
  dRe: number,
  dIm: number,
): Matrix {
  const matrix = new Float64Array(8)
  matrix[0] = aRe
  matrix[1] = aIm
  matrix[2] = bRe
  matrix[3] = bIm
  matrix[4] = cRe
  matrix[5] = cIm
  matrix[6] = dRe
  matrix[7] = dIm
  return matrix
}

/** Rows of a matrix. */
export function dimensionOf(matrix: Matrix): number {
  return Math.round(Math.sqrt(matrix.length / 2))
}

/** The identity. */
export function identity(dimension: number): Matrix {
  const result = new Float64Array(2 * dimension * dimension)
  for (let index = 0; index < dimension; index++) result[2 * index * (dimension + 1)] = 1
  return result
}

/** Conjugate transpose. */
export function dagger(matrix: Matrix): Matrix {
  const dimension = dimensionOf(matrix)
  const result = new Float64Array(matrix.length)
  for (let row = 0; row < dimension; row++) {
    for (let column = 0; column < dimension; column++) {
      const from = 2 * (row * dimension + column)
      const to = 2 * (column * dimension + row)
      result[to] = matrix[from] ?? 0
      result[to + 1] = -(matrix[from + 1] ?? 0)
    }
  }
  return result
}

/** Adds (re + i im) times `row` to `into`. */
function addScaled(into: Float64Array, re: number, im: number, row: Float64Array): void {
  for (let index = 0; index < row.length; index += 2) {
    const rowRe = row[index] ?? 0
    const rowIm = row[index + 1] ?? 0
    into[index] = (into[index] ?? 0) + re * rowRe - im * rowIm
    into[index + 1] = (into[index + 1] ?? 0) + re * rowIm + im * rowRe
  }
}

/** Matrix product a b. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  const dimension = dimensionOf(a)
  const result = new Float64Array(a.length)
  for (let row = 0; row < dimension; row++) {
    for (let inner = 0; inner < dimension; inner++) {
      const from = 2 * (row * dimension + inner)
      const row2 = b.subarray(2 * inner * dimension, 2 * (inner + 1) * dimension)
      addScaled(result.subarray(2 * row * dimension), a[from] ?? 0, a[from + 1] ?? 0, row2)
    }
  }
  return result
}

/** Largest difference of an entry of U†U from the identity: exporters print rounded numbers. */
const UNITARY_TOLERANCE = 1e-6

/** Whether the matrix is unitary within the precision of printed numbers. */
export function isUnitary(matrix: Matrix): boolean {
  const product = multiply(dagger(matrix), matrix)
  const wanted = identity(dimensionOf(matrix))
  return product.every((part, index) => Math.abs(part - (wanted[index] ?? 0)) < UNITARY_TOLERANCE)
}

/** e^{i angle} times the matrix. */
export function withPhase(angle: number, matrix: Matrix): Matrix {
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const result = new Float64Array(matrix.length)
  for (let index = 0; index < matrix.length; index += 2) {
    const re = matrix[index] ?? 0
    const im = matrix[index + 1] ?? 0
    result[index] = re * cos - im * sin
    result[index + 1] = re * sin + im * cos
  }
  return result
}

/**
 * [[cos t/2, -e^{i lambda} sin t/2], [e^{i phi} sin t/2, e^{i(phi+lambda)} cos t/2]], the general rotation
 * to which all conventions of `U` and `u3` differ by a phase only.
 */
export function rotation(theta: number, phi: number, lambda: number): Matrix {
  const cos = Math.cos(theta / 2)
  const sin = Math.sin(theta / 2)
  return squareOf(
    cos,
    0,
    -Math.cos(lambda) * sin,
    -Math.sin(lambda) * sin,
    Math.cos(phi) * sin,
    Math.sin(phi) * sin,
    Math.cos(phi + lambda) * cos,
    Math.sin(phi + lambda) * cos,
  )
}

/** diag(1, e^{i angle}). */
export function phaseMatrix(angle: number): Matrix {
  return squareOf(1, 0, 0, 0, 0, 0, Math.cos(angle), Math.sin(angle))
}

/** exp(-i theta X / 2). */
export function rxMatrix(theta: number): Matrix {
  const cos = Math.cos(theta / 2)
  const sin = Math.sin(theta / 2)
  return squareOf(cos, 0, 0, -sin, 0, -sin, cos, 0)
}

/** exp(-i theta Y / 2). */
export function ryMatrix(theta: number): Matrix {
  const cos = Math.cos(theta / 2)
  const sin = Math.sin(theta / 2)
  return squareOf(cos, 0, -sin, 0, sin, 0, cos, 0)
}

/** exp(-i theta Z / 2). */
export function rzMatrix(theta: number): Matrix {
  const cos = Math.cos(theta / 2)
  const sin = Math.sin(theta / 2)
  return squareOf(cos, -sin, 0, 0, 0, 0, cos, sin)
}

/** diag(1, e^{i theta}, e^{i theta}, 1): cx, u1(theta), cx, as qelib1 defines rzz. */
export function rzzMatrix(theta: number): Matrix {
  const cos = Math.cos(theta)
  const sin = Math.sin(theta)
  const result = identity(4)
  result[10] = cos
  result[11] = sin
  result[20] = cos
  result[21] = sin
  return result
}

/** `rzzMatrix` between Hadamard gates on both qubits. */
export function rxxMatrix(theta: number): Matrix {
  const half = theta / 2
  const re = Math.cos(half) * Math.cos(half)
  const im = Math.cos(half) * Math.sin(half)
  const crossRe = Math.sin(half) * Math.sin(half)
  const result = new Float64Array(32)
  for (let row = 0; row < 4; row++) {
    result.set([re, im], 2 * (row * 4 + row))
    result.set([crossRe, -im], 2 * (row * 4 + 3 - row))
  }
  return result
}
