import type { Matrix } from '../../../qasm/index.ts'

/** Below this the smaller coefficient is 0: the state is a product. */
const NEGLIGIBLE = 1e-11

/** A state of two qubits as (ofHigh ⊗ ofLow) (cos(angle) |00> + sin(angle) |11>). */
interface SchmidtForm {
  /** rad, 0 to pi / 4; 0 for a product. */
  angle: number
  /** Unitary 2 × 2. */
  ofLow: Matrix
  ofHigh: Matrix
}

/**
 * The Schmidt form of a state: the rows of its 2 × 2 matrix belong to the more significant qubit, and the
 * eigenvectors of M† M are those of the less significant one, conjugated.
 * @param state four amplitudes, real and imaginary parts interleaved, the less significant qubit first
 */
export function schmidtOf(state: Float64Array): SchmidtForm {
  const [aRe = 0, aIm = 0, bRe = 0, bIm = 0, cRe = 0, cIm = 0, dRe = 0, dIm = 0] = state
  // M† M = [[p, q], [q*, r]].
  const p = aRe ** 2 + aIm ** 2 + cRe ** 2 + cIm ** 2
  const r = bRe ** 2 + bIm ** 2 + dRe ** 2 + dIm ** 2
  const qRe = aRe * bRe + aIm * bIm + cRe * dRe + cIm * dIm
  const qIm = aRe * bIm - aIm * bRe + cRe * dIm - cIm * dRe
  const half = Math.atan2(2 * Math.hypot(qRe, qIm), p - r) / 2
  const phase = Math.atan2(qIm, qRe)
  const [cos, sin] = [Math.cos(half), Math.sin(half)]
  const [x, y] = [Math.cos(phase), Math.sin(phase)]
  // Eigenvectors (cos, sin e^{-i phase}) of the larger and (-sin e^{i phase}, cos) of the smaller one.
  const first = applied(state, [cos, 0, sin * x, -sin * y])
  const second = applied(state, [-sin * x, -sin * y, cos, 0])
  const [large, small] = [Math.hypot(...first), Math.hypot(...second)]
  const one = first.map((value) => value / large)
  const [uRe = 0, uIm = 0, vRe = 0, vIm = 0] = one
  const isProduct = small < NEGLIGIBLE
  // A product leaves the second state free: any that is orthogonal to the first.
  const other = isProduct ? [-vRe, vIm, uRe, -uIm] : second.map((value) => value / small)
  return {
    angle: isProduct ? 0 : Math.atan2(small, large),
    ofHigh: ofColumns(one, other),
    ofLow: ofColumns([cos, 0, sin * x, sin * y], [-sin * x, sin * y, cos, 0]),
  }
}

type Vector = readonly number[]

/** M v, for a vector of the less significant qubit. */
function applied(state: Float64Array, [xRe = 0, xIm = 0, yRe = 0, yIm = 0]: Vector): number[] {
  return [0, 4].flatMap((row) => {
    const [aRe = 0, aIm = 0, bRe = 0, bIm = 0] = state.subarray(row, row + 4)
    return [aRe * xRe - aIm * xIm + bRe * yRe - bIm * yIm, aRe * xIm + aIm * xRe + bRe * yIm + bIm * yRe]
  })
}

function ofColumns(
  [aRe = 0, aIm = 0, cRe = 0, cIm = 0]: Vector,
  [bRe = 0, bIm = 0, dRe = 0, dIm = 0]: Vector,
) {
  return Float64Array.of(aRe, aIm, bRe, bIm, cRe, cIm, dRe, dIm)
}
