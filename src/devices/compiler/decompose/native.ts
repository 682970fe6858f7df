import type { BarrierOp, DelayOp, Matrix, MeasureOp, ResetOp } from '../../../qasm/index.ts'
import { wrapAngle } from '../../pulse/rotation.ts'
import { IDENTITY, product } from './matrix.ts'
import { NEGLIGIBLE, pulseAnglesOf } from './one-qubit.ts'
import type { CzStep, IdleStep, LocalStep, Step } from './step.ts'

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

/** What a qubit has to do before its next CZ, and the frame in which it does so. */
interface Pending {
  /** Undefined for nothing. */
  matrix?: Matrix | undefined
  gate?: number | undefined
  isPulse: boolean
  /** The rotation about z before it, rad. */
  frame: number
}

/**
 * Merges the gates between CZ, measurements, resets, barriers and delays into one pulse a qubit, or where
 * gates are played by themselves, what belongs to one gate. Rotations about z commute with CZ and with
 * measurements: they are carried along as a frame, whose angle later pulses subtract from their axes.
 * @param pulseNsOf duration of a pulse of a qubit, ns
 */
export function toNative(steps: readonly Step[], pulseNsOf = (_: number) => 0): NativeOp[] {
  const ops: NativeOp[] = []
  const pending = new Map<number, Pending>()
  const flush = (qubit: number) => {
    const { matrix, isPulse = false, frame = 0 } = pending.get(qubit) ?? {}
    if (matrix === undefined) return
    const { theta, phi, z } = pulseAnglesOf(matrix)
    if (theta > NEGLIGIBLE || isPulse) ops.push({ kind: 'rotate', qubit, theta, phi: wrapAngle(phi - frame) })
    pending.set(qubit, { isPulse: false, frame: wrapAngle(frame + z) })
  }
  for (const step of steps) {
    if (step.kind === 'local') {
      const { qubit, gate } = step
      if (pending.get(qubit)?.gate !== gate) flush(qubit)
      pending.set(qubit, joined(step, pending.get(qubit)))
      continue
    }
    for (const qubit of qubitsOf(step)) flush(qubit)
    ops.push(step.kind === 'idle' ? waitOf(step, pulseNsOf(step.qubit)) : step)
    if (step.kind === 'reset') pending.delete(step.qubit)
  }
  for (const qubit of pending.keys()) flush(qubit)
  return [...ops, ...framesOf(pending)]
}

/** The changes of frames that are left at the end. */
function framesOf(pending: ReadonlyMap<number, Pending>): RzOp[] {
  return [...pending].flatMap(([qubit, { frame: angle }]) =>
    Math.abs(angle) > NEGLIGIBLE ? [{ kind: 'rz', qubit, angle }] : [],
  )
}

/** What a qubit has to do with one more unitary. */
function joined({ matrix, gate, isPulse = false }: LocalStep, before?: Pending): Pending {
  return {
    matrix: product(matrix, before?.matrix ?? IDENTITY),
    gate,
    isPulse: isPulse || before?.isPulse === true,
    frame: before?.frame ?? 0,
  }
}

function waitOf({ qubit, pulses }: IdleStep, pulseNs: number): DelayOp {
  const duration = { numerator: BigInt(Math.round(pulses * pulseNs * 1e6)), denominator: 10n ** 15n }
  return { kind: 'delay', qubits: [qubit], duration }
}

/** The qubits of a step, or of an operation. */
export function qubitsOf(step: Step | NativeOp): readonly number[] {
  return 'qubits' in step ? step.qubits : [step.qubit]
}
