import { multiply, type UnitaryOp } from '../../../qasm/index.ts'
import type { Channel } from '../../noise/channel.ts'
import { qubitsOf, type StateOp } from '../../reduction/reduce-circuit.ts'
import { OP_WORK, type WorkCounter } from '../../timing/time-budget.ts'
import { mergeSingleQubitGates } from '../statevector/gates/merge-single-qubit-gates.ts'
import { DEPHASED, RESET, superoperatorOf } from './superoperator.ts'

/** A channel on a density matrix, as a matrix on the rows and columns of its qubits. */
export interface Superoperator {
  kind: 'superoperator'
  qubits: readonly number[]
  matrix: Float64Array
}

/** What waits on one qubit for the next step on several. */
interface Waiting {
  matrix: Float64Array
  /** The gate alone, if nothing else waits. */
  gate: UnitaryOp | undefined
}

/**
 * Multiplies consecutive gates and channels on a qubit into one superoperator, which takes one pass: as long
 * as the gate alone on rows and columns.
 */
export class QubitMerge {
  readonly merged: (StateOp | Superoperator)[] = []
  readonly #waiting = new Map<number, Waiting>()
  /** A channel is that of all gates of a kind: its matrix is computed once. */
  readonly #known = new Map<Channel, Float64Array>()

  constructor(ops: readonly StateOp[], work: WorkCounter) {
    for (const op of mergeSingleQubitGates(ops, work)) {
      work.spend(OP_WORK)
      this.#step(op)
    }
    for (const [qubit, waiting] of this.#waiting) this.#emit(qubit, waiting)
  }

  #step(op: StateOp): void {
    const qubits = qubitsOf(op)
    const [qubit] = qubits
    const step = qubits.length === 1 ? this.#onOneQubit(op) : undefined
    if (step && qubit !== undefined) {
      const before = this.#waiting.get(qubit)
      const both = before && { matrix: multiply(step.matrix, before.matrix), gate: undefined }
      this.#waiting.set(qubit, both ?? step)
      return
    }
    for (const each of qubits) {
      const waiting = this.#waiting.get(each)
      if (waiting) this.#emit(each, waiting)
      this.#waiting.delete(each)
    }
    if (op.kind === 'channel')
      this.merged.push({ kind: 'superoperator', qubits, matrix: this.#matrixOf(op.channel) })
    else this.merged.push(op)
  }

  #onOneQubit(op: StateOp): Waiting | undefined {
    if (op.kind === 'channel') return { matrix: this.#matrixOf(op.channel), gate: undefined }
    if (op.kind === 'reset') return { matrix: this.#matrixOf(RESET), gate: undefined }
    if (op.kind === 'measure') return { matrix: this.#matrixOf(DEPHASED), gate: undefined }
    if (op.kind === 'phase' || op.targets.length !== 1 || op.controls.length > 0) return undefined
    return { matrix: superoperatorOf({ qubits: 1, kraus: [op.matrix] }), gate: op }
  }

  #matrixOf(channel: Channel): Float64Array {
    const matrix = this.#known.get(channel) ?? superoperatorOf(channel)
    this.#known.set(channel, matrix)
    return matrix
  }

  #emit(qubit: number, { matrix, gate }: Waiting): void {
    this.merged.push(gate ?? { kind: 'superoperator', qubits: [qubit], matrix })
  }
}
