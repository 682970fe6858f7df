import type { MeasureOp, ResetOp } from '../../../qasm/index.ts'
import type { ReducedCircuit, StateOp } from '../../reduction/reduce-circuit.ts'
import { OP_WORK, type WorkCounter } from '../../timing/time-budget.ts'
import { type Clifford, CliffordRecognizer } from './clifford.ts'
import { type PauliNoise, pauliNoiseOf, pauliTermsOf } from './pauli-noise.ts'

/** A step on the qubits of the tableau. */
export type Step =
  | { kind: 'gate'; gate: Clifford }
  | { kind: 'noise'; qubits: number[]; noise: PauliNoise }
  | MeasureOp
  | ResetOp

/** A circuit for the tableau. */
export interface CliffordCircuit {
  /** The qubits of the program, by place in the tableau. */
  qubits: readonly number[]
  steps: Step[]
  /** Final measurements; those of qubits that stay |0> are left out. */
  terminal: { qubit: number; clbit: number }[]
}

type Conversion = CliffordCircuit | { nonClifford: StateOp }

/** The method refuses, estimates and runs a circuit, and may run it again. */
const known = new WeakMap<ReducedCircuit, Conversion>()

/** Converts a circuit for the tableau; returns the first step that is not Clifford when there is one. */
export function toCliffordCircuit(reduced: ReducedCircuit, work: WorkCounter): Conversion {
  const circuit = known.get(reduced) ?? convert(reduced, work)
  known.set(reduced, circuit)
  return circuit
}

function convert(reduced: ReducedCircuit, work: WorkCounter): Conversion {
  const { qubits } = reduced
  const places = new Map(qubits.map((qubit, place) => [qubit, place]))
  const placeOf = (qubit: number) => places.get(qubit) ?? 0
  const reader = new CliffordRecognizer()
  const steps: Step[] = []
  for (const op of reduced.ops) {
    work.spend(OP_WORK)
    const step = stepOf(op, reader, placeOf)
    if (!step) return { nonClifford: op }
    steps.push(step)
  }
  const terminal = reduced.terminal
    .filter(({ qubit }) => places.has(qubit))
    .map(({ qubit, clbit }) => ({ qubit: placeOf(qubit), clbit }))
  return { qubits, steps, terminal }
}

function stepOf(
  op: StateOp,
  reader: CliffordRecognizer,
  placeOf: (qubit: number) => number,
): Step | undefined {
  if (op.kind === 'measure' || op.kind === 'reset') return { ...op, qubit: placeOf(op.qubit) }
  if (op.kind === 'channel') {
    const terms = pauliTermsOf(op.channel)
    return terms && { kind: 'noise', qubits: op.qubits.map(placeOf), noise: pauliNoiseOf(terms) }
  }
  const gate = reader.recognize(op)
  return gate && { kind: 'gate', gate: { ...gate, qubits: gate.qubits.map(placeOf) } }
}
