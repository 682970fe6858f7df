import type { Arity, NativeGate } from '../gates/native-gate.ts'
import type { GateNode } from '../syntax/ast.ts'

/** Positions of the arguments of a gate that act on one another. */
export type Joined = readonly number[]

/** A gate of the program. */
export interface UserGate extends Arity {
  kind: 'user'
  name: string
  node: GateNode
  /** Operations of one call, counted once from the definition; a loop counts as one iteration. */
  steps: number
  /** A gate in its body whose omitted phase a modifier of this gate makes observable. */
  omits: NativeGate | undefined
  /** The arguments that act on one another in its body; known while checking. */
  joins: readonly Joined[]
}

export type Gate = NativeGate | UserGate
