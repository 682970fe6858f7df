import type { Op } from '../circuit.ts'
import { Fault } from '../fault.ts'
import type { Limits } from '../limits.ts'
import type { CallNode } from '../syntax/ast.ts'
import { isKnown, type QubitsValue, type Value } from '../values/values.ts'
import type { Layout } from './layout.ts'
import { Scope, type Subroutine } from './scope.ts'
import type { Gate, UserGate } from './user-gate.ts'

/** Thrown while flattening when a measurement outcome decides what happens next. */
export class Undecided extends Error {}

/** Thrown by `end`. */
export class ProgramEnd extends Error {}

/**
 * What evaluates expressions and statements: the checker, which goes through each statement once with
 * everything of run time unknown, or the runner, which executes the program.
 */
export interface Machine {
  readonly version: 2 | 3
  readonly limits: Limits
  readonly checking: boolean
  /** The registers of the result; all of the top level when there are none. */
  readonly outputs: readonly string[]
  readonly layout: Layout
  scope: Scope
  /** Nested evaluations, over all calls. */
  depth: number
  /** Expressions and blocks evaluated so far. */
  evaluations: number
  /** The gate whose definition is being checked. */
  readonly defining: string | undefined
  /** Index of hardware qubit `$n`. */
  hardware(index: number, at: number): number
  /** Measures; the result has the shape of the operand. */
  measure(qubits: QubitsValue, at: number): Value
  /** Calls a subroutine with evaluated arguments. */
  callSubroutine(subroutine: Subroutine, values: readonly Value[], node: CallNode): Value
  /** Runs the body of a gate for one set of qubits. */
  callGate(gate: UserGate, parameters: readonly number[], qubits: readonly number[], at: number): void
  /** Adds a step to the circuit. */
  emit: (op: Op, at: number) => void
  /** Counts work that a program can multiply; throws `too_many_operations` beyond the limit. */
  spend(operations: number, at: number): void
  /** Called for each gate call before it runs `calls` times side by side. */
  noteCall(gate: Gate, calls: number, at: number): void
  /** Number of qubits of the program. */
  allQubits(): number
  /** The value bound to the next input. */
  nextInput(at: number): number
  /** Tells the user about something ignored or approximated. */
  warn(message: string): void
}

/** How much deeper than one expression or block nested calls may become together. */
const CALL_NESTING = 10

/** How many evaluations of expressions count as one operation. */
const EVALUATIONS_PER_OPERATION = 20

/** Begins a nested evaluation or block; every recursive path of the evaluation passes here. */
export function enter(m: Machine, at: number): void {
  if (++m.depth > m.limits.nesting * CALL_NESTING) {
    throw new Fault('nesting_too_deep', at, 'Calls, blocks and expressions are nested too deeply')
  }
  if (++m.evaluations > m.limits.operations * EVALUATIONS_PER_OPERATION) {
    throw new Fault('too_many_operations', at, 'The program evaluates too many expressions')
  }
}

/** Runs `work` in this scope. */
export function inScope<T>(m: Machine, scope: Scope, work: () => T): T {
  const { scope: before, depth } = m
  m.scope = scope
  try {
    return work()
  } finally {
    m.scope = before
    m.depth = depth
  }
}

/** Runs `work` in a new block. */
export function inBlock<T>(m: Machine, at: number, work: () => T): T {
  return inScope(m, new Scope('block', m.scope), () => {
    enter(m, at)
    return work()
  })
}

/**
 * Whether a value may be used to decide: true when it is known. While checking false says that anything
 * may happen; while running an unknown value makes the program dynamic.
 */
export function decide(m: Machine, value: Value): boolean {
  if (isKnown(value)) return true
  if (m.checking) return false
  throw new Undecided()
}
