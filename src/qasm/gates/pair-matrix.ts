import { identity, type Matrix } from './matrix.ts'

/** Real and imaginary part. */
type Complex = readonly [number, number]

/** cos(angle) + i sin(angle). */
export const unit = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)]

/**
 * A 4 x 4 matrix from its entries other than zero: [row, column, entry]. The first qubit is bit 0 of an
 * index.
 */
export function pairMatrix(...entries: readonly (readonly [number, number, Complex])[]): Matrix {
  const result = new Float64Array(32)
  for (const [row, column, entry] of entries) result.set(entry, 2 * (4 * row + column))
  return result
}

/**
 * Products of two Pauli matrices: a basis state goes to the one with the bits `flips` inverted, times its
 * factor.
 */
const PAULI_PAIRS = {
  xx: { flips: 3, factors: [1, 1, 1, 1] },
  yy: { flips: 3, factors: [-1, 1, 1, -1] },
  zz: { flips: 0, factors: [1, -1, -1, 1] },
  /** Z on the first, X on the second qubit. */
  zx: { flips: 2, factors: [1, -1, 1, -1] },
}

/** exp(-i theta P / 2) of a product P of two Pauli matrices. */
export function pairRotation(pair: keyof typeof PAULI_PAIRS, theta: number): Matrix {
  const { flips, factors } = PAULI_PAIRS[pair]
  const result = new Float64Array(32)
  for (const [column, factor] of factors.entries()) {
    const own = 2 * (4 * column + column)
    result[own] = Math.cos(theta / 2)
    const other = 2 * (4 * (column ^ flips) + column)
    result[other + 1] = (result[other + 1] ?? 0) - factor * Math.sin(theta / 2)
  }
  return result
}

/** A gate that keeps |00>, mixes |01> and |10> symmetrically, and multiplies |11>. */
export function exchange(stay: Complex, swap: Complex, both: Complex): Matrix {
  return pairMatrix([0, 0, [1, 0]], [1, 1, stay], [2, 2, stay], [1, 2, swap], [2, 1, swap], [3, 3, both])
}

/** The phase e^{i angle} on one basis state of two qubits. */
export function phaseOn(state: number, angle: number): Matrix {
  const result = identity(4)
  result.set(unit(angle), 2 * (4 * state + state))
  return result
}
