import type { DelayOp, MeasureOp, Op, PhaseOp, ResetOp, UnitaryOp } from '../../qasm/index.ts'
import type { ChannelOp } from '../noise/noise-model.ts'
import { OP_WORK, UNLIMITED, type WorkCounter } from '../timing/time-budget.ts'

/** A step that changes a state. */
export type StateOp = UnitaryOp | PhaseOp | MeasureOp | ResetOp | ChannelOp

/** The qubits of a step. */
export function qubitsOf(op: StateOp | DelayOp): number[] {
  if (op.kind === 'measure' || op.kind === 'reset') return [op.qubit]
  if (op.kind === 'channel' || op.kind === 'delay') return op.qubits
  if (op.kind === 'phase') return op.controls
  return op.controls.length === 0 ? op.targets : op.targets.concat(op.controls)
}

/** Whether a row-major matrix with interleaved parts is diagonal. */
export function isDiagonal(matrix: Float64Array): boolean {
  const apart = Math.sqrt(matrix.length / 2) + 1
  // A loop, because `every` takes ten times as long and this runs several times per gate.
  for (let part = 0; part < matrix.length; part++) {
    if (matrix[part] !== 0 && (part >> 1) % apart !== 0) return false
  }
  return true
}

/** The part of a circuit that its outcomes depend on; gates keep their names, qubits their numbers. */
export interface ReducedCircuit {
  /** Qubits that influence an outcome, ascending. */
  qubits: number[]
  ops: StateOp[]
  /** Measurements that can be deferred until after the last step. */
  terminal: { qubit: number; clbit: number }[]
  /** Whether a step is a measurement, a reset or noise, so that shots may differ before the end. */
  canBranch: boolean
}

/** Walks a circuit backwards and collects the steps that an outcome depends on. */
class BackwardPass {
  readonly keptOps: StateOp[] = []
  readonly terminal: { qubit: number; clbit: number }[] = []
  /** Qubits on which a later measured outcome depends. */
  readonly #live: Uint8Array
  /** Qubits on which a later kept step does not commute with a measurement. */
  readonly #disturbed: Uint8Array
  readonly #written: Uint8Array

  constructor(qubits: number, clbits: number) {
    this.#live = new Uint8Array(qubits)
    this.#disturbed = new Uint8Array(qubits)
    this.#written = new Uint8Array(clbits)
  }

  /** Keeps what the state of a qubit at the end depends on; called before the first step. */
  observe({ qubit, isDisturbed }: ObservedQubit): void {
    this.#live[qubit] = 1
    if (isDisturbed) this.#disturbed[qubit] = 1
  }

  step(op: Op | ChannelOp): void {
    if (op.kind === 'measure') this.#measure(op)
    else if (op.kind === 'reset') this.#reset(op)
    else if (op.kind === 'unitary') this.#unitary(op)
    else if (op.kind === 'phase') this.#diagonal(op, op.controls)
    else if (op.kind === 'channel') this.#channel(op)
  }

  #measure(op: MeasureOp): void {
    const { qubit, clbit } = op
    const isNeeded = clbit >= 0 && !this.#written[clbit]
    if (isNeeded) this.#written[clbit] = 1
    if (this.#disturbed[qubit]) {
      // An overwritten outcome still dephases a qubit on which others depend.
      if (!isNeeded && !this.#live[qubit]) return
      this.keptOps.push(isNeeded ? op : { ...op, clbit: -1 })
      this.#live[qubit] = 1
    } else if (isNeeded) {
      this.terminal.push({ qubit, clbit })
      this.#live[qubit] = 1
    }
  }

  #reset(op: ResetOp): void {
    if (!this.#live[op.qubit]) return
    this.keptOps.push(op)
    // The earlier state of the qubit no longer matters, unless another qubit is entangled with it.
    this.#live[op.qubit] = 0
    this.#disturbed[op.qubit] = 1
  }

  #unitary(op: UnitaryOp): void {
    const { controls, targets } = op
    const isDense = !isDiagonal(op.matrix)
    // Without a live target it affects its live controls as a diagonal step would.
    const isNeeded = isDense ? this.#isLive(targets) : this.#isObservable(targets)
    if (!isNeeded && !this.#isObservable(controls)) return
    this.keptOps.push(op)
    for (const qubit of controls) this.#live[qubit] = 1
    for (const qubit of targets) {
      this.#live[qubit] = 1
      if (isDense) this.#disturbed[qubit] = 1
    }
  }

  #channel(op: ChannelOp): void {
    if (op.channel.kraus.every(isDiagonal)) {
      this.#diagonal(op, op.qubits)
      return
    }
    if (!this.#isLive(op.qubits)) return
    this.keptOps.push(op)
    for (const qubit of op.qubits) {
      this.#live[qubit] = 1
      this.#disturbed[qubit] = 1
    }
  }

  #diagonal(op: PhaseOp | ChannelOp, qubits: number[]): void {
    if (!this.#isObservable(qubits)) return
    this.keptOps.push(op)
    for (const qubit of qubits) this.#live[qubit] = 1
  }

  /**
   * Whether a step that is diagonal in these qubits can affect an outcome: it commutes with everything up to
   * the final measurements unless a later step disturbs one of the qubits on which an outcome depends.
   */
  #isObservable(qubits: number[]): boolean {
    for (const qubit of qubits) if (this.#live[qubit] && this.#disturbed[qubit]) return true
    return false
  }

  #isLive(qubits: number[]): boolean {
    for (const qubit of qubits) if (this.#live[qubit]) return true
    return false
  }
}

/** A qubit whose state at the end matters. */
interface ObservedQubit {
  qubit: number
  /** Whether its phase matters too: a measurement of it then changes what is observed. */
  isDisturbed: boolean
}

interface ReduceOptions {
  work?: WorkCounter
  /** Qubits that matter besides the outcomes. */
  observed?: readonly ObservedQubit[]
}

/**
 * Reduces a circuit to what its outcomes depend on: drops steps and qubits that no measured bit depends on
 * and moves measurements that commute with everything after them to the end.
 */
export function reduceCircuit(
  all: readonly (Op | ChannelOp)[],
  qubits: number,
  clbits: number,
  { work = UNLIMITED, observed = [] }: ReduceOptions = {},
): ReducedCircuit {
  const backward = new BackwardPass(qubits, clbits)
  for (const each of observed) backward.observe(each)
  for (let index = all.length - 1; index >= 0; index--) {
    work.spend(OP_WORK)
    const op = all[index]
    if (op) backward.step(op)
  }
  const touched = new Uint8Array(qubits)
  const ops = withoutIdleResets(backward.keptOps.reverse(), touched, work)
  return {
    qubits: [...touched.keys()].filter((qubit) => touched[qubit]),
    ops,
    terminal: backward.terminal,
    canBranch: ops.some(({ kind }) => kind === 'measure' || kind === 'reset' || kind === 'channel'),
  }
}

/**
 * Drops resets of qubits that no earlier step has touched. Marks the qubits of the remaining steps in
 * `touched`.
 */
function withoutIdleResets(ops: StateOp[], touched: Uint8Array, work: WorkCounter): StateOp[] {
  return ops.filter((op) => {
    work.spend(OP_WORK)
    if (op.kind === 'reset' && !touched[op.qubit]) return false
    for (const qubit of qubitsOf(op)) touched[qubit] = 1
    return true
  })
}
