import { adjoint, type Matrix, ryMatrix, rzMatrix } from '../../../qasm/index.ts'
import { IDENTITY, PAULI_X, product } from './matrix.ts'

/** Below this an angle is 0 and a matrix element vanishes. */
export const NEGLIGIBLE = 1e-11

/** Angles (rad) of a matrix that equals, up to a phase, Rz(z) · R(theta, phi). */
interface PulseAngles {
  /** 0 to pi: the rotation of one pulse, about an axis in the plane of x and y. */
  theta: number
  /** Angle of that axis from x. */
  phi: number
  /** The rotation about z that follows. */
  z: number
}

/** The one pulse and the rotation about z that make any unitary on one qubit. */
export function pulseAnglesOf(matrix: Matrix): PulseAngles {
  const [aRe = 0, aIm = 0, bRe = 0, bIm = 0, cRe = 0, cIm = 0, dRe = 0, dIm = 0] = matrix
  const kept = Math.hypot(aRe, aIm)
  const moved = Math.hypot(cRe, cIm)
  if (moved < NEGLIGIBLE) return { theta: 0, phi: 0, z: Math.atan2(dIm, dRe) - Math.atan2(aIm, aRe) }
  const below = Math.atan2(cIm, cRe)
  if (kept < NEGLIGIBLE) return { theta: Math.PI, phi: halfTurnAxis(Math.atan2(bIm, bRe), below), z: 0 }
  const first = Math.atan2(aIm, aRe)
  const z = Math.atan2(dIm, dRe) - first
  return { theta: 2 * Math.atan2(moved, kept), phi: below - first + Math.PI / 2 - z, z }
}

/**
 * The axis of a half turn, from the phases of its two elements. The opposite axis makes the same gate; of a
 * matrix with determinant 1, which a rotation has, the phase tells which one was written.
 */
function halfTurnAxis(above: number, below: number): number {
  const isRotation = Math.abs(Math.cos(above + below) + 1) < NEGLIGIBLE
  return isRotation ? below + Math.PI / 2 : (below - above) / 2
}

/** Eigenvalues e^{i phases} of a unitary on one qubit; the columns of `basis` are its eigenvectors. */
export interface Eigen {
  basis: Matrix
  inverse: Matrix
  /** rad. */
  phases: readonly [number, number]
}

/** Diagonalizes e^{i phase} exp(-i angle n·sigma / 2): its basis is the rotation that moves z to n. */
export function eigenOf(matrix: Matrix): Eigen {
  const [aRe = 0, aIm = 0, bRe = 0, bIm = 0, cRe = 0, cIm = 0, dRe = 0, dIm = 0] = matrix
  const phase =
    Math.atan2(
      ...imaginaryFirst(
        aRe * dRe - aIm * dIm - (bRe * cRe - bIm * cIm),
        aRe * dIm + aIm * dRe - (bRe * cIm + bIm * cRe),
      ),
    ) / 2
  // With the phase removed, the matrix is cos · 1 - i (x X + y Y + z Z).
  const cosine = Math.cos(phase)
  const sine = Math.sin(phase)
  const turned = (re: number, im: number) => ({ re: re * cosine + im * sine, im: im * cosine - re * sine })
  const [a, b, c, d] = [turned(aRe, aIm), turned(bRe, bIm), turned(cRe, cIm), turned(dRe, dIm)]
  const x = -(b.im + c.im) / 2
  const y = (c.re - b.re) / 2
  const z = (d.im - a.im) / 2
  const half = Math.atan2(Math.hypot(x, y, z), (a.re + d.re) / 2)
  const across = Math.hypot(x, y)
  if (across < NEGLIGIBLE) {
    // Along z already; the sign of z decides which state comes first.
    const basis = z < 0 ? PAULI_X : IDENTITY
    return { basis, inverse: basis, phases: [phase - half, phase + half] }
  }
  const basis = product(rzMatrix(Math.atan2(y, x)), ryMatrix(Math.atan2(across, z)))
  return { basis, inverse: adjoint(basis), phases: [phase - half, phase + half] }
}

function imaginaryFirst(re: number, im: number): [number, number] {
  return [im, re]
}
