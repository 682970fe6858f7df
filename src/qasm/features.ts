import type { Scope } from './execute/scope.ts'
import type { AssignNode, DeclareNode, Expression } from './syntax/ast.ts'
import type { PackedCalls } from './syntax/packed-calls.ts'

/**
 * What a program needs besides gates and a final measurement. `mid_circuit`: a qubit is used after its
 * measurement; `feedback`: measurement outcomes decide what runs.
 */
export type ProgramFeature = 'reset' | 'mid_circuit' | 'feedback' | 'inputs' | 'loops'

/** Indices at and below stand for qubits that are known only at run time, as -1 does; see `Checker`. */
export const FIRST_ARGUMENT = -1_000_000

/**
 * Collects the features of a program while it is checked. Uses that only an execution could find, such as of
 * qubits selected at run time, are not found: a device reports those.
 */
export class FeatureFinder {
  readonly found = new Set<ProgramFeature>()
  /** Measurements and conditions on outcomes, each statement once, and where the last of each is. */
  readonly measurements = { amount: 0, at: -1 }
  readonly branches = { amount: 0, at: -1 }
  readonly #measured = new Set<number>()
  /** Names of variables computed from outcomes. */
  readonly #outcomes = new Set<string>()
  /** Qubits that each surrounding loop has used so far: its next iteration uses them again. */
  readonly #loops: Set<number>[] = []

  reset(qubits: readonly number[]): void {
    this.found.add('reset')
    this.use(qubits)
  }

  measure(qubits: readonly number[], at: number): void {
    this.measurements.amount += qubits.length
    this.measurements.at = at
    this.use(qubits)
    for (const qubit of qubits) {
      if (!isKnown(qubit)) continue
      this.#measured.add(qubit)
    }
  }

  /** Called for each gate call, reset and measurement. */
  use(qubits: readonly number[]): void {
    if (this.#loops.length === 0 && this.#measured.size === 0) return
    for (const qubit of qubits) {
      if (!isKnown(qubit)) continue
      if (this.#measured.has(qubit)) this.found.add('mid_circuit')
      for (const used of this.#loops) used.add(qubit)
    }
  }

  /** Gate calls that the parser has packed; `scope` resolves their registers. */
  usePacked(calls: PackedCalls, scope: Scope): void {
    if (this.found.has('mid_circuit') || this.#measured.size === 0) return
    const registers = calls.registers.map((name) => qubitsOf(scope, name))
    calls.visit((index, _, first) => {
      const last = first + 2 * (calls.gates[index]?.arity.qubits ?? 0)
      for (let place = first; place < last; place += 2) {
        const register = calls.registerAt(place)
        const number = calls.qubitAt(place)
        const qubit = register < 0 ? -2 - number : registers[register]?.[number]
        if (qubit !== undefined && this.#measured.has(qubit)) this.found.add('mid_circuit')
      }
    })
  }

  /** Runs `visit` for the body of a loop. */
  loop(visit: () => void): void {
    this.found.add('loops')
    const used = new Set<number>()
    this.#loops.push(used)
    const before = new Set(this.#measured)
    visit()
    this.#loops.pop()
    // The next iteration uses again what this one has measured.
    for (const qubit of used) {
      if (this.#measured.has(qubit) && !before.has(qubit)) this.found.add('mid_circuit')
    }
  }

  /** Notes that a variable takes the value of an expression, which may be computed from outcomes. */
  assign(node: AssignNode | DeclareNode, scope: Scope): void {
    if (node.value === undefined || !this.#isOutcome(node.value, scope)) return
    const name = node.kind === 'declare' ? node.name : baseName(node.target)
    if (name !== undefined) this.#outcomes.add(name)
  }

  /** A condition whose value is known only at run time. */
  decide(condition: Expression, scope: Scope): void {
    if (!this.#isOutcome(condition, scope)) return
    this.found.add('feedback')
    this.branches.amount += 1
    this.branches.at = condition.at
  }

  #isOutcome(node: Expression, scope: Scope): boolean {
    const is = (part: Expression) => this.#isOutcome(part, scope)
    switch (node.kind) {
      case 'measure':
        return true
      case 'name':
        return this.#outcomes.has(node.name) || isBits(scope, node.name)
      case 'unary':
      case 'cast':
        return is(node.operand)
      case 'binary':
        return is(node.left) || is(node.right)
      case 'index':
        return is(node.base)
      case 'call':
        return returnsBits(scope, node.name) || node.arguments.some(is)
      case 'concat':
        return node.parts.some(is)
      case 'array_literal':
        return node.elements.some(is)
      default:
        return false
    }
  }
}

function isKnown(qubit: number): boolean {
  return qubit !== -1 && qubit > FIRST_ARGUMENT
}

function baseName(node: Expression): string | undefined {
  const base = node.kind === 'index' ? node.base : node
  return base.kind === 'name' ? base.name : undefined
}

/** The qubits of a register. */
export function qubitsOf(scope: Scope, name: string): readonly number[] {
  const entry = scope.find(name)?.entry
  return entry?.kind === 'reference' && entry.value.kind === 'qubits' ? entry.value.qubits : []
}

/** Measurements write bits; a program that computes bits in another way is rare. */
function isBits(scope: Scope, name: string): boolean {
  const entry = scope.find(name)?.entry
  return entry?.kind === 'reference' && entry.value.kind === 'bits'
}

function returnsBits(scope: Scope, name: string): boolean {
  const entry = scope.find(name)?.entry
  return entry?.kind === 'def' && (entry.result.kind === 'bit' || entry.result.kind === 'bits')
}
