/**
 * A complex matrix, square unless noted: row by row, real and imaginary parts alternating. Of one on two
 * qubits, the first is the least significant bit of the index.
 */
export type Matrix = Float64Array

/** The number of rows. */
export function dimensionOf(matrix: Matrix): number {
  return Math.round(Math.sqrt(matrix.length / 2))
}

/** The identity with `dimension` rows. */
export function identity(dimension: number): Matrix {
  const result = new Float64Array(2 * dimension * dimension)
  for (let index = 0; index < dimension; index++) result[2 * index * (dimension + 1)] = 1
  return result
}

/** The conjugate transpose. */
export function adjoint(matrix: Matrix): Matrix {
  return adjointOfRows(dimensionOf(matrix), matrix)
}

/** The transpose. */
export function transpose(matrix: Matrix): Matrix {
  return adjoint(matrix).map((value, at) => (at % 2 === 0 ? value : -value))
}

/** The conjugate transpose of a matrix with so many rows. */
export function adjointOfRows(rows: number, matrix: Matrix): Matrix {
  const columns = matrix.length / 2 / rows
  const result = new Float64Array(matrix.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = 2 * (row * columns + column)
      const to = 2 * (column * rows + row)
      result[to] = matrix[from] as number
      result[to + 1] = -(matrix[from + 1] as number)
    }
  }
  return result
}

/** a · b. It has no other parameters, so that it may reduce a list of matrices. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  return multiplyRows(dimensionOf(a), a, b)
}

/** a · b, where a has so many rows. */
export function multiplyRows(rows: number, a: Matrix, b: Matrix): Matrix {
  const inner = a.length / 2 / rows
  const columns = b.length / 2 / inner
  const result = new Float64Array(2 * rows * columns)
  for (let row = 0; row < rows; row++) {
    const end = 2 * (row + 1) * columns
    for (let k = 0; k < inner; k++) {
      const left = 2 * (row * inner + k)
      const ar = a[left] as number
      const ai = a[left + 1] as number
      let right = 2 * k * columns
      for (let place = 2 * row * columns; place < end; place += 2, right += 2) {
        const br = b[right] as number
        const bi = b[right + 1] as number
        result[place] = (result[place] as number) + (ar * br - ai * bi)
        result[place + 1] = (result[place + 1] as number) + (ar * bi + ai * br)
      }
    }
  }
  return result
}

/** out = a · b of `n` rows, which must not share memory with out. */
export function multiplyInto(n: number, a: Matrix, b: Matrix, out: Matrix): void {
  product(n, a, b, out, n, 1, 1)
}

/** out = a · b† of `n` rows, which must not share memory with out. */
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

/** exp(-i theta X / 2). */
export function rxMatrix(theta: number): Matrix {
  const [cos, sin] = halfTurn(theta)
  return squareOf(cos, 0, 0, -sin, 0, -sin, cos, 0)
}

/** exp(-i theta Y / 2). */
export function ryMatrix(theta: number): Matrix {
  const [cos, sin] = halfTurn(theta)
  return squareOf(cos, 0, -sin, 0, sin, 0, cos, 0)
}

/** exp(-i theta Z / 2). */
export function rzMatrix(theta: number): Matrix {
  const [cos, sin] = halfTurn(theta)
  return squareOf(cos, -sin, 0, 0, 0, 0, cos, sin)
}

function halfTurn(angle: number): readonly [cos: number, sin: number] {
  return [Math.cos(angle / 2), Math.sin(angle / 2)]
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

/** A matrix from rows of [re, im] pairs written one after another. */
export function matrixOf(...parts: number[]): Matrix {
  return Float64Array.from(parts)
}

/** Largest difference of an entry of U†U from the identity: exporters print rounded numbers. */
const UNITARY_TOLERANCE = 1e-6

/** Whether the matrix is unitary within the precision of printed numbers. */
export function isUnitary(matrix: Matrix): boolean {
  const product = multiply(adjoint(matrix), matrix)
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
