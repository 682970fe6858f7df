import type { UnitaryOp } from '../../../../qasm/index.ts'
import { qubitsOf, type StateOp } from '../../../reduction/reduce-circuit.ts'
import { equals, PAULI_X } from './compile.ts'
import { isSingleQubitGate } from './merge-single-qubit-gates.ts'

const R = Math.SQRT1_2
const H = Float64Array.of(R, 0, R, 0, R, 0, -R, 0)
const Z = Float64Array.of(1, 0, 0, 0, 0, 0, -1, 0)

/** An X with one control. */
type ControlledX = UnitaryOp & { targets: [number]; controls: [number] }

function isControlledX(op: StateOp): op is ControlledX {
  return (
    op.kind === 'unitary' &&
    op.controls.length === 1 &&
    op.controlValues === 1 &&
    op.targets.length === 1 &&
    equals(op.matrix, PAULI_X)
  )
}

/**
 * Makes controlled X between gates on their target controlled Z between Hadamard gates, which merge into those gates:
 * a Z is a phase, which meets others in one pass and lets rotations pass on either side. Flips with the same target one
 * after the other count as one.
 */
export function cxToCz(ops: readonly StateOp[]): StateOp[] {
  const isFollowed = followedByGate(ops)
  const comesFromGate: boolean[] = []
  const turned: StateOp[] = []
  for (const [index, op] of ops.entries()) {
    if (isControlledX(op) && isFollowed[index] && comesFromGate[op.targets[0]]) {
      const hadamard: UnitaryOp = { ...op, controls: [], controlValues: 0, matrix: H, name: 'h' }
      turned.push(hadamard, { ...op, matrix: Z, name: 'cz' }, hadamard)
    } else turned.push(op)
    markNearest(op, comesFromGate)
  }
  return turned
}

/** For each flip whether the next other step on its target is a gate on that alone. */
function followedByGate(ops: readonly StateOp[]): boolean[] {
  const found: boolean[] = new Array(ops.length).fill(false)
  const leadsToGate: boolean[] = []
  for (let index = ops.length - 1; index >= 0; index--) {
    const op = ops[index] as StateOp
    if (isControlledX(op)) found[index] = leadsToGate[op.targets[0]] ?? false
    markNearest(op, leadsToGate)
  }
  return found
}

/** Notes for the qubits of a step whether the nearest step, flips of the qubit apart, is a gate on it alone. */
function markNearest(op: StateOp, isGate: boolean[]): void {
  if (isControlledX(op)) isGate[op.controls[0]] = false
  else for (const qubit of qubitsOf(op)) isGate[qubit] = isSingleQubitGate(op)
}
