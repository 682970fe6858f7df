import type { UnitaryOp } from '../../../../qasm/index.ts'
import { qubitsOf, type StateOp } from '../../../reduction/reduce-circuit.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../../../timing/time-budget.ts'
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
 * Replaces controlled X by controlled Z between Hadamard gates where the target has single-qubit gates before
 * and after it, into which the Hadamard gates merge. A controlled Z is a phase: it merges with other phases
 * and commutes with rotations. Consecutive controlled X with the same target count as one.
 */
export function cxToCz(ops: readonly StateOp[], work: WorkCounter = UNLIMITED): StateOp[] {
  const isFollowed = followedByGate(ops, work)
  const comesFromGate: boolean[] = []
  const converted: StateOp[] = []
  for (const [index, op] of ops.entries()) {
    work.spend(OP_WORK)
    if (isControlledX(op) && isFollowed[index] && comesFromGate[op.targets[0]]) {
      const hadamard: UnitaryOp = { ...op, controls: [], controlValues: 0, matrix: H, name: 'h' }
      converted.push(hadamard, { ...op, matrix: Z, name: 'cz' }, hadamard)
    } else converted.push(op)
    markNearest(op, comesFromGate)
  }
  return converted
}

/** For each controlled X whether the next other step on its target is a single-qubit gate. */
function followedByGate(ops: readonly StateOp[], work: WorkCounter): boolean[] {
  const found: boolean[] = new Array(ops.length).fill(false)
  const leadsToGate: boolean[] = []
  for (let index = ops.length - 1; index >= 0; index--) {
    work.spend(OP_WORK)
    const op = ops[index] as StateOp
    if (isControlledX(op)) found[index] = leadsToGate[op.targets[0]] ?? false
    markNearest(op, leadsToGate)
  }
  return found
}

/**
 * Marks for the qubits of a step whether it is a single-qubit gate; a controlled X leaves its target
 * unchanged.
 */
function markNearest(op: StateOp, isGate: boolean[]): void {
  if (isControlledX(op)) isGate[op.controls[0]] = false
  else for (const qubit of qubitsOf(op)) isGate[qubit] = isSingleQubitGate(op)
}
