import type { StateOp } from '../../reduction/reduce-circuit.ts'
import { isSwap, type LocalOperator, operatorOf } from './operator.ts'

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
  const names = new Map<number, number>()
  const nameOf = (qubit: number) => names.get(qubit) ?? qubit
  const exchange = ([one = 0, other = 0]: readonly number[]) => {
    const [first, second] = [nameOf(one), nameOf(other)]
    names.set(one, second).set(other, first)
  }
  /** Steps on each qubit, by its name, that are CX and follow one another: the last two. */
  const runs = new Map<number, NamedStep[]>()
  const steps = new Set<NamedStep>()
  for (const [index, op] of ops.entries()) {
    if (op.kind !== 'unitary' && op.kind !== 'phase') continue
    const operator = operatorOf(op)
    if (!operator) continue
    const { targets, controls } = operator
    const own = [...targets, ...controls]
    if (isSwap(operator)) {
      exchange(own)
      continue
    }
    const qubits = own.map(nameOf)
    const named = { ...operator, targets: targets.map(nameOf), controls: controls.map(nameOf) }
    const step = { index, operator: named, qubits }
    if (!isCx(operator)) {
      for (const qubit of qubits) runs.delete(qubit)
      steps.add(step)
      continue
    }
    const before = qubits.map((qubit) => runs.get(qubit) ?? []) as [NamedStep[], NamedStep[]]
    if (completesSwap(step, ...before)) {
      for (const each of before[0]) steps.delete(each)
      for (const qubit of qubits) runs.delete(qubit)
      exchange(own)
      continue
    }
    for (const [at, qubit] of qubits.entries()) {
      runs.set(qubit, [...(before[at] as NamedStep[]).slice(-1), step])
    }
    steps.add(step)
  }
  return [...steps]
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
