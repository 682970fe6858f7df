import {
  type BarrierOp,
  type DelayOp,
  type Matrix,
  type MeasureOp,
  type ResetOp,
  rzMatrix,
} from '../../../qasm/index.ts'
import { IDENTITY, product } from './matrix.ts'
import { NEGLIGIBLE, pulseAnglesOf } from './one-qubit.ts'
import type { CzStep, Step } from './step.ts'

/** One pulse: a rotation by `theta` (rad, 0 to pi) about the axis at `phi` (rad) in the plane of x and y. */
interface RotateOp {
  kind: 'rotate'
  qubit: number
  theta: number
  phi: number
}

/** A rotation about z, which is a change of the frame and takes no time. */
interface RzOp {
  kind: 'rz'
  qubit: number
  /** rad. */
  angle: number
}

/** What a chip of transmons can do. */
export type NativeOp = RotateOp | RzOp | CzStep | MeasureOp | ResetOp | BarrierOp | DelayOp

/**
 * Merges the gates between CZ, measurements, resets, barriers and delays into one pulse a qubit. Rotations
 * about z commute with CZ and with measurements: they are carried along and take part in the next pulse.
 */
export function toNative(steps: readonly Step[]): NativeOp[] {
  const ops: NativeOp[] = []
  const pending = new Map<number, Matrix>()
  const flush = (qubit: number) => {
    const matrix = pending.get(qubit)
    if (matrix === undefined) return
    const { theta, phi, z } = pulseAnglesOf(matrix)
    if (theta > NEGLIGIBLE) ops.push({ kind: 'rotate', qubit, theta, phi })
    pending.set(qubit, rzMatrix(z))
  }
  for (const step of steps) {
    if (step.kind === 'local') {
      pending.set(step.qubit, product(step.matrix, pending.get(step.qubit) ?? IDENTITY))
      continue
    }
    for (const qubit of qubitsOf(step)) flush(qubit)
    ops.push(step)
    if (step.kind === 'reset') pending.delete(step.qubit)
  }
  for (const qubit of pending.keys()) flush(qubit)
  for (const [qubit, matrix] of pending) {
    const { z } = pulseAnglesOf(matrix)
    if (Math.abs(z) > NEGLIGIBLE) ops.push({ kind: 'rz', qubit, angle: z })
  }
  return ops
}

/** The qubits of a step. */
export function qubitsOf(step: Step): readonly number[] {
  return 'qubits' in step ? step.qubits : [step.qubit]
}
