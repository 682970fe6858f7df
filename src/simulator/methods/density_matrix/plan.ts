import type { PhaseOp, UnitaryOp } from '../../../qasm/index.ts'
import type { KernelCall } from '../../kernel/kernel-call.ts'
import type { ReducedCircuit, StateOp } from '../../reduction/reduce-circuit.ts'
import { UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'
import { compile } from '../statevector/gates/compile.ts'
import { QubitMerge, type Superoperator } from './merge-on-qubits.ts'

/** A circuit as calls on ρ, written as a state of twice the qubits. */
export interface DensityPlan {
  qubits: number
  calls: KernelCall[]
  /** Final measurements: `bit` is 0 for a qubit that stays |0>. */
  terminal: { bit: number; clbit: number }[]
}

/** Gates act on the rows of ρ and, conjugated, on its columns; other steps are superoperators. */
export function planDensity(
  { qubits, ops, terminal }: ReducedCircuit,
  work: WorkCounter = UNLIMITED,
): DensityPlan {
  const places = new Map(qubits.map((qubit, place) => [qubit, place]))
  const row = (qubit: number) => 1 << (places.get(qubit) ?? 0)
  const column = (qubit: number) => row(qubit) << qubits.length
  const callsOf = (op: StateOp | Superoperator): KernelCall[] => {
    if (op.kind === 'superoperator') {
      const targets = [...op.qubits.map(row), ...op.qubits.map(column)]
      return [{ kind: 'many', targets, controls: 0, value: 0, matrix: op.matrix }]
    }
    if (op.kind !== 'unitary' && op.kind !== 'phase') return []
    return [...compile(op, row), ...compile(conjugated(op), column)]
  }
  return {
    qubits: qubits.length,
    calls: new QubitMerge(ops, work).merged.flatMap(callsOf),
    terminal: terminal.map(({ qubit, clbit }) => ({ bit: places.has(qubit) ? row(qubit) : 0, clbit })),
  }
}

function conjugated(op: UnitaryOp | PhaseOp): UnitaryOp | PhaseOp {
  if (op.kind === 'phase') return { ...op, angle: -op.angle }
  return { ...op, matrix: op.matrix.map((part, index) => (index % 2 === 0 ? part : -part)) }
}
