import { UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'
import { adjointTimes, COMPLEX_WORK, columnsOf, fromColumns, type Matrix, weightOf } from './matrix.ts'

/** A matrix as the product of one with orthonormal columns and the rest. */
interface Split {
  left: Matrix
  right: Matrix
  /** Fraction of the weight that was discarded. */
  discarded: number
}

/** Limits of a truncation. */
export interface Truncation {
  /** Maximum number of singular values. */
  maxBondDimension: number
  /** Maximum fraction of the weight that may be discarded at once. */
  threshold: number
}

/** Columns whose overlap is smaller, relative to their norms, count as orthogonal. */
const ROUNDING = 1e-15

/** Jacobi's method converges quadratically: more than ten sweeps have not been observed. */
const MAX_SWEEPS = 40

/**
 * Splits a matrix by its singular values and discards the small ones. One-sided Jacobi rotations make the
 * columns orthogonal (Hestenes, J. SIAM 6, 51, 1958): unlike the eigenvalues of M† M, they are exact to
 * rounding also for small singular values.
 */
export function splitTruncated(matrix: Matrix, truncation: Truncation, work: WorkCounter = UNLIMITED): Split {
  const columns = columnsOf(matrix)
  for (let sweep = 0; sweep < MAX_SWEEPS && rotateAll(columns, work); sweep++);
  const weighed = columns
    .map((column) => ({ column, weight: weightOf(column) }))
    .sort((one, other) => other.weight - one.weight)
  const weights = weighed.map(({ weight }) => weight)
  const kept = keptCount(weights, truncation)
  const left = fromColumns(
    weighed.slice(0, kept).map(({ column, weight }) => scaled(column, 1 / Math.sqrt(weight))),
  )
  const discarded = sumOf(weights.slice(kept)) / sumOf(weights)
  return { left, right: adjointTimes(left, matrix, work), discarded }
}

/**
 * Splits a matrix without loss, by Gram and Schmidt's method done twice ("twice is enough", Kahan and
 * Parlett).
 */
export function splitExactly(matrix: Matrix, work: WorkCounter = UNLIMITED): Omit<Split, 'discarded'> {
  const basis: Float64Array[] = []
  for (const column of columnsOf(matrix)) {
    const before = weightOf(column)
    work.spend(2 * COMPLEX_WORK * column.length * basis.length)
    for (let round = 0; round < 2; round++) for (const other of basis) subtractPart(column, other)
    const weight = weightOf(column)
    if (weight > ROUNDING ** 2 * before && weight > 0) basis.push(scaled(column, 1 / Math.sqrt(weight)))
  }
  const left = fromColumns(basis)
  return { left, right: adjointTimes(left, matrix, work) }
}

/** Number of singular values to keep: as few as the threshold allows, at most the limit, at least one. */
function keptCount(weights: readonly number[], { maxBondDimension, threshold }: Truncation): number {
  const allowance = threshold * sumOf(weights)
  let lost = 0
  let kept = weights.length
  while (kept > 1) {
    lost += weights[kept - 1] ?? 0
    if (lost > allowance) break
    kept--
  }
  return Math.min(kept, maxBondDimension)
}

/** Makes each pair of columns orthogonal once; returns whether any was not. */
function rotateAll(columns: readonly Float64Array[], work: WorkCounter): boolean {
  const weights = columns.map(weightOf)
  const nothing = ROUNDING ** 2 * sumOf(weights)
  let rotated = false
  for (const [i, one] of columns.entries()) {
    work.spend(COMPLEX_WORK * one.length * (columns.length - i))
    for (let j = i + 1; j < columns.length; j++) {
      const other = columns[j] as Float64Array
      const [a, b] = [weights[i] as number, weights[j] as number]
      if (a <= nothing || b <= nothing) continue
      const [re, im] = overlapOf(one, other)
      const size = Math.hypot(re, im)
      if (size <= ROUNDING * Math.sqrt(a * b)) continue
      // The angle that makes two real vectors orthogonal, after the phase of the overlap is taken from the
      // second.
      const zeta = (b - a) / (2 * size)
      const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta))
      rotate(one, other, tangent, re / size, -im / size)
      weights[i] = a - tangent * size
      weights[j] = b + tangent * size
      rotated = true
    }
  }
  return rotated
}

/** Rotates two columns in their plane, after multiplying the second by a phase. */
function rotate(one: Float64Array, other: Float64Array, tangent: number, re: number, im: number): void {
  const cos = 1 / Math.sqrt(1 + tangent * tangent)
  const sin = cos * tangent
  for (let at = 0; at < one.length; at += 2) {
    const [a, b] = [one[at] as number, one[at + 1] as number]
    const [x, y] = [other[at] as number, other[at + 1] as number]
    const [c, d] = [re * x - im * y, re * y + im * x]
    one[at] = cos * a - sin * c
    one[at + 1] = cos * b - sin * d
    other[at] = sin * a + cos * c
    other[at + 1] = sin * b + cos * d
  }
}

/** one† other. */
function overlapOf(one: Float64Array, other: Float64Array): [number, number] {
  let [re, im] = [0, 0]
  for (let at = 0; at < one.length; at += 2) {
    const [a, b] = [one[at] as number, one[at + 1] as number]
    const [c, d] = [other[at] as number, other[at + 1] as number]
    re += a * c + b * d
    im += a * d - b * c
  }
  return [re, im]
}

/** Subtracts from a column its component along a unit column. */
function subtractPart(column: Float64Array, unit: Float64Array): void {
  const [re, im] = overlapOf(unit, column)
  for (let at = 0; at < column.length; at += 2) {
    const [a, b] = [unit[at] as number, unit[at + 1] as number]
    column[at] = (column[at] as number) - (re * a - im * b)
    column[at + 1] = (column[at + 1] as number) - (re * b + im * a)
  }
}

function scaled(column: Float64Array, factor: number): Float64Array {
  return column.map((part) => part * factor)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
