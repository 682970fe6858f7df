import { type Matrix, transpose } from '../../../qasm/index.ts'
import { onBoth, PAULI_Y, PAULI_Z, product } from '../decompose/matrix.ts'

const YY = onBoth(PAULI_Y, PAULI_Y)
const ZZ = onBoth(PAULI_Z, PAULI_Z)

/** On which side of a unitary exp(i angle ZZ) acts. */
export type Side = 'before' | 'after'

/** The unitary with exp(i angle ZZ) after or before it. */
export function turned(unitary: Matrix, angle: number, side: Side): Matrix {
  const factor = diagonal(angle)
  return side === 'after' ? product(factor, unitary) : product(unitary, factor)
}

/**
 * The angle, rad, at which two CZ suffice for `turned`: of a matrix with determinant 1 the trace of
 * U YY Uᵀ YY is then real (Shende, Bullock and Markov, Phys. Rev. A 70, 012310 (2004)).
 */
export function angleToReal(unitary: Matrix, side: Side): number {
  const transposed = transpose(unitary)
  const form = side === 'after' ? product(unitary, YY, transposed, YY) : product(transposed, YY, unitary, YY)
  // The factor that makes the determinant of the unitary 1, up to a sign of the form.
  const phase = -determinantPhase(unitary) / 2
  const [own, crossed] = [times(trace(form), phase), times(trace(product(ZZ, form)), phase)]
  // Im(cos(2 angle) own + i sin(2 angle) crossed) = 0.
  return Math.atan2(-own.im, crossed.re) / 2
}

/** exp(i angle ZZ). */
function diagonal(angle: number): Matrix {
  const result = new Float64Array(32)
  for (const [index, sign] of [1, -1, -1, 1].entries()) {
    result[10 * index] = Math.cos(angle)
    result[10 * index + 1] = sign * Math.sin(angle)
  }
  return result
}

interface Complex {
  re: number
  im: number
}

/** Times e^{i phase}. */
function times({ re, im }: Complex, phase: number): Complex {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  return { re: re * cos - im * sin, im: re * sin + im * cos }
}

function trace(matrix: Matrix): Complex {
  const at = (offset: number) => [0, 10, 20, 30].reduce((sum, cell) => sum + (matrix[cell + offset] ?? 0), 0)
  return { re: at(0), im: at(1) }
}

/** Phase of the determinant of a 4 × 4 unitary, rad, from the minors of its upper and lower rows. */
function determinantPhase(matrix: Matrix): number {
  let [re, im] = [0, 0]
  for (const [one, other, third, fourth, sign] of MINORS) {
    const [upper, lower] = [minor(matrix, 0, one, other), minor(matrix, 2, third, fourth)]
    re += sign * (upper.re * lower.re - upper.im * lower.im)
    im += sign * (upper.re * lower.im + upper.im * lower.re)
  }
  return Math.atan2(im, re)
}

/** Columns of the upper and of the lower minor, and the sign of their product (Laplace). */
const MINORS = [
  [0, 1, 2, 3, 1],
  [0, 2, 1, 3, -1],
  [0, 3, 1, 2, 1],
  [1, 2, 0, 3, 1],
  [1, 3, 0, 2, -1],
  [2, 3, 0, 1, 1],
] as const

function minor(matrix: Matrix, row: number, one: number, other: number): Complex {
  const at = (r: number, c: number) => 2 * (4 * r + c)
  const [a, b, c, d] = [at(row, one), at(row + 1, other), at(row, other), at(row + 1, one)]
  const value = (index: number) => [matrix[index] ?? 0, matrix[index + 1] ?? 0] as const
  const [[aRe, aIm], [bRe, bIm], [cRe, cIm], [dRe, dIm]] = [value(a), value(b), value(c), value(d)]
  return {
    re: aRe * bRe - aIm * bIm - (cRe * dRe - cIm * dIm),
    im: aRe * bIm + aIm * bRe - (cRe * dIm + cIm * dRe),
  }
}
