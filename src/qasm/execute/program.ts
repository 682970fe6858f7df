import type { GateNode, ParsedProgram } from '../syntax/ast.ts'
import type { TypedInput } from '../values/input.ts'
import type { QasmWarning } from '../warnings.ts'
import type { Layout } from './layout.ts'

/** A parsed and checked program. Immutable: lower it as often as needed with different parameter values. */
export interface Program extends Omit<ParsedProgram, 'inputs'> {
  /** In the order in which parameter values are bound. */
  readonly inputs: readonly TypedInput[]
  /** Declared qubits and bits. */
  readonly layout: Layout
  /** Operations of one call of each gate, used to refuse an expansion before it happens. */
  readonly gateSteps: Pick<WeakMap<GateNode, number>, 'get'>
  /** In text order. */
  readonly warnings: readonly QasmWarning[]
}
