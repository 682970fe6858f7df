import {
  adjoint,
  dimensionOf,
  identity,
  type Matrix,
  multiply,
  type PhaseOp,
  type UnitaryOp,
} from '../../../qasm/index.ts'

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

/** The gate with its controls as one matrix; the targets are the low bits of its indices. */
function matrixOf(op: UnitaryOp | PhaseOp, targets: number, qubits: number): Matrix {
  const own = op.kind === 'unitary' ? op.matrix : Float64Array.of(Math.cos(op.angle), Math.sin(op.angle))
  const [block, size] = [2 ** targets, 2 ** qubits]
  const matrix = identity(size)
  const first = op.controlValues * block
  for (let row = 0; row < block; row++)
    matrix.set(own.subarray(2 * row * block, 2 * (row + 1) * block), 2 * ((first + row) * size + first))
  return matrix
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
  const size = dimensionOf(matrix)
  const pauli = new Float64Array(matrix.length)
  for (let column = 0; column < size; column++)
    pauli[2 * ((column ^ x) * size + column)] = isOdd(z & column) ? -1 : 1
  return multiply(multiply(matrix, pauli), adjoint(matrix))
}

type Complex = readonly [re: number, im: number]

const POWERS_OF_I: readonly Complex[] = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
]

/** The Pauli operator that equals a matrix to 1e-9; undefined when there is none. */
export function pauliOf(matrix: Matrix): Pauli | undefined {
  const size = dimensionOf(matrix)
  const isPower = (exponent: number, row: number, column: number) => {
    const [re, im] = POWERS_OF_I[exponent % 4] as Complex
    const at = 2 * (row * size + column)
    return Math.hypot((matrix[at] ?? 0) - re, (matrix[at + 1] ?? 0) - im) < TOLERANCE
  }
  const x = firstOfColumn(matrix, size, 0.5)
  const e = x === undefined ? -1 : POWERS_OF_I.findIndex((_, power) => isPower(power, x, 0))
  if (x === undefined || e < 0) return undefined
  let z = 0
  for (let bit = 1; bit < size; bit *= 2) if (isPower(e + 2, x ^ bit, bit)) z |= bit
  for (let column = 0; column < size; column++)
    if (!isPower(e + (isOdd(z & column) ? 2 : 0), x ^ column, column)) return undefined
  return { x, z, e }
}

/** The first row whose element in the first column has a modulus above `least`. */
export function firstOfColumn(matrix: Matrix, size: number, least: number): number | undefined {
  for (let row = 0; row < size; row++) {
    const at = 2 * row * size
    if (Math.hypot(matrix[at] ?? 0, matrix[at + 1] ?? 0) > least) return row
  }
  return undefined
}

/** Whether the number of bits set is odd. */
export function isOdd(bits: number): boolean {
  let folded = bits ^ (bits >>> 16)
  folded ^= folded >>> 8
  folded ^= folded >>> 4
  return ((0x6996 >>> (folded & 15)) & 1) === 1
}
