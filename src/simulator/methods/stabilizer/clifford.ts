import type { PhaseOp, UnitaryOp } from '../../../qasm/index.ts'

/**
 * i^e X^x Z^z on a few qubits: bit j of `x` and `z` is set if X and Z of qubit j are factors, all X to the
 * left of all Z. Y is i X Z. With this order of factors a controlled X changes no phase.
 */
export interface Pauli {
  x: number
  z: number
  /** Exponent of i, 0 to 3. */
  e: number
}

/** The action of a Clifford unitary U on the Pauli operators of its qubits. */
interface PauliMap {
  /** U† P U for P = X and Z of each qubit: entry 2j is X of the j-th, 2j + 1 its Z. */
  inverseImages: readonly Pauli[]
  /** U P U† for the same operators. */
  images: readonly Pauli[]
}

/** A Clifford gate. */
export interface Clifford extends PauliMap {
  /** Qubits of the circuit; bit j of a Pauli is the j-th of them. A global phase has none. */
  qubits: readonly number[]
}

/** Gates on more qubits are not analyzed: the standard gates on three qubits are not Clifford. */
const MAX_QUBITS = 2

/** Maximum deviation of a matrix element from that of a Clifford gate. */
const TOLERANCE = 1e-9

/** Recognizes Clifford gates. Gates that share a matrix object, as equal calls do, are analyzed once. */
export class CliffordRecognizer {
  readonly #known = new Map<Float64Array | number, Map<number, PauliMap | undefined>>()

  /** The action of a gate on Pauli operators; undefined when it is not Clifford. */
  recognize(op: UnitaryOp | PhaseOp): Clifford | undefined {
    const targets = op.kind === 'unitary' ? op.targets : []
    const qubits = targets.concat(op.controls)
    if (qubits.length > MAX_QUBITS) return undefined
    const matrix = op.kind === 'unitary' ? op.matrix : op.angle
    const variants = this.#known.get(matrix) ?? new Map<number, PauliMap | undefined>()
    this.#known.set(matrix, variants)
    const variant = (op.controls.length << MAX_QUBITS) | op.controlValues
    if (!variants.has(variant))
      variants.set(variant, pauliMapOf(matrixOf(op, targets.length, qubits.length), qubits.length))
    const action = variants.get(variant)
    return action && { qubits, ...action }
  }
}

function pauliMapOf(unitary: Matrix, qubits: number): PauliMap | undefined {
  const inverseImages = imagesUnder(adjoint(unitary), qubits)
  const images = imagesUnder(unitary, qubits)
  return inverseImages && images ? { inverseImages, images } : undefined
}

/** Complex numbers by row and column. */
export type Matrix = readonly (readonly Complex[])[]
export type Complex = readonly [re: number, im: number]

const ZERO: Complex = [0, 0]
const ONE: Complex = [1, 0]

/** The gate with its controls as one matrix; the targets are the low bits of its indices. */
function matrixOf(op: UnitaryOp | PhaseOp, targets: number, qubits: number): Matrix {
  const block = 2 ** targets
  const inner = (row: number, column: number): Complex => {
    if (op.kind === 'phase') return [Math.cos(op.angle), Math.sin(op.angle)]
    const at = 2 * (row * block + column)
    return [op.matrix[at] ?? 0, op.matrix[at + 1] ?? 0]
  }
  const size = 2 ** qubits
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => {
      if (row >> targets !== column >> targets) return ZERO
      if (row >> targets === op.controlValues) return inner(row % block, column % block)
      return row === column ? ONE : ZERO
    }),
  )
}

function adjoint(matrix: Matrix): Matrix {
  return matrix.map((_, row) => matrix.map((line): Complex => [line[row]?.[0] ?? 0, -(line[row]?.[1] ?? 0)]))
}

/** M P M† for X and Z of each qubit, or undefined when one of them is not a Pauli operator. */
function imagesUnder(matrix: Matrix, qubits: number): Pauli[] | undefined {
  const images: Pauli[] = []
  for (let qubit = 0; qubit < qubits; qubit++) {
    for (const [x, z] of [
      [1 << qubit, 0],
      [0, 1 << qubit],
    ] as const) {
      const image = pauliOf(conjugated(matrix, x, z))
      if (!image) return undefined
      images.push(image)
    }
  }
  return images
}

/** M X^x Z^z M†. Column c of X^x Z^z holds (-1)^|z & c| in row c ^ x and nothing else. */
function conjugated(matrix: Matrix, x: number, z: number): Matrix {
  return matrix.map((left) =>
    matrix.map((right): Complex => {
      let [re, im] = [0, 0]
      for (const [column, [c, d]] of right.entries()) {
        const [a, b] = left[column ^ x] ?? ZERO
        const sign = isOdd(z & column) ? -1 : 1
        re += sign * (a * c + b * d)
        im += sign * (b * c - a * d)
      }
      return [re, im]
    }),
  )
}

const POWERS_OF_I: readonly Complex[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
]

/** The Pauli operator that equals a matrix to 1e-9; undefined when there is none. */
export function pauliOf(matrix: Matrix): Pauli | undefined {
  const x = matrix.findIndex(([first]) => first && Math.hypot(...first) > 0.5)
  const e = POWERS_OF_I.findIndex((power) => isNear(power, matrix[x]?.[0]))
  if (e < 0) return undefined
  let z = 0
  for (let bit = 1; bit < matrix.length; bit *= 2) {
    if (isNear(POWERS_OF_I[(e + 2) % 4], matrix[x ^ bit]?.[bit])) z |= bit
  }
  const isPauli = matrix.every((_, column) =>
    isNear(POWERS_OF_I[(e + (isOdd(z & column) ? 2 : 0)) % 4], matrix[x ^ column]?.[column]),
  )
  return isPauli ? { x, z, e } : undefined
}

function isNear(one: Complex | undefined, other: Complex | undefined): boolean {
  return !!one && !!other && Math.hypot(one[0] - other[0], one[1] - other[1]) < TOLERANCE
}

/** Whether the number of bits set is odd. */
export function isOdd(bits: number): boolean {
  let folded = bits ^ (bits >>> 16)
  folded ^= folded >>> 8
  folded ^= folded >>> 4
  return ((0x6996 >>> (folded & 15)) & 1) === 1
}
