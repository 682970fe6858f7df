import type { UnitaryOp } from '../../../../qasm/index.ts'
import { type Action, qubitsOf } from '../../../reduction/reduce-circuit.ts'
import { equals, FLIP } from './compile.ts'
import { isSingle } from './merge.ts'

const R = Math.SQRT1_2
const H = Float64Array.of(R, 0, R, 0, R, 0, -R, 0)
const Z = Float64Array.of(1, 0, 0, 0, 0, 0, -1, 0)

/** An X with one control. */
type Flip = UnitaryOp & { targets: [number]; controls: [number] }

function isFlip(op: Action): op is Flip {
  return (
    op.kind === 'unitary' &&
    op.controls.length === 1 &&
    op.controlValues === 1 &&
    op.targets.length === 1 &&
    equals(op.matrix, FLIP)
  )
}

/**
 * Makes controlled X between gates on their target controlled Z between Hadamard gates, which merge into those gates:
 * a Z is a phase, which meets others in one pass and lets rotations pass on either side. Flips with the same target one
 * after the other count as one.
 */
export function turnFlips(ops: readonly Action[]): Action[] {
  const isFollowed = followedByGate(ops)
  const comesFromGate: boolean[] = []
  const turned: Action[] = []
  for (const [index, op] of ops.entries()) {
    if (isFlip(op) && isFollowed[index] && comesFromGate[op.targets[0]]) {
      const hadamard: UnitaryOp = { ...op, controls: [], controlValues: 0, matrix: H, name: 'h' }
      turned.push(hadamard, { ...op, matrix: Z, name: 'cz' }, hadamard)
    } else turned.push(op)
    note(op, comesFromGate)
  }
  return turned
}

/** For each flip whether the next other step on its target is a gate on that alone. */
function followedByGate(ops: readonly Action[]): boolean[] {
  const found: boolean[] = new Array(ops.length).fill(false)
  const leadsToGate: boolean[] = []
  for (let index = ops.length - 1; index >= 0; index--) {
    const op = ops[index] as Action
    if (isFlip(op)) found[index] = leadsToGate[op.targets[0]] ?? false
    note(op, leadsToGate)
  }
  return found
}

/** Notes for the qubits of a step whether the nearest step, flips of the qubit apart, is a gate on it alone. */
function note(op: Action, isGate: boolean[]): void {
  if (isFlip(op)) isGate[op.controls[0]] = false
  else for (const qubit of qubitsOf(op)) isGate[qubit] = isSingle(op)
}
