import type { Library } from '../gates/exporter-gates.ts'
import type { BinaryOperator, UnaryOperator } from '../values/operator.ts'
import type { Value } from '../values/values.ts'
import type { PackedCalls } from './packed-calls.ts'

/** Every node has the text offset at which it begins. */
interface Node {
  at: number
}

/** A type as written: sizes are unevaluated expressions. */
export type TypeNode = Node &
  (
    | { kind: 'plain'; name: 'bool' | 'duration' | 'stretch' | 'complex' }
    | {
        kind: 'sized'
        name: 'bit' | 'int' | 'uint' | 'float' | 'angle' | 'qubit'
        size: Expression | undefined
      }
    | { kind: 'array'; element: TypeNode; shape: Expression[] }
    | { kind: 'array_reference'; element: TypeNode; mutable: boolean; shape: Expression[] }
    /** `#dim = n`: as many dimensions, sizes left open. */
    | { kind: 'array_dimensions'; element: TypeNode; mutable: boolean; dimensions: Expression }
  )

/** `a:b` or `a:step:b`; a missing bound means the end of the indexed value. */
export interface RangeNode extends Node {
  kind: 'range'
  start: Expression | undefined
  step: Expression | undefined
  stop: Expression | undefined
}

/** The contents of index brackets. */
export type IndexNode =
  | { kind: 'set'; at: number; elements: Expression[] }
  | { kind: 'list'; at: number; items: (Expression | RangeNode)[] }

export interface BinaryNode extends Node {
  kind: 'binary'
  operator: BinaryOperator
  left: Expression
  right: Expression
}

export interface CallNode extends Node {
  kind: 'call'
  name: string
  arguments: Expression[]
}

export interface IndexedNode extends Node {
  kind: 'index'
  base: Expression
  index: IndexNode
}

export interface NameNode extends Node {
  kind: 'name'
  name: string
}

export type Expression =
  | (Node & { kind: 'literal'; value: Value })
  | NameNode
  | (Node & { kind: 'hardware'; index: number })
  | (Node & { kind: 'unary'; operator: UnaryOperator; operand: Expression })
  | BinaryNode
  | (Node & { kind: 'cast'; type: TypeNode; operand: Expression })
  | CallNode
  | IndexedNode
  | (Node & { kind: 'durationof' })
  /** The grammar allows the following only in initial values, assignments, aliases and returns. */
  | (Node & { kind: 'measure'; operand: Expression })
  | (Node & { kind: 'concat'; parts: Expression[] })
  | (Node & { kind: 'array_literal'; elements: Expression[] })

/** `ctrl @`, `negctrl(2) @`, `inv @`, `pow(k) @`. */
export interface Modifier extends Node {
  kind: 'ctrl' | 'negctrl' | 'inv' | 'pow'
  argument: Expression | undefined
}

export interface GateCallNode extends Node {
  kind: 'gate_call'
  name: string
  modifiers: Modifier[]
  parameters: Expression[]
  operands: Expression[]
  /** Whether a duration follows the parameters. */
  hasDuration?: boolean
}

export interface GateNode extends Node {
  kind: 'gate'
  name: string
  parameters: NameNode[]
  qubits: NameNode[]
  /** Absent for an OpenQASM 2 `opaque` gate. */
  body: Statement[] | undefined
}

export interface Argument extends Node {
  name: string
  type: TypeNode
}

export interface DefNode extends Node {
  kind: 'def'
  name: string
  arguments: Argument[]
  result: TypeNode | undefined
  body: Statement[]
}

export interface DeclareNode extends Node {
  kind: 'declare'
  form: 'variable' | 'const' | 'input' | 'output'
  name: string
  /** Offset of the name. */
  nameAt: number
  type: TypeNode
  value: Expression | undefined
}

export interface ForNode extends Node {
  kind: 'for'
  name: string
  type: TypeNode
  values: Expression | RangeNode | { kind: 'set'; at: number; elements: Expression[] }
  body: Statement[]
}

export interface SwitchNode extends Node {
  kind: 'switch'
  control: Expression
  cases: { labels: Expression[]; body: Statement[] }[]
  otherwise: Statement[] | undefined
}

export interface AssignNode extends Node {
  kind: 'assign'
  target: Expression
  /** The operator of a compound assignment, undefined for `=`. */
  operator: BinaryOperator | undefined
  value: Expression
}

export type Statement =
  | (Node & { kind: 'include'; library: Library })
  | DeclareNode
  | AssignNode
  | (Node & { kind: 'alias'; name: string; value: Expression })
  | GateNode
  | DefNode
  | (Node & { kind: 'extern'; name: string; arguments: TypeNode[]; result: TypeNode | undefined })
  | GateCallNode
  /** Top-level gate calls that the parser has already found complete and correct. */
  | (Node & { kind: 'packed'; calls: PackedCalls })
  | (Node & { kind: 'reset'; operand: Expression })
  | (Node & { kind: 'barrier'; operands: Expression[] })
  /** `hasNoUnit`: of OpenQASM 2, where exporters omit the unit. */
  | (Node & { kind: 'delay'; duration: Expression; operands: Expression[]; hasNoUnit?: true })
  /** The matrix on the qubits, of which the first is the most significant bit of its index. */
  | (Node & { kind: 'unitary'; rows: Expression[][]; operands: Expression[] })
  /** A directive that has no effect. */
  /** A directive that has no effect. */
  | (Node & { kind: 'pragma'; name: string })
  | (Node & { kind: 'nop'; operands: Expression[] })
  | (Node & { kind: 'box'; duration: Expression | undefined; body: Statement[] })
  | (Node & { kind: 'block'; body: Statement[] })
  | (Node & { kind: 'if'; condition: Expression; body: Statement[]; otherwise: Statement[] | undefined })
  | ForNode
  | (Node & { kind: 'while'; condition: Expression; body: Statement[] })
  | SwitchNode
  | (Node & { kind: 'break' })
  | (Node & { kind: 'continue' })
  | (Node & { kind: 'end' })
  | (Node & { kind: 'return'; value: Expression | undefined })
  | (Node & { kind: 'expression'; value: Expression })

/** A program with valid syntax whose semantics are not checked yet. */
export interface ParsedProgram {
  version: 2 | 3
  /** Names of the inputs in declaration order: the order in which parameter values are bound. */
  inputs: string[]
  /**
   * Registers declared as `output`, which form the result; without any, all registers of bits at the top
   * level do.
   */
  outputs: string[]
  statements: Statement[]
  text: string
  /** Whether a time is given in `dt`. */
  usesDt: boolean
}
