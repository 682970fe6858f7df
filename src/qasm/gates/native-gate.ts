import type { Op } from '../circuit.ts'

/** How many parameters and qubits a gate takes. */
export interface Arity {
  parameters: number
  qubits: number
}

/**
 * A phase of the OpenQASM 3 text that the programs which write and run OpenQASM leave out. Only a modifier
 * makes it observable.
 */
interface OmittedPhase {
  /** The factor, for messages. */
  factor: string
  /** rad, for the parameters of a call. */
  angle(parameters: readonly number[]): number
}

/** A gate that turns into few steps directly. */
export interface NativeGate extends Arity {
  kind: 'native'
  name: string
  /** The phase that the OpenQASM 3 text gives the gate in addition. */
  omitted?: OmittedPhase
  /** Emits the steps; `parameters` in rad, `qubits` in the order of the call. */
  build(parameters: readonly number[], qubits: readonly number[], emit: (op: Op) => void): void
}
