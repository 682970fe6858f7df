import { argumentQubit, declareArgument, markBroken } from './declare-unknown.ts'
import { declareGate, declareName, subroutineOf } from './execute/declare.ts'
import { Broken, checkArguments, evaluate, evaluateFor } from './execute/evaluate.ts'
import { scalarType } from './execute/evaluate-type.ts'
import { executeSimple } from './execute/execute.ts'
import { findGate, notePhase } from './execute/gate-call.ts'
import { integerOf } from './execute/indexing.ts'
import { emptyLayout, registerHardwareQubit } from './execute/layout.ts'
import { checkLoopValues, entryOf } from './execute/loop.ts'
import { inBlock, inScope, type Machine } from './execute/machine.ts'
import { type Gate, Scope, type Subroutine } from './execute/scope.ts'
import { Fault } from './fault.ts'
import { FeatureFinder } from './features.ts'
import { BUILTIN_GATES } from './gates/library.ts'
import type { NativeGate } from './gates/native-gate.ts'
import type { Limits } from './limits.ts'
import type { CallNode, GateNode, ParsedProgram, Statement } from './syntax/ast.ts'
import type { PackedCalls } from './syntax/packed-calls.ts'
import { UsedQubits } from './used-qubits.ts'
import { convert, toBool } from './values/convert.ts'
import { BOOL, describeType, FLOAT, isInteger, type Type, VOID } from './values/types.ts'
import { isKnown, type QubitsValue, typeOf, unknownValue, type Value } from './values/values.ts'
import { type WarningCode, Warnings } from './warnings.ts'

/** Maximum number of reported problems; further ones are usually repetitions. */
const MAX_PROBLEMS = 100

/** Statements allowed in the body of a gate. */
const inGates = new Set<Statement['kind']>([
  ...([
    'packed',
    'gate_call',
    'barrier',
    'delay',
    'nop',
    'box',
    'block',
    'for',
    'pragma',
    'unitary',
  ] as const),
])

/**
 * Visits every statement once, with all run-time values unknown, and collects the problems. A problem ends
 * the check of its statement only; uses of a name whose declaration is wrong cause no further problems.
 */
export class Checker implements Machine {
  readonly checking = true
  readonly version: 2 | 3
  readonly limits: Limits
  readonly outputs: readonly string[]
  readonly layout = emptyLayout()
  readonly problems: Fault[] = []
  readonly warnings = new Warnings()
  readonly features = new FeatureFinder()
  readonly used = new UsedQubits()
  /** Operations of one call of each gate, as long as its definition is kept. */
  readonly gateSteps = new WeakMap<GateNode, number>()
  defining: string | undefined
  scope = new Scope('global')
  depth = 0
  evaluations = 0
  includesLibrary = false
  #steps = 0
  #omits: NativeGate | undefined
  #work = 0
  #loops = 0
  #result: Type | undefined

  constructor(program: ParsedProgram, limits: Limits) {
    this.version = program.version
    this.limits = limits
    this.outputs = program.outputs
    for (const [name, gate] of BUILTIN_GATES[program.version]) this.scope.set(name, { kind: 'gate', gate })
  }

  hardware(index: number, at: number): number {
    registerHardwareQubit(this.layout, index, this.limits, at)
    // The indices of hardware qubits are not known yet; any number other than -1 and a declared index serves.
    return -2 - index
  }

  measure(qubits: QubitsValue, at: number): Value {
    this.countOperations(qubits.qubits.length, at)
    this.features.measure(qubits.qubits, at)
    this.used.add(qubits.qubits, this.scope)
    return unknownValue(
      qubits.scalar ? { kind: 'bit' } : { kind: 'bits', size: qubits.open ? -1 : qubits.qubits.length },
    )
  }

  callSubroutine(subroutine: Subroutine, values: readonly Value[], node: CallNode): Value {
    checkArguments(values, subroutine.arguments, node)
    this.#checkMutable(subroutine, values, node)
    return subroutine.result.kind === 'void' ? { kind: 'void' } : unknownValue(subroutine.result)
  }

  #checkMutable(subroutine: Subroutine, values: readonly Value[], node: CallNode): void {
    for (const [index, { type }] of subroutine.node.arguments.entries()) {
      const value = values[index]
      const isMutable = (type.kind === 'array_reference' || type.kind === 'array_dimensions') && type.mutable
      if (isMutable && value?.kind === 'array' && value.readonly) {
        throw new Fault(
          'not_assignable',
          node.arguments[index]?.at ?? node.at,
          'This array is read-only here',
        )
      }
    }
  }

  callGate(): void {}

  useQubits(qubits: readonly number[], gate?: Gate, controls = 0): void {
    this.features.use(qubits)
    if (gate) this.used.call(gate, qubits, controls, this.scope)
    else this.used.add(qubits, this.scope)
  }

  resetQubits(qubits: readonly number[]): void {
    this.features.reset(qubits)
    this.used.add(qubits, this.scope)
  }

  emit = (): void => {}

  /** The check itself must be bounded too, because wide registers multiply the work of a statement. */
  countOperations(operations: number, at: number): void {
    this.#work += operations
    if (this.#work <= this.limits.operations) return
    throw new Fault(
      'too_many_operations',
      at,
      `The program takes more than ${this.limits.operations} operations`,
    )
  }

  beforeGateCall(gate: Gate, calls: number): void {
    this.#steps += gate.kind === 'user' ? gate.steps * calls : calls
  }

  allQubits(): number {
    return this.layout.qubits
  }

  nextInput(): number {
    return 0
  }

  warn(code: WarningCode, message: string, at: number): void {
    this.warnings.add(code, message, at)
  }

  omitPhase(gate: NativeGate): void {
    this.#omits ??= gate
  }

  /** Checks statements in the current scope. */
  checkAll(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (this.problems.length >= MAX_PROBLEMS) return
      const { depth } = this
      try {
        this.#check(statement)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        this.depth = depth
        if (!(error instanceof Broken)) this.problems.push(error)
        markBroken(this.scope, statement)
      }
    }
  }

  #check(node: Statement): void {
    this.limits.checkpoint?.()
    const isAllowed = inGates.has(node.kind) || (node.kind === 'reset' && this.version === 2)
    if (this.scope.owner() === 'gate' && !isAllowed) {
      throw new Fault(
        'wrong_scope',
        node.at,
        'A gate body may contain only gate calls, barriers, delays, and loops over them',
      )
    }
    switch (node.kind) {
      case 'packed':
        this.#checkPacked(node.calls, node.at)
        break
      case 'gate':
        this.#checkGate(node)
        break
      case 'def':
        this.#checkDef(node)
        break
      case 'block':
      case 'box':
        if (node.kind === 'box' && node.duration !== undefined) ignoreDuration(this, node.duration)
        this.#block(node.at, node.body)
        break
      case 'if':
        this.#checkIf(node)
        break
      case 'while':
        this.#ifReached(this.#condition(node.condition) !== false, () => this.#loop(node.at, node.body))
        break
      case 'for':
        this.#checkFor(node)
        break
      case 'switch':
        this.#checkSwitch(node)
        break
      case 'break':
      case 'continue':
        if (this.#loops === 0)
          throw new Fault('wrong_scope', node.at, `"${node.kind}" is only allowed in a loop`)
        break
      case 'return':
        this.#checkReturn(node)
        break
      case 'end':
        break
      default:
        executeSimple(this, node)
        if (node.kind === 'assign' || node.kind === 'declare') this.features.assign(node, this.scope)
    }
  }

  #checkPacked(calls: PackedCalls, at: number): void {
    this.features.usePacked(calls, this.scope)
    this.used.addPacked(calls, this.scope)
    // Outside of definitions, nothing needs the number of operations.
    const gates = this.defining === undefined ? [] : calls.gates.map(({ name }) => findGate(this, name, at))
    calls.visit((index, at, first, number) => {
      const gate = gates[index]
      if (gate) {
        this.beforeGateCall(gate, 1)
        notePhase(this, gate, calls.numbers.slice(number, number + gate.parameters), [])
      }
      const last = first + 2 * (calls.gates[index]?.arity.qubits ?? 0)
      for (let place = first; place < last; place += 2) {
        if (calls.registerAt(place) < 0)
          registerHardwareQubit(this.layout, calls.qubitAt(place), this.limits, at)
      }
    })
  }

  #block(at: number, body: readonly Statement[]): void {
    inBlock(this, at, () => this.checkAll(body))
  }

  #loop(at: number, body: readonly Statement[]): void {
    this.#loops++
    if (this.scope.owner() === 'gate') this.#block(at, body)
    else this.features.loop(() => this.#block(at, body))
    this.#loops--
  }

  #checkIf({ condition, body, otherwise, at }: Statement & { kind: 'if' }): void {
    const truth = this.#condition(condition)
    this.#ifReached(truth !== false, () => this.#block(at, body))
    if (otherwise !== undefined) this.#ifReached(truth !== true, () => this.#block(at, otherwise))
  }

  /** Visits statements; those that no run reaches use no qubits. */
  #ifReached(isReached: boolean, visit: () => void): void {
    if (isReached) visit()
    else this.used.exclude(visit)
  }

  /** The value of a condition of constants; undefined for one that is known only at run time. */
  #condition(node: Parameters<typeof evaluate>[1]): boolean | undefined {
    const value = convert(evaluate(this, node), BOOL, node.at)
    if (isKnown(value)) return toBool(value)
    this.features.decide(node, this.scope)
    return undefined
  }

  /** Calls need the head of a gate only: its body, which may be long, is not kept with its name. */
  #checkGate(node: GateNode): void {
    const steps = this.#steps
    try {
      const joins = this.used.define(() => this.#checkGateBody(node))
      // Declared after its body is checked, because a gate must not call itself.
      const [steps, omits] = [this.#steps, this.#omits]
      declareGate(this, { ...node, body: node.body && [] }, { steps, omits, joins })
      this.gateSteps.set(node, this.#steps)
    } finally {
      this.defining = undefined
      this.#steps = steps
    }
  }

  #checkGateBody(node: GateNode): void {
    this.#steps = 0
    this.#omits = undefined
    this.defining = node.name
    const { body } = node
    if (body !== undefined) {
      inScope(this, new Scope('gate', this.scope), () => {
        for (const { name, at } of node.parameters) {
          declareName(
            this,
            name,
            { kind: 'variable', type: FLOAT, value: unknownValue(FLOAT), constant: true },
            at,
          )
        }
        for (const [index, { name, at }] of node.qubits.entries()) {
          declareName(this, name, { kind: 'reference', value: argumentQubit(index), constant: true }, at)
        }
        this.checkAll(body)
      })
    }
  }

  #checkDef(node: Statement & { kind: 'def' }): void {
    // As with gates, calls need the head only.
    const subroutine = subroutineOf(this, { ...node, body: [] })
    declareName(this, node.name, subroutine, node.at)
    const loops = this.#loops
    const result = this.#result
    const steps = this.#steps
    this.#loops = 0
    this.#result = subroutine.result
    try {
      this.#checkDefBody(node, subroutine)
    } finally {
      this.#loops = loops
      this.#result = result
      this.#steps = steps
    }
  }

  #checkDefBody(node: Statement & { kind: 'def' }, subroutine: Subroutine): void {
    inScope(this, new Scope('def', this.scope), () => {
      for (const [index, { name, at, type }] of node.arguments.entries()) {
        const isReadonly =
          (type.kind === 'array_reference' || type.kind === 'array_dimensions') && !type.mutable
        declareArgument(this, name, subroutine.arguments[index] ?? VOID, isReadonly, at)
      }
      this.checkAll(node.body)
    })
  }

  #checkFor(node: Statement & { kind: 'for' }): void {
    const type = scalarType(this, node.type, evaluate)
    checkLoopValues(this, node, type)
    inBlock(this, node.at, () => {
      this.scope.set(node.name, entryOf(unknownValue(type), type))
      this.#loop(node.at, node.body)
    })
  }

  #checkSwitch(node: Statement & { kind: 'switch' }): void {
    const value = evaluate(this, node.control)
    if (!isKnown(value)) this.features.decide(node.control, this.scope)
    const control = typeOf(value)
    if (!isInteger(control)) {
      throw new Fault(
        'type_mismatch',
        node.control.at,
        `A switch needs an integer, not ${describeType(control)}: write int(...)`,
      )
    }
    const seen = new Set<bigint>()
    for (const { labels, body } of node.cases) {
      for (const label of labels) {
        const value = integerOf(this, label, evaluate)
        if (value === undefined) throw new Fault('not_constant', label.at, 'A case must be a constant')
        if (seen.has(value)) throw new Fault('duplicate_name', label.at, `Duplicate case ${value}`)
        seen.add(value)
      }
      this.#block(node.at, body)
    }
    if (node.otherwise !== undefined) this.#block(node.at, node.otherwise)
  }

  #checkReturn(node: Statement & { kind: 'return' }): void {
    const result = this.#result
    if (this.scope.owner() !== 'def' || result === undefined) {
      throw new Fault('wrong_scope', node.at, '"return" is only allowed in a subroutine')
    }
    if (node.value === undefined) {
      if (result.kind === 'void') return
      throw new Fault('type_mismatch', node.at, `This subroutine returns ${describeType(result)}`)
    }
    const value = evaluateFor(this, node.value, result)
    if (result.kind === 'void')
      throw new Fault('type_mismatch', node.value.at, 'This subroutine returns nothing: add "-> type"')
    convert(value, result, node.value.at)
  }
}

function ignoreDuration(m: Machine, node: Parameters<typeof evaluate>[1]): void {
  const type = typeOf(evaluate(m, node))
  if (type.kind !== 'duration')
    throw new Fault('type_mismatch', node.at, `A duration is needed here, not ${describeType(type)}`)
  m.warn('ignored_directive', 'The duration of a box is ignored', node.at)
}
