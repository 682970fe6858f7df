import { type BarrierOp, type Op, type OpenChoice, qubitsOf } from '../circuit.ts'
import { Fault } from '../fault.ts'
import { BUILTIN_GATES } from '../gates/library.ts'
import type { Limits } from '../limits.ts'
import type { CallNode, Expression, Statement } from '../syntax/ast.ts'
import type { Angle, Tape } from '../template/tape.ts'
import { convert, toBool } from '../values/convert.ts'
import { openTruth } from '../values/open-truth.ts'
import { BOOL, cellsOf, FLOAT, type Type, VOID } from '../values/types.ts'
import { floatValue, freshBits, isKnown, type QubitsValue, type Value } from '../values/values.ts'
import { bindArgument, declareGate, declareName, subroutineOf } from './declare.ts'
import { checkArguments, evaluate, evaluateFor } from './evaluate.ts'
import { scalarType } from './evaluate-type.ts'
import { executeSimple } from './execute.ts'
import { executePacked } from './gate-call.ts'
import { cellsIn, integerOf } from './indexing.ts'
import { emptyLayout } from './layout.ts'
import { entryOf, loopValues } from './loop.ts'
import { decide, type GateCall, inBlock, inScope, type Machine, ProgramEnd, Undecided } from './machine.ts'
import { Blocks, type Counts, type Position } from './position.ts'
import type { Program } from './program.ts'
import { type Gate, Scope, type Subroutine, type UserGate } from './scope.ts'

/** How execution continues after a statement. */
type Flow = 'next' | 'break' | 'continue' | 'return'

/** Statements of which a branch may consist that open outcomes choose. */
const GATES: ReadonlySet<Statement['kind']> = new Set(['gate_call', 'packed', 'barrier', 'nop'])

/** Operations between two checkpoints. */
const OPERATIONS_PER_CHECKPOINT = 1_024

/** Receives the operations of the runner. */
export interface Output {
  emit(op: Op, at: number): void
  /** The state of the bit that receives the outcome: 0, 1, or 2 + n for the symbolic outcome n. */
  measure(qubit: number, at: number): number
  /** Receives gate calls in place of their operations, for diagrams. */
  callGate?(call: GateCall): void
  /** Executes a branch that a measurement outcome decides; without it, such a program is not executed. */
  branch?(work: () => void): void
  /** Executes one of two branches that consist of gates. */
  choose?(choice: OpenChoice): void
  /** Called before statements outside subroutines, gates and boxes, see `LeavableSink`. */
  pause?(take: () => Position): void
}

type IfNode = Statement & { kind: 'if' }

/** Executes a checked program once. */
export class Runner implements Machine {
  readonly checking = false
  readonly defining = undefined
  readonly version: 2 | 3
  readonly limits: Limits
  readonly outputs: readonly string[]
  layout = emptyLayout()
  readonly drawGate: ((call: GateCall) => void) | undefined
  readonly tape: Tape | undefined
  scope = new Scope('global')
  depth = 0
  evaluations = 0
  includesLibrary = false
  readonly #program: Program
  readonly #values: readonly number[]
  readonly #output: Output
  /** Receives the steps of a branch in place of the output. */
  #collected: Op[] | undefined
  /** The qubits on which the innermost box has acted so far. */
  #box: Set<number> | undefined
  #counts: Counts = { inputs: 0, operations: 0, iterations: 0 }
  #sinceCheckpoint = 0
  #calls = 0
  readonly #blocks = new Blocks()
  #returned: Value = { kind: 'void' }
  #result: Type = VOID

  /** With a `tape` no values are bound. */
  constructor(program: Program, values: readonly number[], output: Output, limits: Limits, tape?: Tape) {
    this.tape = tape
    this.version = program.version
    this.limits = limits
    this.outputs = program.outputs
    this.#program = program
    this.#values = values
    this.#output = output
    this.drawGate = output.callGate
    for (const [name, gate] of BUILTIN_GATES[program.version]) this.scope.set(name, { kind: 'gate', gate })
  }

  /** Runs the whole program, or what follows a position; `end` ends it early. */
  run(from?: Position): void {
    if (from) this.#blocks.goTo(from)
    try {
      this.#executeAll(this.#program.statements)
    } catch (error) {
      if (!(error instanceof ProgramEnd)) throw error
    }
  }

  hardware(index: number): number {
    return this.#program.layout.qubits + index
  }

  measure(qubits: QubitsValue, at: number): Value {
    this.countOperations(qubits.qubits.length, at)
    for (const qubit of qubits.qubits) this.#box?.add(qubit)
    return freshBits(
      qubits.qubits.map((qubit) => this.#output.measure(qubit, at)),
      qubits.scalar,
    )
  }

  emit = (op: Op, at: number): void => {
    this.countOperations(1, at)
    if (this.#box) for (const qubit of qubitsOf(op)) this.#box.add(qubit)
    if (this.#collected) this.#collected.push(op)
    else this.#output.emit(op, at)
  }

  countOperations(operations: number, at: number): void {
    this.#counts.operations += operations
    this.#sinceCheckpoint += operations
    if (this.#sinceCheckpoint >= OPERATIONS_PER_CHECKPOINT) {
      this.#sinceCheckpoint = 0
      this.limits.checkpoint?.()
    }
    const { operations: most } = this.limits
    if (this.#counts.operations > most) throw tooMany(at, `The program takes more than ${most} operations`)
  }

  beforeGateCall(gate: Gate, calls: number, at: number): void {
    const { operations: most } = this.limits
    if (gate.kind !== 'user' || this.#counts.operations + gate.steps * calls <= most) return
    throw tooMany(at, `"${gate.name}" takes more operations than the ${most} allowed`)
  }

  allQubits(): number {
    return this.#program.layout.qubits + this.#program.layout.hardware
  }

  nextInput(): number {
    return this.#values[this.#counts.inputs++] ?? Number.NaN
  }

  warn(): void {}

  omitPhase(): void {}

  useQubits(): void {}

  resetQubits(): void {}

  callGate(gate: UserGate, parameters: readonly Angle[], qubits: readonly number[], at: number): void {
    const { node } = gate
    this.#enterCall(at)
    // The parent is the global scope: a gate cannot access the block that calls it.
    const scope = new Scope('gate', this.scope.global())
    for (const [index, { name }] of node.parameters.entries()) {
      const angle = parameters[index] ?? 0
      const value = typeof angle === 'number' ? floatValue(angle) : angle
      scope.set(name, { kind: 'variable', type: FLOAT, value, constant: true })
    }
    for (const [index, { name }] of node.qubits.entries()) {
      const value: QubitsValue = { kind: 'qubits', scalar: true, qubits: [qubits[index] ?? 0] }
      scope.set(name, { kind: 'reference', value, constant: true })
    }
    inScope(this, scope, () => this.#executeAll(node.body ?? []))
    this.#calls--
  }

  callSubroutine(subroutine: Subroutine, values: readonly Value[], node: CallNode): Value {
    checkArguments(values, subroutine.arguments, node)
    this.#enterCall(node.at)
    const scope = new Scope('def', this.scope.global())
    for (const [index, argument] of subroutine.node.arguments.entries()) {
      const type = subroutine.arguments[index] ?? VOID
      bindArgument(this, scope, argument, type, values[index] ?? { kind: 'void' })
    }
    const caller = { result: this.#result, returned: this.#returned }
    this.#result = subroutine.result
    this.#returned = { kind: 'void' }
    inScope(this, scope, () => this.#executeAll(subroutine.node.body))
    const returned = this.#returned
    this.#result = caller.result
    this.#returned = caller.returned
    this.#calls--
    if (subroutine.result.kind !== 'void' && returned.kind === 'void') {
      throw new Fault('type_mismatch', node.at, `"${subroutine.node.name}" ended without returning a value`)
    }
    return returned
  }

  #enterCall(at: number): void {
    if (++this.#calls > this.limits.calls) {
      throw new Fault(
        'recursion',
        at,
        `Gates and subroutines call each other more than ${this.limits.calls} levels deep`,
      )
    }
  }

  #executeAll(statements: readonly Statement[]): Flow {
    const { frame, reached } = this.#blocks.enter(statements, this.scope)
    this.scope = frame.scope
    if (reached) {
      const { layout, includesLibrary, evaluations, counts } = reached
      Object.assign(this, { layout, includesLibrary, evaluations })
      this.#counts = counts
    }
    try {
      for (; frame.index < statements.length; frame.index++) {
        const flow = this.#execute(statements[frame.index] as Statement)
        if (flow !== 'next') return flow
      }
      return 'next'
    } finally {
      this.#blocks.leave()
    }
  }

  #position(): Position {
    const { layout, includesLibrary, evaluations } = this
    return this.#blocks.position({ layout, includesLibrary, evaluations, counts: this.#counts })
  }

  #execute(node: Statement): Flow {
    const { left } = this.#blocks
    if (!left) {
      if (this.#calls === 0 && !this.#box) this.#output.pause?.(() => this.#position())
      this.countOperations(1, node.at)
    } else if (node.kind !== 'while' && node.kind !== 'for') return this.#block(node.at, left.statements)
    switch (node.kind) {
      case 'packed':
        executePacked(this, node.calls)
        return 'next'
      case 'gate':
        declareGate(this, node, {
          steps: this.#program.gateSteps.get(node) ?? 0,
          omits: undefined,
          joins: [],
        })
        return 'next'
      case 'def':
        declareName(this, node.name, subroutineOf(this, node), node.at)
        return 'next'
      case 'block':
      case 'box':
        return node.kind === 'box' ? this.#executeBox(node) : this.#block(node.at, node.body)
      case 'if':
        return this.#executeIf(node)
      case 'while':
        return this.#executeWhile(node)
      case 'for':
        return this.#executeFor(node)
      case 'switch':
        return this.#executeSwitch(node)
      case 'break':
      case 'continue':
        return node.kind
      case 'end':
        throw new ProgramEnd()
      case 'return':
        if (node.value !== undefined) {
          this.#returned = convert(evaluateFor(this, node.value, this.#result), this.#result, node.value.at)
        }
        return 'return'
      default:
        executeSimple(this, node)
        return 'next'
    }
  }

  #block(at: number, body: readonly Statement[]): Flow {
    return inBlock(this, at, () => this.#executeAll(body))
  }

  /** A box begins and ends with a barrier on its qubits, which are known at its end. */
  #executeBox({ at, body }: Statement & { kind: 'box' }): Flow {
    const [outer, qubits] = [this.#box, new Set<number>()]
    const start: BarrierOp = { kind: 'barrier', qubits: [] }
    if (!this.drawGate) this.emit(start, at)
    this.#box = qubits
    const flow = this.#block(at, body)
    this.#box = outer
    start.qubits.push(...qubits)
    if (!this.drawGate) this.emit({ kind: 'barrier', qubits: [...qubits] }, at)
    return flow
  }

  #isTrue(condition: Expression): boolean {
    const truth = convert(evaluate(this, condition), BOOL, condition.at)
    return decide(this, truth) && toBool(truth)
  }

  #executeIf(node: IfNode): Flow {
    const { branch, choose } = this.#output
    const truth = convert(evaluate(this, node.condition), BOOL, node.condition.at)
    if (branch && !isKnown(truth)) {
      for (const body of [node.body, node.otherwise ?? []]) branch(() => void this.#block(node.at, body))
      return 'next'
    }
    if (choose && [...node.body, ...(node.otherwise ?? [])].every(({ kind }) => GATES.has(kind))) {
      choose(this.#choiceOf(node, isKnown(truth) ? toBool(truth) : undefined))
      return 'next'
    }
    if (decide(this, truth) && toBool(truth)) return this.#block(node.at, node.body)
    return node.otherwise === undefined ? 'next' : this.#block(node.at, node.otherwise)
  }

  /**
   * The branches of a condition, which consist of gates; of a known one, those that are not taken are empty.
   * @throws Undecided when open outcomes decide in a way that cannot be tabulated, or decide a gate.
   */
  #choiceOf({ at, body, otherwise = [], condition }: IfNode, known: boolean | undefined): OpenChoice {
    const taken = (truth: boolean, branch: readonly Statement[]) =>
      known === truth ? this.#stepsOf(at, branch) : []
    if (known !== undefined)
      return { outcomes: [], isTrue: [known], steps: taken(true, body), otherwise: taken(false, otherwise) }
    try {
      const truth = openTruth(cellsIn(this, condition, evaluate) ?? [], () => {
        const value = convert(evaluate(this, condition), BOOL, condition.at)
        return isKnown(value) ? toBool(value) : undefined
      })
      if (!truth) throw new Undecided()
      return { ...truth, steps: this.#stepsOf(at, body), otherwise: this.#stepsOf(at, otherwise) }
    } catch (error) {
      // Wrong for some outcomes only: an error for the shots that have them.
      throw error instanceof Fault ? new Undecided() : error
    }
  }

  #stepsOf(at: number, body: readonly Statement[]): Op[] {
    const steps: Op[] = []
    this.#collected = steps
    try {
      this.#block(at, body)
    } finally {
      this.#collected = undefined
    }
    return steps
  }

  #countIteration(at: number, operations = 0): void {
    this.countOperations(operations, at)
    if (++this.#counts.iterations > this.limits.iterations) {
      throw new Fault(
        'loop_limit',
        at,
        `The loops of the program run more than ${this.limits.iterations} iterations`,
      )
    }
  }

  #executeWhile(node: Statement & { kind: 'while' }): Flow {
    while (this.#blocks.left || this.#isTrue(node.condition)) {
      if (!this.#blocks.left) this.#countIteration(node.at)
      const flow = this.#block(node.at, node.body)
      if (flow === 'return') return flow
      if (flow === 'break') break
    }
    return 'next'
  }

  #executeFor(node: Statement & { kind: 'for' }): Flow {
    const type = scalarType(this, node.type, evaluate)
    const block = this.#blocks.innermost
    if (block && !this.#blocks.left) Object.assign(block, { values: loopValues(this, node, type), turns: 0 })
    for (;;) {
      // The block where another run was left has its value, and is counted.
      const value = this.#blocks.left ? undefined : block?.values?.(block.turns++)
      if (value) this.#countIteration(node.at, cellsOf(type))
      else if (!this.#blocks.left) return 'next'
      const flow = inBlock(this, node.at, () => {
        if (value) this.scope.set(node.name, entryOf(value, type))
        return this.#block(node.at, node.body)
      })
      if (flow === 'return') return flow
      if (flow === 'break') return 'next'
    }
  }

  #executeSwitch(node: Statement & { kind: 'switch' }): Flow {
    const control = integerOf(this, node.control, evaluate)
    for (const { labels, body } of node.cases) {
      this.countOperations(labels.length, node.at)
      if (labels.some((label) => integerOf(this, label, evaluate) === control))
        return this.#block(node.at, body)
    }
    return node.otherwise === undefined ? 'next' : this.#block(node.at, node.otherwise)
  }
}

function tooMany(at: number, message: string): Fault {
  return new Fault('too_many_operations', at, message)
}
