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
