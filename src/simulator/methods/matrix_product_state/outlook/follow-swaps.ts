import { isSwap, type LocalOperator, operatorOf } from '../../../reduction/operator.ts'
import type { StateOp } from '../../../reduction/reduce-circuit.ts'

/** A gate on the qubits that it acts on if swaps exchange names instead of values. */
export interface NamedStep {
  /** Index of the step in the circuit. */
  index: number
  operator: LocalOperator
  /** Targets and controls. */
  qubits: number[]
}

/** Gates of a circuit without its swaps, also those written as three CX: these only exchange names. */
export function followSwaps(ops: readonly StateOp[]): NamedStep[] {
  const names = new Names()
  for (const [index, op] of ops.entries()) {
    const operator = op.kind === 'unitary' || op.kind === 'phase' ? operatorOf(op) : undefined
    if (operator) names.step(index, operator)
  }
  return [...names.steps]
}

class Names {
  readonly steps = new Set<NamedStep>()
  readonly #names = new Map<number, number>()
  /** Steps on each qubit, by its name, that are CX and follow one another: the last two. */
  readonly #runs = new Map<number, NamedStep[]>()

  step(index: number, operator: LocalOperator): void {
    const own = [...operator.targets, ...operator.controls]
    if (isSwap(operator)) {
      this.#exchange(own)
      return
    }
    const qubits = own.map((qubit) => this.#nameOf(qubit))
    const targets = qubits.slice(0, operator.targets.length)
    const step = { index, operator: { ...operator, targets, controls: qubits.slice(targets.length) }, qubits }
    const before = isCx(operator) ? qubits.map((qubit) => this.#runs.get(qubit) ?? []) : []
    const [ofTarget = [], ofControl = []] = before
    for (const qubit of qubits) this.#runs.delete(qubit)
    if (completesSwap(step, ofTarget, ofControl)) {
      for (const each of ofTarget) this.steps.delete(each)
      this.#exchange(own)
      return
    }
    this.steps.add(step)
    for (const [at, run] of before.entries()) this.#runs.set(qubits[at] as number, [...run.slice(-1), step])
  }

  #nameOf(qubit: number): number {
    return this.#names.get(qubit) ?? qubit
  }

  #exchange([one = 0, other = 0]: readonly number[]): void {
    const [first, second] = [this.#nameOf(one), this.#nameOf(other)]
    this.#names.set(one, second).set(other, first)
  }
}

/** Whether a CX follows two on the same qubits, the last of them with target and control exchanged. */
function completesSwap({ qubits }: NamedStep, ofTarget: NamedStep[], ofControl: NamedStep[]): boolean {
  const [first, second] = ofTarget
  if (!first || !second || first !== ofControl[0] || second !== ofControl[1]) return false
  return first.qubits[0] === qubits[0] && second.qubits[0] === qubits[1]
}

function isCx({ targets, controls, controlValues, matrix }: LocalOperator): boolean {
  if (targets.length !== 1 || controls.length !== 1 || controlValues !== 1) return false
  return matrix.every((part, at) => part === (at === 2 || at === 4 ? 1 : 0))
}
