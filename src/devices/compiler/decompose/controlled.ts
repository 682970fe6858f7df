import type { Matrix } from '../../../qasm/index.ts'
import { addDiagonal } from './diagonal.ts'
import { IDENTITY, PAULI_X } from './matrix.ts'
import { type Eigen, eigenOf } from './one-qubit.ts'
import type { StepList } from './step.ts'

/** The qubits on which a gate is conditioned; bit i of `values` is the value that `qubits[i]` must have. */
export interface Controls {
  qubits: readonly number[]
  values: number
}

/** Adds a controlled phase e^{i angle}; the global phase when there are no controls, which is left out. */
export function addPhase(list: StepList, controls: Controls, angle: number): void {
  const [first, ...rest] = controls.qubits
  if (first === undefined) return
  // The first control becomes the qubit on which the phase acts, so its value chooses the state.
  const phases: [number, number] = (controls.values & 1) === 1 ? [0, angle] : [angle, 0]
  const eigen: Eigen = { basis: IDENTITY, inverse: IDENTITY, phases }
  addInBasis(list, { qubits: rest, values: Math.floor(controls.values / 2) }, first, eigen)
}

/**
 * Adds a controlled unitary on one qubit. With one control it takes 2 CZ, 1 for a half turn about any axis
 * and 0 for the identity; with two controls at most 6.
 */
export function addControlled(list: StepList, controls: Controls, target: number, matrix: Matrix): void {
  if (controls.qubits.length === 0) list.local(target, matrix)
  else addInBasis(list, controls, target, eigenOf(matrix))
}

function addInBasis(list: StepList, controls: Controls, target: number, eigen: Eigen): void {
  const { qubits, values } = controls
  const flipped = qubits.filter((_, index) => (Math.floor(values / 2 ** index) & 1) === 0)
  for (const qubit of flipped) list.local(qubit, PAULI_X)
  list.local(target, eigen.inverse)
  const phases = new Float64Array(2 ** (qubits.length + 1))
  // The target is the most significant: opposite phases then need none of the parities of the controls.
  phases[phases.length / 2 - 1] = eigen.phases[0]
  phases[phases.length - 1] = eigen.phases[1]
  addDiagonal(list, [...qubits, target], phases)
  list.local(target, eigen.basis)
  for (const qubit of flipped) list.local(qubit, PAULI_X)
}
