import { type Matrix, multiply } from '../../../qasm/index.ts'

export const IDENTITY: Matrix = Float64Array.from([1, 0, 0, 0, 0, 0, 1, 0])
export const HADAMARD: Matrix = real2(Math.SQRT1_2, Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2)
export const PAULI_X: Matrix = real2(0, 1, 1, 0)
export const PAULI_Y: Matrix = Float64Array.from([0, 0, 0, -1, 0, 1, 0, 0])
export const PAULI_Z: Matrix = real2(1, 0, 0, -1)
export const PAULIS = [PAULI_X, PAULI_Y, PAULI_Z] as const

function real2(a: number, b: number, c: number, d: number): Matrix {
  return Float64Array.from([a, 0, b, 0, c, 0, d, 0])
}

/** The product of matrices of one size, the rightmost of which acts first. */
export function product(first: Matrix, ...others: readonly Matrix[]): Matrix {
  return others.reduce(multiply, first)
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

/** The unitary nearest to a 2 × 2 matrix that rounding has moved off, up to a phase. */
export function nearestUnitary(matrix: Matrix): Matrix {
  const [aRe = 0, aIm = 0, bRe = 0, bIm = 0, cRe = 0, cIm = 0, dRe = 0, dIm = 0] = matrix
  const re = aRe * dRe - aIm * dIm - (bRe * cRe - bIm * cIm)
  const im = aRe * dIm + aIm * dRe - (bRe * cIm + bIm * cRe)
  const phase = -Math.atan2(im, re) / 2
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  // With determinant 1 it is a, b, -b*, a*.
  const [p, q] = [aRe + dRe, aIm - dIm]
  const [r, t] = [bRe - cRe, bIm + cIm]
  const [u, v] = [aRe - dRe, aIm + dIm]
  const [x, y] = [bRe + cRe, bIm - cIm]
  const a = [(cos * p - sin * v) / 2, (cos * q + sin * u) / 2] as const
  const b = [(cos * r - sin * y) / 2, (cos * t + sin * x) / 2] as const
  const size = Math.hypot(...a, ...b)
  return Float64Array.of(a[0], a[1], b[0], b[1], -b[0], b[1], a[0], -a[1]).map((value) => value / size)
}
