import type { PhaseOp, UnitaryOp } from '../../../../qasm/index.ts'
import { isDiagonal, qubitsOf, type StateOp } from '../../../reduction/reduce-circuit.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../../../timing/time-budget.ts'
import { isSwap } from './compile.ts'

/** Whether a step is a single-qubit gate. */
export function isSingleQubitGate(op: StateOp): op is UnitaryOp | PhaseOp {
  if (op.kind === 'unitary') return op.targets.length === 1 && op.controls.length === 0
  return op.kind === 'phase' && op.controls.length === 1
}

/** The step as a single-qubit gate, if it is one. */
function toSingleQubitGate(op: StateOp): UnitaryOp | undefined {
  if (!isSingleQubitGate(op)) return undefined
  if (op.kind === 'unitary') return op
  const [re, im] = [Math.cos(op.angle), Math.sin(op.angle)]
  const isOnOne = op.controlValues === 1
  const matrix = isOnOne ? [1, 0, 0, 0, 0, 0, re, im] : [re, im, 0, 0, 0, 0, 1, 0]
  return singleQubitGate(op.controls, Float64Array.from(matrix))
}

function singleQubitGate(targets: number[], matrix: Float64Array): UnitaryOp {
  return { kind: 'unitary', targets, controls: [], controlValues: 0, matrix, name: 'merged' }
}

/** The 2 x 2 matrix product `later · earlier`. */
function product(later: Float64Array, earlier: Float64Array): Float64Array {
  const result = new Float64Array(8)
  for (let row = 0; row < 8; row += 4) {
    for (let column = 0; column < 4; column += 2) {
      const ar = later[row] as number
      const ai = later[row + 1] as number
      const br = earlier[column] as number
      const bi = earlier[column + 1] as number
      const cr = later[row + 2] as number
      const ci = later[row + 3] as number
      const dr = earlier[column + 4] as number
      const di = earlier[column + 5] as number
      result[row + column] = ar * br - ai * bi + cr * dr - ci * di
      result[row + column + 1] = ar * bi + ai * br + cr * di + ci * dr
    }
  }
  return result
}

/**
 * Multiplies a single-qubit gate on target `place` into the dense gate that follows: one pass instead of two.
 */
function absorb(op: UnitaryOp, single: UnitaryOp, place: number): UnitaryOp {
  const [ar = 0, ai = 0, br = 0, bi = 0, cr = 0, ci = 0, dr = 0, di = 0] = single.matrix
  const matrix = op.matrix.slice()
  const dimension = 2 ** op.targets.length
  const far = 2 << place
  for (let at = 0; at < matrix.length; at += 2) {
    // The columns in which the target is 0, each with the one in which it is 1.
    if (((at / 2) % dimension) & (1 << place)) continue
    const xr = op.matrix[at] as number
    const xi = op.matrix[at + 1] as number
    const yr = op.matrix[at + far] as number
    const yi = op.matrix[at + far + 1] as number
    matrix[at] = xr * ar - xi * ai + yr * cr - yi * ci
    matrix[at + 1] = xr * ai + xi * ar + yr * ci + yi * cr
    matrix[at + far] = xr * br - xi * bi + yr * dr - yi * di
    matrix[at + far + 1] = xr * bi + xi * br + yr * di + yi * dr
  }
  return { ...op, matrix }
}

/**
 * Multiplies consecutive single-qubit gates on a qubit into one gate, or into a dense multi-qubit gate that
 * follows: each gate costs a pass over the whole state, and circuits in the basis gates of a chip consist of
 * such runs.
 */
export function mergeSingleQubitGates(ops: readonly StateOp[], work: WorkCounter = UNLIMITED): StateOp[] {
  const waiting = new Map<number, UnitaryOp>()
  const merged: StateOp[] = []
  for (const op of ops) {
    work.spend(OP_WORK)
    const single = toSingleQubitGate(op)
    if (single) {
      const qubit = single.targets[0] as number
      const earlier = waiting.get(qubit)
      const both = earlier && singleQubitGate(single.targets, product(single.matrix, earlier.matrix))
      waiting.set(qubit, both ?? single)
    } else merged.push(takeWaiting(op, waiting, merged))
  }
  return merged.concat(...waiting.values())
}

/** Emits the pending gates on the qubits of a step before it, or merges them into it. Returns the step. */
function takeWaiting(op: StateOp, waiting: Map<number, UnitaryOp>, merged: StateOp[]): StateOp {
  let step = op
  for (const qubit of qubitsOf(op)) {
    const before = waiting.get(qubit)
    if (!before) continue
    waiting.delete(qubit)
    if (isDenseMultiQubitGate(step)) step = absorb(step, before, step.targets.indexOf(qubit))
    else merged.push(before)
  }
  return step
}

/** Whether a step is a dense multi-qubit gate without controls, into which earlier gates merge. */
function isDenseMultiQubitGate(op: StateOp): op is UnitaryOp {
  return (
    op.kind === 'unitary' &&
    op.targets.length > 1 &&
    op.controls.length === 0 &&
    !isDiagonal(op.matrix) &&
    !isSwap(op.matrix)
  )
}
