import type { Op, PhaseOp, UnitaryOp } from '../../../src/qasm/index.ts'

/** How often the gates of a device are needed for one operation. */
export interface GateCost {
  /** Name of the operation, as programs call it. */
  name: string
  qubits: number[]
  /** Gates that entangle, such as cx or cz; of operations on several qubits. */
  entangling: number
  /** Rotations of π/2 about an axis in the plane, of operations on one qubit. */
  pulses: 0 | 1 | 2
}

/** cx or cz that a gate on several qubits needs, besides controlled gates on two (Barenco et al., 1995). */
const ENTANGLING: Readonly<Record<string, number>> = { swap: 3, ccx: 6, ccz: 6, cswap: 8 }
const EPSILON = 1e-9

/** What an operation costs; undefined if this is not known. */
export function costOf(op: Op): GateCost | undefined {
  if (op.kind === 'phase') return phaseCost(op)
  if (op.kind !== 'unitary') return undefined
  const { name, controls, targets } = op
  const qubits = [...controls, ...targets]
  if (qubits.length === 1) return { name, qubits, entangling: 0, pulses: pulsesOf(op.matrix) }
  const entangling = qubits.length === 2 ? entanglingOf(op) : entanglingOfMany(op)
  return entangling === undefined ? undefined : { name: nameOf(op), qubits, entangling, pulses: 0 }
}

/** A phase on one qubit is a change of frame, which takes no time and has no error. */
function phaseCost({ controls, angle }: PhaseOp): GateCost | undefined {
  if (controls.length <= 1) return { name: 'p', qubits: [...controls], entangling: 0, pulses: 0 }
  if (controls.length !== 2) return undefined
  const isCz = Math.abs(Math.cos(angle) + 1) < EPSILON
  return { name: isCz ? 'cz' : 'cp', qubits: [...controls], entangling: isCz ? 1 : 2, pulses: 0 }
}

/** Every rotation of one qubit is at most two pulses between changes of frame (McKay et al., 2017, eq. 2). */
function pulsesOf(matrix: Float64Array): 0 | 1 | 2 {
  const [stays, flips] = [squared(matrix, 0), squared(matrix, 1)]
  if (flips < EPSILON) return 0
  return Math.abs(stays - flips) < EPSILON ? 1 : 2
}

/**
 * Two entangling gates make every controlled rotation; one is enough if the rotation is by π, and then its
 * trace is 0 (Vidal and Dawson, 2004).
 */
function entanglingOf({ controls, matrix, name }: UnitaryOp): number {
  if (controls.length === 0) return ENTANGLING[name] ?? (/^r(xx|yy|zz|zx)$/.test(name) ? 2 : 3)
  const re = (matrix[0] ?? 0) + (matrix[6] ?? 0)
  const im = (matrix[1] ?? 0) + (matrix[7] ?? 0)
  return re * re + im * im < EPSILON ? 1 : 2
}

function entanglingOfMany(op: UnitaryOp): number | undefined {
  const known = ENTANGLING[op.name]
  if (known !== undefined) return known
  const isToffoli = op.controls.length === 2 && op.targets.length === 1 && entanglingOf(op) === 1
  return isToffoli ? ENTANGLING['ccx'] : undefined
}

/** Gates with a modifier keep the name of the gate inside, which costs less than they do. */
function nameOf({ name, controls }: UnitaryOp): string {
  return controls.length > 0 && !name.startsWith('c') ? `ctrl @ ${name}` : name
}

function squared(matrix: Float64Array, entry: number): number {
  return (matrix[2 * entry] ?? 0) ** 2 + (matrix[2 * entry + 1] ?? 0) ** 2
}
