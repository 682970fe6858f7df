/**
 * A square complex matrix, row-major, real and imaginary parts interleaved: 2 × 2 on one qubit, 4 × 4 on two,
 * of which the first is the least significant bit of the index. The same layout as in `UnitaryOp`.
 */
export type Matrix = Float64Array

export const IDENTITY: Matrix = Float64Array.from([1, 0, 0, 0, 0, 0, 1, 0])
export const HADAMARD: Matrix = real2(Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2)
export const PAULI_X: Matrix = real2(0, 1, 1, 0)
export const PAULI_Y: Matrix = Float64Array.from([0, 0, 0, -1, 0, 1, 0, 0])
export const PAULI_Z: Matrix = real2(1, 0, 0, -1)

function real2(a: number, b: number, c: number, d: number): Matrix {
  return Float64Array.from([a, 0, b, 0, c, 0, d, 0])
}

/** exp(-i angle X / 2). */
export function rx(angle: number): Matrix {
  const [cos, sin] = halfTurn(angle)
  return Float64Array.from([cos, 0, 0, -sin, 0, -sin, cos, 0])
}

/** exp(-i angle Y / 2). */
export function ry(angle: number): Matrix {
  const [cos, sin] = halfTurn(angle)
  return real2(cos, -sin, sin, cos)
}

/** exp(-i angle Z / 2). */
export function rz(angle: number): Matrix {
  const [cos, sin] = halfTurn(angle)
  return Float64Array.from([cos, -sin, 0, 0, 0, 0, cos, sin])
}

function halfTurn(angle: number): readonly [cos: number, sin: number] {
  return [Math.cos(angle / 2), Math.sin(angle / 2)]
}

/** The number of rows. */
export function dimensionOf(matrix: Matrix): number {
  return Math.round(Math.sqrt(matrix.length / 2))
}

/** The product of matrices of one size, the rightmost of which acts first. */
export function product(first: Matrix, ...others: readonly Matrix[]): Matrix {
  return others.reduce(multiply, first)
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const rows = dimensionOf(a)
  const result = new Float64Array(a.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < rows; column++) {
      let re = 0
      let im = 0
      for (let inner = 0; inner < rows; inner++) {
        const atA = 2 * (row * rows + inner)
        const atB = 2 * (inner * rows + column)
        const aRe = a[atA] ?? 0
        const aIm = a[atA + 1] ?? 0
        const bRe = b[atB] ?? 0
        const bIm = b[atB + 1] ?? 0
        re += aRe * bRe - aIm * bIm
        im += aRe * bIm + aIm * bRe
      }
      result[2 * (row * rows + column)] = re
      result[2 * (row * rows + column) + 1] = im
    }
  }
  return result
}

/** The conjugate transpose. */
export function adjoint(matrix: Matrix): Matrix {
  const rows = dimensionOf(matrix)
  const result = new Float64Array(matrix.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < rows; column++) {
      const from = 2 * (row * rows + column)
      const to = 2 * (column * rows + row)
      result[to] = matrix[from] ?? 0
      result[to + 1] = -(matrix[from + 1] ?? 0)
    }
  }
  return result
}

/** The 4 × 4 matrix of one matrix on each of two qubits, the second of which is the more significant. */
export function onBoth(low: Matrix, high: Matrix): Matrix {
  const result = new Float64Array(32)
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      const atHigh = 2 * ((row >> 1) * 2 + (column >> 1))
      const atLow = 2 * ((row & 1) * 2 + (column & 1))
      const [hRe = 0, hIm = 0, lRe = 0, lIm = 0] = [
        ...[high[atHigh], high[atHigh + 1]],
        ...[low[atLow], low[atLow + 1]],
      ]
      result[2 * (row * 4 + column)] = hRe * lRe - hIm * lIm
      result[2 * (row * 4 + column) + 1] = hRe * lIm + hIm * lRe
    }
  }
  return result
}
