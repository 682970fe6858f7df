import type { Action, Reduced } from '../../reduce.ts'
import { compile, type KernelCall } from './compile.ts'
import { bitCount } from './kernels.ts'
import { mergeSingles } from './merge.ts'
import { MAX_STATE_QUBITS } from './statevector.ts'

/** A measurement that must happen where it stands. `bit` is the qubit's in the state; `clbit` may be -1. */
export interface MeasureStep {
  kind: 'measure'
  bit: number
  /** Of the circuit. */
  qubit: number
  clbit: number
}

/** A reset of a qubit that something has touched. */
export interface ResetStep {
  kind: 'reset'
  bit: number
}

export type Step = KernelCall | MeasureStep | ResetStep

/** A circuit as steps on a state of as many qubits as its outcomes depend on. */
export interface Plan {
  qubits: number
  steps: Step[]
  /** Measurements after the last step. `bit` is 0 for a qubit that stays |0>. */
  terminal: { bit: number; clbit: number }[]
  collapses: boolean
}

/** Merges gates and gives each qubit its place in the state. */
export function planCircuit({ qubits, ops, terminal, collapses }: Reduced): Plan {
  const places = new Map(qubits.map((qubit, place) => [qubit, place]))
  const bitOf = (qubit: number) => 1 << (places.get(qubit) ?? 0)
  return {
    qubits: places.size,
    // With more qubits than a mask has bits there is no plan: the circuit is refused for their number.
    steps: places.size > MAX_STATE_QUBITS ? [] : mergeSingles(ops).flatMap((op) => stepsOf(op, bitOf)),
    terminal: terminal.map(({ qubit, clbit }) => ({ bit: places.has(qubit) ? bitOf(qubit) : 0, clbit })),
    collapses,
  }
}

function stepsOf(op: Action, bitOf: (qubit: number) => number): Step[] {
  if (op.kind === 'unitary' || op.kind === 'phase') return compile(op, bitOf)
  if (op.kind === 'channel') return []
  const bit = bitOf(op.qubit)
  return [
    op.kind === 'measure'
      ? { kind: 'measure', bit, qubit: op.qubit, clbit: op.clbit }
      : { kind: 'reset', bit },
  ]
}

/** Work of a step in amplitude updates, a dense single-qubit gate without controls being one pass over the state. */
export function workOf(step: Step, qubits: number): number {
  const size = 2 ** qubits
  if (step.kind === 'measure' || step.kind === 'reset') return 2 * size
  const touched = size / 2 ** bitCount(step.controls)
  if (step.kind === 'many') return touched * 2 ** step.targets.length
  return touched
}
