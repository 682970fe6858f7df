import type { GateNode } from './ast.ts'
import type { Op } from './circuit.ts'
import type { Arity } from './packed-calls.ts'

/** A gate that turns into few steps directly. */
export interface NativeGate extends Arity {
  kind: 'native'
  name: string
  /** Emits the steps; `parameters` in rad, `qubits` in the order of the call. */
  build(parameters: readonly number[], qubits: readonly number[], emit: (op: Op) => void): void
}

/** A gate of the program. */
export interface UserGate extends Arity {
  kind: 'user'
  name: string
  node: GateNode
  /** Steps of one call, counted once from the definition; loops count as one pass. */
  steps: number
}

export type Gate = NativeGate | UserGate
