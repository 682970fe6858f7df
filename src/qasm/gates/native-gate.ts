import type { Op } from '../circuit.ts'

/** How many parameters and qubits a gate takes. */
export interface Arity {
  parameters: number
  qubits: number
}

/** A gate that turns into few steps directly. */
export interface NativeGate extends Arity {
  kind: 'native'
  name: string
  /** Emits the steps; `parameters` in rad, `qubits` in the order of the call. */
  build(parameters: readonly number[], qubits: readonly number[], emit: (op: Op) => void): void
}
