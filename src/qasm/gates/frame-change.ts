import type { PhaseOp, UnitaryOp } from '../circuit.ts'

/** Rotations about axes across z: a pulse also by the angle 0, so that a sweep of angles keeps its time. */
const ROTATIONS: ReadonlySet<string> = new Set(['rx', 'ry', 'r', 'prx', 'U1q'])
/** Below this a matrix element vanishes. */
const NEGLIGIBLE = 1e-11

/** Whether a step only changes the frame of one qubit, which takes no time: its matrix is diagonal. */
export function isFrameChange(op: UnitaryOp | PhaseOp): boolean {
  if (op.kind === 'phase') return op.controls.length < 2
  const { targets, controls, matrix, name, waits } = op
  if (targets.length !== 1 || controls.length > 0 || waits !== undefined || ROTATIONS.has(name)) return false
  return Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0) < NEGLIGIBLE
}

/** How many times as long as a gate a step takes. */
export function gateTimes(op: UnitaryOp | PhaseOp): number {
  if (isFrameChange(op)) return 0
  return op.kind === 'unitary' && op.controls.length === 0 ? (op.waits ?? 1) : 1
}
