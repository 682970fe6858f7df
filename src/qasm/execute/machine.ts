import type { Op } from '../circuit.ts'
import { Fault } from '../fault.ts'
import type { NativeGate } from '../gates/native-gate.ts'
import type { Limits } from '../limits.ts'
import type { CallNode, Modifier } from '../syntax/ast.ts'
import type { Angle, Tape } from '../template/tape.ts'
import { isKnown, type QubitsValue, type Value } from '../values/values.ts'
import type { WarningCode } from '../warnings.ts'
import type { Layout } from './layout.ts'
import { type Gate, Scope, type Subroutine, type UserGate } from './scope.ts'

/** Thrown while flattening if a measurement outcome decides what is executed next. */
export class Undecided extends Error {}

/** Thrown by the statement `end`. */
export class ProgramEnd extends Error {}

/** A modifier with its argument evaluated; the number is NaN if it is known only at run time. */
export interface AppliedModifier {
  kind: Modifier['kind']
  /** Number of added controls, or the exponent. */
  number: number
  at: number
}

/** A gate call with everything evaluated, for one set of qubits. */
export interface GateCall {
  name: string
  parameters: readonly number[]
  /** Controls of modifiers first. */
  qubits: readonly number[]
  /** The outermost modifier first. */
  modifiers: readonly Pick<AppliedModifier, 'kind' | 'number'>[]
  at: number
}

/**
 * The context in which expressions and statements are evaluated: the checker, which visits each statement
 * once with all run-time values unknown, or the runner, which executes the program.
 */
export interface Machine {
  readonly version: 2 | 3
  readonly limits: Limits
  readonly checking: boolean
  /** Records what depends on inputs that have no values yet. */
  readonly tape?: Tape | undefined
  /** Names of the result registers; if empty, all registers of bits at the top level. */
  readonly outputs: readonly string[]
  readonly layout: Layout
  scope: Scope
  /** Depth of nested evaluations, over all calls. */
  depth: number
  /** Number of expressions and blocks evaluated so far. */
  evaluations: number
  /** Whether an `include` was executed. */
  includesLibrary: boolean
  /** The gate whose definition is being checked. */
  readonly defining: string | undefined
  /** Index of hardware qubit `$n`. */
  hardware(index: number, at: number): number
  /** Measures; the result has the shape of the operand. */
  measure(qubits: QubitsValue, at: number): Value
  /** Calls a subroutine with evaluated arguments. */
  callSubroutine(subroutine: Subroutine, values: readonly Value[], node: CallNode): Value
  /** Runs the body of a gate for one set of qubits. */
  callGate(gate: UserGate, parameters: readonly Angle[], qubits: readonly number[], at: number): void
  /** Receives gate calls in place of their operations, for diagrams. */
  readonly drawGate?: ((call: GateCall) => void) | undefined
  /** Called while checking for each gate call; the first `controls` qubits are those of modifiers. */
  useQubits(qubits: readonly number[], gate?: Gate, controls?: number): void
  /** Called while checking for the qubits of each reset. */
  resetQubits(qubits: readonly number[]): void
  /** Adds an operation to the circuit. */
  emit: (op: Op, at: number) => void
  /** Counts work that a program can multiply; throws `too_many_operations` above the limit. */
  countOperations(operations: number, at: number): void
  /** Called for each gate call before it is applied `calls` times. */
  beforeGateCall(gate: Gate, calls: number, at: number): void
  /** Number of qubits of the program. */
  allQubits(): number
  /** The value bound to the next input. */
  nextInput(): number
  /** Receives a warning about something ignored or approximated; only the checker keeps it. */
  warn(code: WarningCode, message: string, at: number): void
  /** Called while checking for a call of a gate that omits a phase, if no modifier makes that observable. */
  omitPhase(gate: NativeGate): void
}

/** Factor by which nested calls together may exceed the nesting limit of a single expression or block. */
const CALL_NESTING = 10

/** Number of expression evaluations that count as one operation. */
const EVALUATIONS_PER_OPERATION = 20

/** Evaluations between two checkpoints: one may handle a register of tens of thousands of bits. */
const EVALUATIONS_PER_CHECKPOINT = 64

/** Enters a nested evaluation or block; every recursive path of the evaluation calls it. */
export function enter(m: Machine, at: number): void {
  if (++m.depth > m.limits.nesting * CALL_NESTING) {
    throw new Fault('nesting_too_deep', at, 'Calls, blocks and expressions are nested too deeply')
  }
  if (++m.evaluations > m.limits.operations * EVALUATIONS_PER_OPERATION) {
    throw new Fault('too_many_operations', at, 'The program evaluates too many expressions')
  }
  if (m.evaluations % EVALUATIONS_PER_CHECKPOINT === 0) m.limits.checkpoint?.()
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
 * Whether a condition is known. While checking, false means that either branch is possible; while running, an
 * unknown value makes the program dynamic.
 */
export function decide(m: Machine, value: Value): boolean {
  if (isKnown(value)) return true
  if (m.checking) return false
  throw new Undecided()
}
