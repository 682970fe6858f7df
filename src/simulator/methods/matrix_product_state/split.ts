import type { Block } from '../../numeric/matrix.ts'
import type { Algebra } from './algebra.ts'

/** A matrix as the product of one with orthonormal columns and the rest. */
interface Split {
  left: Block
  right: Block
  /** Fraction of the weight that was discarded. */
  discarded: number
}

/** Limits of a truncation. */
export interface Truncation {
  /** Maximum number of singular values. */
  maxBondDimension: number
  /** Maximum fraction of the weight that may be discarded in one step. */
  threshold: number
}

/**
 * Rows whose part outside of the others has a smaller share of their weight count as combinations of them.
 */
const ROUNDING = 1e-28

/**
 * Weights below this share are found by a second decomposition: the eigenvalues of M M† are exact to some
 * 1e-16 of the largest one only.
 */
const TAIL = 1e-9

/**
 * Splits a matrix by its singular values and discards the small ones. They are the square roots of the
 * eigenvalues of M M†, or of M† M if that is smaller; the eigenvectors of the smallest are found once more in
 * the space that they span.
 */
export function splitTruncated(matrix: Block, truncation: Truncation, algebra: Algebra): Split {
  algebra.clear()
  const whole = algebra.put(matrix)
  const isWide = matrix.rows <= matrix.columns
  const own = isWide ? whole : algebra.adjoint(whole)
  const { values, vectors } = algebra.spectrumOfGram(own)
  const total = values.reduce((sum, each) => sum + Math.max(0, each), 0)
  const heads = values.findIndex((value) => value <= TAIL * total)
  const { maxBondDimension: most } = truncation
  const hasTail = heads >= 0 && heads < most
  const count = hasTail ? values.length : Math.min(most, values.length)
  let basis = vectors(0, count)
  let rest = algebra.product(basis, own)
  let weights = algebra.weightsOf(rest)
  if (hasTail && sumOf(weights.slice(heads)) > truncation.threshold * total) {
    const tail = algebra.rowsOf(rest, heads, count)
    const turn = algebra.spectrumOfGram(tail).vectors(0, count - heads)
    const turnedBasis = algebra.take(algebra.product(turn, algebra.rowsOf(basis, heads, count)))
    const turnedRest = algebra.take(algebra.product(turn, tail))
    basis = algebra.put(stacked(algebra.take(algebra.rowsOf(basis, 0, heads)), turnedBasis))
    rest = algebra.put(stacked(algebra.take(algebra.rowsOf(rest, 0, heads)), turnedRest))
    weights = algebra.weightsOf(rest)
  }
  const kept = keptCount(weights, total, truncation)
  const discarded = hasTail ? sumOf(weights.slice(kept)) / total : sumOf(values.slice(kept)) / total
  const keptBasis = algebra.rowsOf(basis, 0, kept)
  const keptRest = algebra.rowsOf(rest, 0, kept)
  if (isWide)
    return { left: algebra.take(algebra.adjoint(keptBasis)), right: algebra.take(keptRest), discarded }
  const rows = algebra.orthonormalRows(keptRest, ROUNDING)
  return {
    left: algebra.take(algebra.adjoint(rows)),
    right: algebra.take(algebra.product(rows, whole)),
    discarded,
  }
}

/** Splits a matrix without loss. */
export function splitExactly(matrix: Block, algebra: Algebra): Omit<Split, 'discarded'> {
  algebra.clear()
  const whole = algebra.put(matrix)
  const rows = algebra.orthonormalRows(algebra.adjoint(whole), ROUNDING)
  return { left: algebra.take(algebra.adjoint(rows)), right: algebra.take(algebra.product(rows, whole)) }
}

/** Splits a matrix without loss into the rest and one with orthonormal rows. */
export function splitRightExactly(matrix: Block, algebra: Algebra): Omit<Split, 'discarded'> {
  algebra.clear()
  const whole = algebra.put(matrix)
  const rows = algebra.orthonormalRows(algebra.put(matrix), ROUNDING)
  return { left: algebra.take(algebra.product(whole, algebra.adjoint(rows))), right: algebra.take(rows) }
}

function stacked(one: Block, other: Block): Block {
  const data = new Float64Array(one.data.length + other.data.length)
  data.set(one.data)
  data.set(other.data, one.data.length)
  return { rows: one.rows + other.rows, columns: other.columns, data }
}

/** Number of singular values to keep: as few as the threshold allows, at most the limit, at least one. */
function keptCount(weights: readonly number[], total: number, truncation: Truncation): number {
  const allowance = truncation.threshold * total
  let lost = 0
  let kept = weights.length
  while (kept > 1) {
    lost += weights[kept - 1] ?? 0
    if (lost > allowance) break
    kept--
  }
  return Math.min(kept, truncation.maxBondDimension)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
