import type { MeasureOp, PhaseOp, ResetOp, UnitaryOp } from '../../../../../qasm/index.ts'
import type { Reduced } from '../../reduce.ts'
import { type Clifford, CliffordReader } from './clifford.ts'

/** A step on the qubits of the tableau. */
export type Step = { kind: 'gate'; gate: Clifford } | MeasureOp | ResetOp

/** A circuit for the tableau. */
export interface CliffordCircuit {
  qubits: number
  steps: Step[]
  /** Measurements at the end. */
  terminal: { qubit: number; clbit: number }[]
}

/** The circuit on the qubits its outcomes depend on, or the first gate that is not Clifford. */
export function translate(reduced: Reduced): CliffordCircuit | { foreign: UnitaryOp | PhaseOp } {
  const reader = new CliffordReader()
  const measured = reduced.terminal.map(({ qubit }) => qubit)
  const used = [...new Set([...reduced.qubits, ...measured])].sort((a, b) => a - b)
  const places = new Map(used.map((qubit, place) => [qubit, place]))
  const placeOf = (qubit: number) => places.get(qubit) ?? 0
  const steps: Step[] = []
  for (const op of reduced.ops) {
    if (op.kind === 'measure' || op.kind === 'reset') {
      steps.push({ ...op, qubit: placeOf(op.qubit) })
      continue
    }
    const gate = reader.read(op)
    if (!gate) return { foreign: op }
    steps.push({ kind: 'gate', gate: { ...gate, qubits: gate.qubits.map(placeOf) } })
  }
  const terminal = reduced.terminal.map(({ qubit, clbit }) => ({ qubit: placeOf(qubit), clbit }))
  return { qubits: used.length, steps, terminal }
}
