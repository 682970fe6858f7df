import type { MeasureOp, Op, PhaseOp, ResetOp, UnitaryOp } from '../../../qasm/index.ts'
import { compile, isDiagonal, type KernelCall } from './compile.ts'
import { bitCount } from './kernels.ts'
import { type Action, mergeSingles, qubitsOf } from './merge.ts'
import { MAX_STATE_QUBITS } from './statevector.ts'

/** A measurement that must happen where it stands. `bit` is the qubit's in the state; `clbit` may be -1. */
export interface MeasureStep {
  kind: 'measure'
  bit: number
  clbit: number
}

/** A reset of a qubit that something has touched. */
export interface ResetStep {
  kind: 'reset'
  bit: number
}

export type Step = KernelCall | MeasureStep | ResetStep

/** What is left of a circuit to compute its outcomes. */
export interface Plan {
  /** Qubits of the state: those that influence an outcome. */
  qubits: number
  steps: Step[]
  /** Measurements that may wait until after the last step. `bit` is 0 for a qubit that stays |0>. */
  terminal: { bit: number; clbit: number }[]
  /** Whether some step is a measurement or reset, so that shots differ before the end. */
  collapses: boolean
}

/** Walks a circuit backwards and keeps what an outcome depends on. */
class Backward {
  readonly kept: Action[] = []
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

  step(op: Op): void {
    if (op.kind === 'measure') this.#measure(op)
    else if (op.kind === 'reset') this.#reset(op)
    else if (op.kind === 'unitary') this.#unitary(op)
    else if (op.kind === 'phase') this.#diagonal(op, op.controls)
  }

  #measure(op: MeasureOp): void {
    const { qubit, clbit } = op
    const isWanted = clbit >= 0 && !this.#written[clbit]
    if (isWanted) this.#written[clbit] = 1
    if (this.#disturbed[qubit]) {
      // An overwritten outcome still dephases a qubit on which others depend.
      if (!isWanted && !this.#live[qubit]) return
      this.kept.push(isWanted ? op : { ...op, clbit: -1 })
      this.#live[qubit] = 1
    } else if (isWanted) {
      this.terminal.push({ qubit, clbit })
      this.#live[qubit] = 1
    }
  }

  #reset(op: ResetOp): void {
    if (!this.#live[op.qubit]) return
    this.kept.push(op)
    // What the qubit was before no longer counts, unless something else is entangled with it.
    this.#live[op.qubit] = 0
    this.#disturbed[op.qubit] = 1
  }

  #unitary(op: UnitaryOp): void {
    const all = op.controls.concat(op.targets)
    if (isDiagonal(op.matrix)) {
      this.#diagonal(op, all)
      return
    }
    // Without a live target it does to its live controls what a diagonal step could do.
    if (!op.targets.some((qubit) => this.#live[qubit]) && !this.#isShown(op.controls)) return
    this.kept.push(op)
    for (const qubit of all) this.#live[qubit] = 1
    for (const qubit of op.targets) this.#disturbed[qubit] = 1
  }

  #diagonal(op: UnitaryOp | PhaseOp, qubits: number[]): void {
    if (!this.#isShown(qubits)) return
    this.kept.push(op)
    for (const qubit of qubits) this.#live[qubit] = 1
  }

  /**
   * Whether an outcome can show a step that is diagonal in these qubits: it commutes with everything up to the
   * final measurements unless one of them, on which an outcome depends, is disturbed in between.
   */
  #isShown(qubits: number[]): boolean {
    return qubits.some((qubit) => this.#live[qubit] && this.#disturbed[qubit])
  }
}

/**
 * Reduces a circuit to what its outcomes depend on: drops steps and qubits that no measured bit depends on, moves
 * measurements that commute with everything after them to the end, and merges gates.
 */
export function planCircuit(ops: readonly Op[], qubits: number, clbits: number): Plan {
  const backward = new Backward(qubits, clbits)
  for (let index = ops.length - 1; index >= 0; index--) {
    const op = ops[index]
    if (op) backward.step(op)
  }
  const kept = mergeSingles(withoutIdleResets(backward.kept.reverse(), qubits))
  const used = new Set(kept.flatMap(qubitsOf))
  const places = new Map([...used].sort((a, b) => a - b).map((qubit, place) => [qubit, place]))
  const bitOf = (qubit: number) => 1 << (places.get(qubit) ?? 0)
  const isCollapse = (op: Action) => op.kind === 'measure' || op.kind === 'reset'
  return {
    qubits: places.size,
    // With more qubits than a mask has bits there is no plan: the caller refuses it for their number.
    steps: places.size > MAX_STATE_QUBITS ? [] : kept.flatMap((op) => stepsOf(op, bitOf)),
    terminal: backward.terminal.map(({ qubit, clbit }) => ({
      bit: places.has(qubit) ? bitOf(qubit) : 0,
      clbit,
    })),
    collapses: kept.some(isCollapse),
  }
}

/** A reset of a qubit that nothing has touched changes nothing. */
function withoutIdleResets(ops: Action[], qubits: number): Action[] {
  const touched = new Uint8Array(qubits)
  return ops.filter((op) => {
    if (op.kind === 'reset' && !touched[op.qubit]) return false
    for (const qubit of qubitsOf(op)) touched[qubit] = 1
    return true
  })
}

function stepsOf(op: Action, bitOf: (qubit: number) => number): Step[] {
  if (op.kind === 'unitary' || op.kind === 'phase') return compile(op, bitOf)
  const bit = bitOf(op.qubit)
  return [op.kind === 'measure' ? { kind: 'measure', bit, clbit: op.clbit } : { kind: 'reset', bit }]
}

/** Work of a step in amplitude updates, a dense single-qubit gate without controls being one pass over the state. */
export function costOf(step: Step, qubits: number): number {
  const size = 2 ** qubits
  if (step.kind === 'measure' || step.kind === 'reset') return 2 * size
  const touched = size / 2 ** bitCount(step.controls)
  if (step.kind === 'many') return touched * 2 ** step.targets.length
  return touched
}
