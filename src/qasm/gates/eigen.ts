import { adjoint, dimensionOf, identity, type Matrix, multiply } from './matrix.ts'

const SWEEPS = 60
/** Largest off-diagonal element, relative to a unitary, that counts as zero. */
const TOLERANCE = 1e-10

/** Eigenvectors as columns and the phases of the eigenvalues in turns (-1/2, 1/2] of a unitary matrix. */
interface UnitaryEigen {
  vectors: Matrix
  turns: number[]
}

/**
 * Diagonalizes a unitary matrix U. Its parts (e^{ia} U + h.c.)/2 are Hermitian and share the eigenvectors of
 * U; for all but a few angles a, distinct eigenvalues of U remain distinct, so one of the tried angles
 * succeeds.
 */
function diagonalize(unitary: Matrix): UnitaryEigen {
  let best = attempt(unitary, 0.6180339887)
  for (let angle = 1.3; angle < 8 && best.residual > TOLERANCE; angle += 0.9137) {
    const next = attempt(unitary, angle)
    if (next.residual < best.residual) best = next
  }
  return { vectors: best.vectors, turns: best.turns }
}

function attempt(unitary: Matrix, angle: number): UnitaryEigen & { residual: number } {
  const dimension = dimensionOf(unitary)
  const vectors = hermitianEigenvectors(hermitianPart(unitary, angle))
  const diagonal = multiply(adjoint(vectors), multiply(unitary, vectors))
  const turns: number[] = []
  let residual = 0
  for (let row = 0; row < dimension; row++) {
    for (let column = 0; column < dimension; column++) {
      const at = 2 * (row * dimension + column)
      const re = diagonal[at] ?? 0
      const im = diagonal[at + 1] ?? 0
      if (row === column) turns.push(principalTurns(re, im))
      else residual = Math.max(residual, Math.hypot(re, im))
    }
  }
  return { vectors, turns, residual }
}

/**
 * arg(z) / 2 pi in (-1/2, 1/2]; simple fractions of a turn are made exact, so that large powers stay exact.
 */
function principalTurns(re: number, im: number): number {
  const turns = Math.atan2(im, re) / (2 * Math.PI)
  const simple = Math.round(turns * 64) / 64
  const exact = Math.abs(turns - simple) < 1e-12 ? simple : turns
  return exact <= -0.5 ? exact + 1 : exact
}

function hermitianPart(unitary: Matrix, angle: number): Matrix {
  const transposed = adjoint(unitary)
  const cos = Math.cos(angle) / 2
  const sin = Math.sin(angle) / 2
  const result = new Float64Array(unitary.length)
  for (let at = 0; at < unitary.length; at += 2) {
    const [re = 0, im = 0] = unitary.subarray(at, at + 2)
    const [adjointRe = 0, adjointIm = 0] = transposed.subarray(at, at + 2)
    result[at] = cos * (re + adjointRe) - sin * (im - adjointIm)
    result[at + 1] = cos * (im + adjointIm) + sin * (re - adjointRe)
  }
  return result
}

/** Eigenvectors of a Hermitian matrix by Jacobi rotations, as columns. */
function hermitianEigenvectors(hermitian: Matrix): Matrix {
  const dimension = dimensionOf(hermitian)
  const work = hermitian.slice()
  const vectors = identity(dimension)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let largest = 0
    for (let p = 0; p < dimension; p++) {
      for (let q = p + 1; q < dimension; q++)
        largest = Math.max(largest, rotate(work, vectors, dimension, p, q))
    }
    if (largest < 1e-15) break
  }
  return vectors
}

/** Zeroes element (p, q) by a rotation of the two basis vectors; returns its size before. */
function rotate(work: Matrix, vectors: Matrix, dimension: number, p: number, q: number): number {
  const at = 2 * (p * dimension + q)
  const re = work[at] ?? 0
  const im = work[at + 1] ?? 0
  const size = Math.hypot(re, im)
  if (size < 1e-300) return 0
  const difference = (work[2 * (q * dimension + q)] ?? 0) - (work[2 * (p * dimension + p)] ?? 0)
  // The smaller of the two possible rotations, with which repeated sweeps converge.
  const theta =
    difference < 0 ? 0.5 * Math.atan2(-2 * size, -difference) : 0.5 * Math.atan2(2 * size, difference)
  const turn = { cos: Math.cos(theta), re: (Math.sin(theta) * re) / size, im: (Math.sin(theta) * im) / size }
  mixColumns(work, dimension, p, q, turn)
  mixColumns(vectors, dimension, p, q, turn)
  mixRows(work, dimension, p, q, turn)
  return size
}

interface Turn {
  cos: number
  /** Sine of the rotation times the phase of the element it removes. */
  re: number
  im: number
}

/** (column p, column q) becomes (cos p - conj(s) q, s p + cos q). */
function mixColumns(matrix: Matrix, dimension: number, p: number, q: number, { cos, re, im }: Turn): void {
  for (let row = 0; row < dimension; row++) {
    const atP = 2 * (row * dimension + p)
    const atQ = 2 * (row * dimension + q)
    const pRe = matrix[atP] ?? 0
    const pIm = matrix[atP + 1] ?? 0
    const qRe = matrix[atQ] ?? 0
    const qIm = matrix[atQ + 1] ?? 0
    matrix[atP] = cos * pRe - (re * qRe + im * qIm)
    matrix[atP + 1] = cos * pIm - (re * qIm - im * qRe)
    matrix[atQ] = re * pRe - im * pIm + cos * qRe
    matrix[atQ + 1] = re * pIm + im * pRe + cos * qIm
  }
}

/** The conjugate of `mixColumns` on rows. */
function mixRows(matrix: Matrix, dimension: number, p: number, q: number, { cos, re, im }: Turn): void {
  for (let column = 0; column < dimension; column++) {
    const atP = 2 * (p * dimension + column)
    const atQ = 2 * (q * dimension + column)
    const pRe = matrix[atP] ?? 0
    const pIm = matrix[atP + 1] ?? 0
    const qRe = matrix[atQ] ?? 0
    const qIm = matrix[atQ + 1] ?? 0
    matrix[atP] = cos * pRe - (re * qRe - im * qIm)
    matrix[atP + 1] = cos * pIm - (re * qIm + im * qRe)
    matrix[atQ] = re * pRe + im * pIm + cos * qRe
    matrix[atQ + 1] = re * pIm - im * pRe + cos * qIm
  }
}

/** U^k on the principal branch: each eigenvalue e^{2 pi i t}, t in (-1/2, 1/2], becomes e^{2 pi i t k}. */
export function unitaryPower(unitary: Matrix, exponent: number): Matrix {
  const dimension = dimensionOf(unitary)
  const { vectors, turns } = diagonalize(unitary)
  const scaled = vectors.slice()
  for (const [column, turn] of turns.entries()) {
    const angle = 2 * Math.PI * ((turn * exponent) % 1)
    const cos = Math.cos(angle)
    const sin = Math.sin(angle)
    for (let row = 0; row < dimension; row++) {
      const at = 2 * (row * dimension + column)
      const [re = 0, im = 0] = scaled.subarray(at, at + 2)
      scaled[at] = re * cos - im * sin
      scaled[at + 1] = re * sin + im * cos
    }
  }
  return multiply(scaled, adjoint(vectors))
}
