import { adjoint, type Matrix, transpose } from '../../../qasm/index.ts'
import { product } from './matrix.ts'
import { diagonalizeTogether } from './symmetric-pair.ts'

/** A pair of unitaries, on the less and on the more significant of two qubits. */
interface LocalPair {
  low: Matrix
  high: Matrix
}

/** A unitary on two qubits as after · exp(i(x XX + y YY + z ZZ)) · before, up to a phase. */
export interface TwoQubitForm {
  before: LocalPair
  /** rad. */
  interaction: readonly [x: number, y: number, z: number]
  after: LocalPair
}

const R = Math.SQRT1_2

/** The columns are Bell states, up to phases; local unitaries are real in this basis. */
const MAGIC = Float64Array.from([
  ...[R, 0, 0, 0, 0, 0, 0, R],
  ...[0, 0, 0, R, R, 0, 0, 0],
  ...[0, 0, 0, R, -R, 0, 0, 0],
  ...[R, 0, 0, 0, 0, 0, 0, -R],
])
const FROM_MAGIC = adjoint(MAGIC)

/**
 * The Cartan decomposition of a unitary on two qubits (Kraus and Cirac, Phys. Rev. A 63, 062309 (2001)): in
 * the magic basis it is K sqrt(D) P^T, where P diagonalizes V^T V and K and P are rotations.
 */
export function twoQubitFormOf(unitary: Matrix): TwoQubitForm {
  const v = product(FROM_MAGIC, unitary, MAGIC)
  const symmetric = product(transpose(v), v)
  const rotation = diagonalizeTogether(part(symmetric, 0), part(symmetric, 1))
  const p = withUnitDeterminant(complexOf(rotation))
  const diagonal = product(transpose(p), symmetric, p)
  const angles = [0, 5, 10, 15].map((at) => Math.atan2(diagonal[2 * at + 1] ?? 0, diagonal[2 * at] ?? 0) / 2)
  let k = product(v, p, phases(angles.map((angle) => -angle)))
  if (determinant(k) < 0) {
    angles[0] = (angles[0] ?? 0) + Math.PI
    k = product(v, p, phases(angles.map((angle) => -angle)))
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = angles
  return {
    before: factorsOf(product(MAGIC, transpose(p), FROM_MAGIC)),
    interaction: [
      (first + second - third - fourth) / 4,
      (second + fourth - first - third) / 4,
      (first + fourth - second - third) / 4,
    ],
    after: factorsOf(product(MAGIC, k, FROM_MAGIC)),
  }
}

/** The two unitaries of a local one, from its block of largest determinant. */
function factorsOf(local: Matrix): LocalPair {
  const blocks = [0, 2, 8, 10].map((at) =>
    Float64Array.from(
      [0, 1, 4, 5].flatMap((cell) => [local[2 * (at + cell)] ?? 0, local[2 * (at + cell) + 1] ?? 0]),
    ),
  )
  const sizes = blocks.map((block) => Math.hypot(...block) * Math.SQRT1_2)
  const largest = sizes.indexOf(Math.max(...sizes))
  const low = (blocks[largest] ?? new Float64Array(8)).map((value) => value / (sizes[largest] ?? 1))
  const high = new Float64Array(8)
  for (const [index, block] of blocks.entries()) {
    // Half the trace of low† · block.
    for (let at = 0; at < 8; at += 2) {
      const [lowRe = 0, lowIm = 0, re = 0, im = 0] = [low[at], low[at + 1], block[at], block[at + 1]]
      high[2 * index] = (high[2 * index] ?? 0) + (lowRe * re + lowIm * im) / 2
      high[2 * index + 1] = (high[2 * index + 1] ?? 0) + (lowRe * im - lowIm * re) / 2
    }
  }
  return { low, high }
}

function part(matrix: Matrix, offset: 0 | 1): Float64Array {
  return Float64Array.from({ length: matrix.length / 2 }, (_, at) => matrix[2 * at + offset] ?? 0)
}

function complexOf(real: Float64Array): Matrix {
  return Float64Array.from({ length: 2 * real.length }, (_, at) => (at % 2 === 0 ? (real[at / 2] ?? 0) : 0))
}

function phases(angles: readonly number[]): Matrix {
  const result = new Float64Array(32)
  for (const [index, angle] of angles.entries()) {
    result[10 * index] = Math.cos(angle)
    result[10 * index + 1] = Math.sin(angle)
  }
  return result
}

function withUnitDeterminant(rotation: Matrix): Matrix {
  if (determinant(rotation) > 0) return rotation
  return rotation.map((value, at) => (Math.floor(at / 2) % 4 === 0 ? -value : value))
}

/** Determinant of the real part of a 4 × 4 matrix. */
function determinant(matrix: Matrix): number {
  const at = (row: number, column: number) => matrix[2 * (row * 4 + column)] ?? 0
  const minor = (row: number, one: number, other: number) =>
    at(row, one) * at(row + 1, other) - at(row, other) * at(row + 1, one)
  return (
    minor(0, 0, 1) * minor(2, 2, 3) -
    minor(0, 0, 2) * minor(2, 1, 3) +
    minor(0, 0, 3) * minor(2, 1, 2) +
    minor(0, 1, 2) * minor(2, 0, 3) -
    minor(0, 1, 3) * minor(2, 0, 2) +
    minor(0, 2, 3) * minor(2, 0, 1)
  )
}
