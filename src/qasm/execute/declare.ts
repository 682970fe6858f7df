import { Fault } from '../fault.ts'
import { LIBRARIES, type Library } from '../gates/exporter-gates.ts'
import { BUILTIN_GATES } from '../gates/library.ts'
import type { DeclareNode, Expression, GateNode, Statement } from '../syntax/ast.ts'
import { elementNames, newArray, sizeOfShape, unknownArray, zeroValue } from '../values/arrays.ts'
import { CONSTANTS } from '../values/constants.ts'
import { convert } from '../values/convert.ts'
import { inputProblem, inputValue, type TypedInput } from '../values/input.ts'
import { cellsOf, describeType, isBits, type ScalarType, type Type, VOID } from '../values/types.ts'
import {
  type ArrayValue,
  type BitsValue,
  isKnown,
  type QubitsValue,
  typeOf,
  unknownValue,
  type Value,
} from '../values/values.ts'
import { convertTo, evaluate, evaluateFor } from './evaluate.ts'
import { evaluateType, scalarType } from './evaluate-type.ts'
import { addBits, addQubits, countBits } from './layout.ts'
import { entryOf } from './loop.ts'
import type { Machine } from './machine.ts'
import type { Entry, Scope, UserGate } from './scope.ts'

/** Elements of an input array: as many as a job may bind values. */
const MAX_INPUT_ELEMENTS = 10_000

/** Declares a name in the current block; throws `duplicate_name`. */
export function declareName(m: Machine, name: string, entry: Entry, at: number): void {
  const known = m.scope.own(name)
  const isConstant = CONSTANTS.has(name) && (m.version === 3 || name === 'pi')
  if ((known !== undefined && known.kind !== 'broken') || isConstant) {
    throw new Fault('duplicate_name', at, `"${name}" is already declared${originOf(known, isConstant)}`)
  }
  m.scope.set(name, entry)
}

/** Names what holds a name that the program itself does not declare, and the remedy. */
function originOf(known: Entry | undefined, isConstant: boolean): string {
  if (isConstant) return ', as a built-in constant: choose another name'
  if (known?.kind !== 'gate' || known.gate.kind === 'user') return ''
  if (known.implied)
    return ', by its use as a gate of other tools: move the declaration up, or choose another name'
  return ', as a standard gate: choose another name'
}

function expectGlobal(m: Machine, what: string, at: number): void {
  if (m.scope.kind !== 'global') {
    throw new Fault('wrong_scope', at, `${what} can be declared at the top level of the program only`)
  }
}

/** Declares a variable, constant, register, array, input or output. */
export function declare(m: Machine, node: DeclareNode): void {
  if (node.form === 'input' || node.form === 'output') expectGlobal(m, 'Inputs and outputs', node.at)
  const type = evaluateType(m, node.type, evaluate)
  if (node.type.kind === 'plain' && node.type.name === 'stretch' && node.value === undefined) {
    m.warn('no_duration', 'stretch is taken as 0 s: no gate durations are known', node.at)
  }
  if (node.form === 'output' && !isBits(type)) {
    m.warn(
      'left_out',
      `The output "${node.name}" is left out of the result, which is made of bits: copy it into a register`,
      node.at,
    )
  }
  declareName(m, node.name, entryFor(m, node, type), node.nameAt)
}

function entryFor(m: Machine, node: DeclareNode, type: Type): Entry {
  switch (type.kind) {
    case 'qubit':
    case 'qubits':
      return reference(declareQubits(m, node, type))
    case 'array':
      return reference(declareArray(m, node, type))
    case 'void':
      throw new Fault('type_mismatch', node.at, 'A value cannot have the type void')
    case 'bit':
    case 'bits':
      return reference(declareBits(m, node, type), node.form === 'const')
    default:
      return { kind: 'variable', type, value: initialValue(m, node, type), constant: node.form === 'const' }
  }
}

function reference(value: BitsValue | QubitsValue | ArrayValue, constant = false): Entry {
  return { kind: 'reference', value, constant }
}

function declareQubits(m: Machine, node: DeclareNode, type: Type): QubitsValue {
  expectGlobal(m, 'Qubits', node.at)
  const size = type.kind === 'qubits' ? type.size : 1
  const qubits = addQubits(m.layout, node.name, size, m.limits, node.nameAt)
  return { kind: 'qubits', scalar: type.kind === 'qubit', qubits }
}

function declareArray(m: Machine, node: DeclareNode, type: Type & { kind: 'array' }): ArrayValue {
  expectGlobal(m, 'Arrays', node.at)
  const size = sizeOfShape(type.shape)
  if (node.form === 'input' && size > MAX_INPUT_ELEMENTS)
    throw new Fault(
      'unsupported',
      node.at,
      `An input array has at most ${MAX_INPUT_ELEMENTS} elements, not ${size}`,
    )
  m.countOperations(size * cellsOf(type.element), node.at)
  const array = m.checking ? unknownArray(type.element, type.shape) : newArray(type.element, type.shape)
  if (node.form === 'input' && !m.checking) bindElements(m, node, array)
  if (node.value === undefined) return array
  const value = convert(evaluateFor(m, node.value, type), type, node.value.at)
  if (m.checking || value.kind !== 'array') return array
  return node.value.kind === 'array_literal' || node.value.kind === 'concat' ? value : copyOf(value, array)
}

/** Each element is an input of its own. */
function bindElements(m: Machine, node: DeclareNode, { element, shape, store }: ArrayValue): void {
  for (const [index, name] of elementNames(node.name, shape).entries())
    store.set(index, inputOf(m, { ...node, name }, element))
}

function copyOf(from: ArrayValue, to: ArrayValue): ArrayValue {
  const size = sizeOfShape(from.shape)
  const contiguous = { ...from }
  for (let index = 0; index < size; index++) {
    let rest = index
    let place = contiguous.offset
    for (let dimension = from.shape.length - 1; dimension >= 0; dimension--) {
      const length = from.shape[dimension] ?? 1
      place += (rest % length) * (from.strides[dimension] ?? 0)
      rest = Math.floor(rest / length)
    }
    to.store.set(index, convert(from.store.get(place), to.element, 0))
  }
  return to
}

function declareBits(m: Machine, node: DeclareNode, type: ScalarType): BitsValue {
  // Values created repeatedly at run time count as operations instead.
  if (m.checking) countBits(m.layout, cellsOf(type), m.limits, node.nameAt)
  const value = initialValue(m, node, type)
  if (value.kind !== 'bits')
    throw new Fault('type_mismatch', node.at, `${describeType(type)} is not a register`)
  if (isResult(m, node)) addBits(m.layout, node.name, value.cells)
  return value
}

/**
 * Whether a register is part of the result: an output or, without outputs, any register of bits at the top
 * level.
 */
function isResult(m: Machine, { form }: DeclareNode): boolean {
  return m.scope.kind === 'global' && (m.outputs.length > 0 ? form === 'output' : form !== 'const')
}

function initialValue(m: Machine, node: DeclareNode, type: ScalarType): Value {
  if (node.form === 'input') return m.checking ? unknownValue(type) : inputOf(m, node, type)
  if (node.value === undefined) return m.checking ? unknownValue(type) : zeroValue(type)
  const value = convertTo(m, evaluateFor(m, node.value, type), type, node.value.at)
  if (node.form !== 'const') return m.checking ? unknownValue(type) : value
  if (!isKnown(value))
    throw new Fault('not_constant', node.value.at, 'The value of a constant must be known at compile time')
  return value
}

/** The value of an input; without values bound, the tape computes with it. */
function inputOf(
  m: Machine,
  { name, nameAt }: Pick<DeclareNode, 'name' | 'nameAt'>,
  type: ScalarType,
): Value {
  return m.tape ? m.tape.input(type) : boundInput({ name, type }, m.nextInput(), nameAt)
}

/**
 * The value bound to an input, converted to the type of the input.
 * @throws Fault `invalid_value`.
 */
export function boundInput({ name, type }: TypedInput, value: number, nameAt: number): Value {
  const problem = inputProblem({ name, type }, value)
  if (problem !== undefined) throw new Fault('invalid_value', nameAt, problem)
  return inputValue(type, value, nameAt)
}

/** `let`: an alias of bits or qubits. */
export function declareAlias(m: Machine, name: string, node: Expression, at: number): void {
  const value = evaluate(m, node)
  if (!isNamed(node))
    throw new Fault('type_mismatch', node.at, '"let" names registers or parts of them, not values')
  if (value.kind !== 'qubits' && value.kind !== 'bits' && value.kind !== 'array') {
    throw new Fault('type_mismatch', node.at, `"let" names registers, not ${describeType(typeOf(value))}`)
  }
  declareName(m, name, reference(value, isConstantTarget(m, node)), at)
}

function isNamed(node: Expression): boolean {
  if (node.kind === 'concat') return node.parts.every(isNamed)
  let base: Expression = node
  while (base.kind === 'index') base = base.base
  return base.kind === 'name' || base.kind === 'hardware'
}

/** An alias of a constant is constant as well. */
function isConstantTarget(m: Machine, node: Expression): boolean {
  if (node.kind === 'concat') return node.parts.some((part) => isConstantTarget(m, part))
  let base: Expression = node
  while (base.kind === 'index') base = base.base
  if (base.kind !== 'name') return false
  const found = m.scope.find(base.name)
  return found !== undefined && (found.outside || (found.entry.kind === 'reference' && found.entry.constant))
}

/** Declares the gates of a library. */
export function declareLibrary(m: Machine, library: Library, at: number): void {
  expectGlobal(m, 'Libraries', at)
  m.includesLibrary = true
  for (const [name, gate] of LIBRARIES[library]) {
    const known = m.scope.own(name)
    if (known === undefined || known.kind === 'gate') {
      if (known?.gate.kind === 'user' && m.version === 2) continue
      if (known?.gate.kind !== 'user') m.scope.set(name, { kind: 'gate', gate })
      else throw new Fault('duplicate_name', at, `The library redefines "${name}": include it first`)
    } else {
      throw new Fault('duplicate_name', at, `The library redefines "${name}": choose another name`)
    }
  }
}

/** Declares a gate of the program. An OpenQASM 2 program may redefine a gate of the library. */
export function declareGate(
  m: Machine,
  node: GateNode,
  known: Pick<UserGate, 'steps' | 'omits' | 'joins'>,
): UserGate {
  expectGlobal(m, 'Gates', node.at)
  const entry = m.scope.own(node.name)
  const replaces = m.version === 2 && entry?.kind === 'gate' && isOfLibrary(entry)
  const gate: UserGate = {
    kind: 'user',
    name: node.name,
    parameters: node.parameters.length,
    qubits: node.qubits.length,
    node,
    ...known,
  }
  if (replaces) m.scope.set(node.name, { kind: 'gate', gate })
  else declareName(m, node.name, { kind: 'gate', gate }, node.at)
  return gate
}

function isOfLibrary({ gate, implied }: Entry & { kind: 'gate' }): boolean {
  return gate.kind === 'native' && !implied && BUILTIN_GATES[2].get(gate.name) !== gate
}

/** Declares a subroutine and returns its entry. */
export function subroutineOf(m: Machine, node: Statement & { kind: 'def' }) {
  expectGlobal(m, 'Subroutines', node.at)
  const types = node.arguments.map(({ type }) => evaluateType(m, type, evaluate))
  const result = node.result === undefined ? VOID : scalarType(m, node.result, evaluate)
  return { kind: 'def', node, arguments: types, result } as const
}

/** Declares an extern function, which can be checked but not called. */
export function declareExtern(m: Machine, node: Statement & { kind: 'extern' }): void {
  expectGlobal(m, 'Extern functions', node.at)
  const types = node.arguments.map((type) => evaluateType(m, type, evaluate))
  const result = node.result === undefined ? VOID : scalarType(m, node.result, evaluate)
  declareName(m, node.name, { kind: 'extern', arguments: types, result }, node.at)
}

/** Binds the value of an argument of a subroutine to its name. */
export function bindArgument(
  m: Machine,
  scope: Scope,
  { name, type: node, at }: { name: string; at: number; type: { kind: string; mutable?: boolean } },
  type: Type,
  value: Value,
): void {
  m.countOperations(cellsOf(type), at)
  switch (type.kind) {
    case 'qubit':
    case 'qubits':
      if (value.kind === 'qubits') scope.set(name, { kind: 'reference', value, constant: true })
      break
    case 'array':
      if (value.kind === 'array') {
        const isReadonly = node.mutable !== true
        scope.set(name, { kind: 'reference', value: { ...value, readonly: isReadonly }, constant: false })
      }
      break
    case 'void':
      break
    default:
      scope.set(name, entryOf(convert(value, type, at), type))
  }
}
