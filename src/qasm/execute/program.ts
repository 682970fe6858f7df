import type { GateNode, ParsedProgram } from '../syntax/ast.ts'
import type { QasmWarning } from '../warnings.ts'
import type { Layout } from './layout.ts'

/** A parsed and checked program. Immutable: lower it as often as needed with different parameter values. */
export interface Program extends ParsedProgram {
  /** Declared qubits and bits. */
  readonly layout: Layout
  /** Operations of one call of each gate, used to refuse an expansion before it happens. */
  readonly gateSteps: Pick<WeakMap<GateNode, number>, 'get'>
  /** In text order. */
  readonly warnings: readonly QasmWarning[]
}
