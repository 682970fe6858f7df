import type { Arity, NativeGate } from '../gates/native-gate.ts'
import type { GateNode } from '../syntax/ast.ts'

/** A gate of the program. */
export interface UserGate extends Arity {
  kind: 'user'
  name: string
  node: GateNode
  /** Steps of one call, counted once from the definition; loops count as one pass. */
  steps: number
}

export type Gate = NativeGate | UserGate
