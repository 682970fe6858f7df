import { Fault } from '../fault.ts'
import { didYouMean } from '../gates/near-name.ts'
import { isLong, ZERO } from '../rational.ts'
import type { BinaryNode, CallNode, Expression } from '../syntax/ast.ts'
import { copyArray, elementsOf, newArray, sizeOfShape, unknownArray } from '../values/arrays.ts'
import { builtinNames, callBuiltin, isBuiltin } from '../values/builtins.ts'
import { CONSTANTS } from '../values/constants.ts'
import { type ConversionForm, convert, toBool } from '../values/convert.ts'
import type { BinaryOperator } from '../values/operator.ts'
import { binary, unary } from '../values/operators.ts'
import { BOOL, DURATION, describeType, MACHINE_WIDTH, type Type } from '../values/types.ts'
import {
  type ArrayValue,
  type BitsValue,
  boolValue,
  durationValue,
  isKnown,
  type QubitsValue,
  typeOf,
  unknownValue,
  type Value,
} from '../values/values.ts'
import { evaluateType } from './evaluate-type.ts'
import { indexValue } from './indexing.ts'
import { enter, type Machine } from './machine.ts'
import type { Found } from './scope.ts'

/** Evaluates an expression; bits, qubits and arrays are references to declared registers. */
export function evaluate(m: Machine, node: Expression): Value {
  enter(m, node.at)
  const value = evaluateNode(m, node)
  spendOnWidth(m, value, node.at)
  m.depth--
  return value
}

/** Operations that one on a long fraction counts as. */
const LONG_FRACTION = 1_000

/** Wide registers and long fractions cost more than numbers. */
function spendOnWidth(m: Machine, value: Value, at: number): void {
  if (value.kind === 'duration' && isLong(value.seconds)) m.countOperations(LONG_FRACTION, at)
  const width = value.kind === 'bits' ? value.cells.length : value.kind === 'qubits' ? value.qubits.length : 0
  if (width > MACHINE_WIDTH) m.countOperations(width >> 4, at)
}

function evaluateNode(m: Machine, node: Expression): Value {
  switch (node.kind) {
    case 'literal':
      return node.value
    case 'name':
      return valueOfName(m, node.name, node.at)
    case 'hardware':
      return { kind: 'qubits', scalar: true, qubits: [m.hardware(node.index, node.at)] }
    case 'unary':
      return evaluateUnary(m, node)
    case 'binary':
      return evaluateBinary(m, node)
    case 'cast':
      return evaluateCast(m, node)
    case 'call':
      return call(m, node)
    case 'index':
      return indexValue(m, evaluate(m, node.base), node.index, evaluate)
    case 'durationof':
      return durationOf(m, node.at)
    case 'measure':
      return m.measure(evaluateQubits(m, node.operand), node.at)
    case 'concat':
      return concatenate(
        m,
        node.parts.map((part) => evaluate(m, part)),
        node.at,
      )
    case 'array_literal':
      throw new Fault('type_mismatch', node.at, 'Only an array accepts values in braces')
  }
}

function evaluateUnary(m: Machine, { operator, operand: node, at }: Expression & { kind: 'unary' }): Value {
  const operand = evaluate(m, node)
  const value = unary(operator, operand, at)
  if (!m.tape) return value
  return m.tape.record(value, [operand], ([known = operand]) => unary(operator, known, at))
}

function evaluateCast(
  m: Machine,
  { operand: node, type: typeNode, at }: Expression & { kind: 'cast' },
): Value {
  const operand = evaluate(m, node)
  return convertTo(m, operand, evaluateType(m, typeNode, evaluate), at, 'cast')
}

/** As `convert`; a value that inputs decide is converted when they are bound. */
export function convertTo(m: Machine, operand: Value, type: Type, at: number, form?: ConversionForm): Value {
  const value = convert(operand, type, at, form)
  return m.tape
    ? m.tape.record(value, [operand], ([known = operand]) => convert(known, type, at, form))
    : value
}

/** As `binary`; a value that inputs decide is computed when they are bound. */
export function applyBinary(
  m: Machine,
  operator: BinaryOperator,
  left: Value,
  right: Value,
  at: number,
): Value {
  const value = binary(operator, left, right, at)
  if (!m.tape) return value
  return m.tape.record(value, [left, right], ([a = left, b = right]) => binary(operator, a, b, at))
}

function callFunction(m: Machine, node: CallNode): Value {
  const operands = evaluateAll(m, node.arguments)
  const apply = (values: readonly Value[]) => callBuiltin(node.name, values, m.version, node.at)
  const value = apply(operands)
  return m.tape ? m.tape.record(value, operands, apply) : value
}

function durationOf(m: Machine, at: number): Value {
  m.warn('no_duration', 'durationof() is taken as 0 s: no gate durations are known', at)
  return m.checking ? unknownValue(DURATION) : durationValue(ZERO)
}

/** Looks a name up; throws `unknown_name`. */
export function findName(m: Machine, name: string, at: number): Found {
  const found = m.scope.find(name)
  if (found === undefined) throw unknownName(m, name, at)
  return found
}

function unknownName(m: Machine, name: string, at: number): Fault {
  return new Fault(
    'unknown_name',
    at,
    `"${name}" is not declared${didYouMean(name, [...m.scope.names('variable', 'reference'), ...CONSTANTS.keys()])}`,
  )
}

function valueOfName(m: Machine, name: string, at: number): Value {
  const { entry, outside } = findName(m, name, at)
  switch (entry.kind) {
    case 'variable':
      return entry.value
    case 'reference':
      if (outside && entry.value.kind === 'qubits') {
        throw new Fault('wrong_scope', at, `Qubits such as "${name}" must be passed as arguments`)
      }
      return entry.value
    case 'broken':
      throw new Broken(at)
    default:
      throw new Fault(
        'type_mismatch',
        at,
        `"${name}" is a ${entry.kind === 'gate' ? 'gate' : 'function'}, not a value`,
      )
  }
}

/** Thrown for a consequence of a problem that is already reported. */
export class Broken extends Fault {
  constructor(at: number) {
    super('unknown_name', at, 'This name was declared wrongly')
  }
}

/**
 * Long chains such as `a + b + c + ...` are left-deep trees; they are evaluated iteratively instead of
 * recursively.
 */
function evaluateBinary(m: Machine, node: BinaryNode): Value {
  const chain: BinaryNode[] = [node]
  let first: Expression = node.left
  while (first.kind === 'binary') {
    chain.push(first)
    first = first.left
  }
  let value = evaluate(m, first)
  for (let link = chain.pop(); link !== undefined; link = chain.pop()) {
    value = applyLink(m, link, value)
    spendOnWidth(m, value, link.at)
  }
  return value
}

function applyLink(m: Machine, { operator, right, at }: BinaryNode, left: Value): Value {
  if (operator !== '&&' && operator !== '||') return applyBinary(m, operator, left, evaluate(m, right), at)
  const truth = convert(left, BOOL, at)
  if (isKnown(truth) && !m.checking && toBool(truth) === (operator === '||')) return truth
  const other = convert(evaluate(m, right), BOOL, at)
  if (isKnown(other) && toBool(other) === (operator === '||')) return boolValue(operator === '||')
  return applyBinary(m, operator, truth, other, at)
}

function call(m: Machine, node: CallNode): Value {
  const found = m.scope.find(node.name)
  if (found === undefined) {
    if (!isBuiltin(node.name, m.version)) {
      throw unknownFunction(m, node)
    }
    return callFunction(m, node)
  }
  switch (found.entry.kind) {
    case 'def':
      return m.callSubroutine(found.entry, evaluateAll(m, node.arguments), node)
    case 'extern':
      return callExtern(m, found.entry.arguments, found.entry.result, node)
    case 'broken':
      throw new Broken(node.at)
    default:
      throw new Fault('type_mismatch', node.at, `"${node.name}" cannot be called as a function`)
  }
}

function unknownFunction(m: Machine, { name, at }: CallNode): Fault {
  const near = didYouMean(name, [...m.scope.names('def', 'extern'), ...builtinNames(m.version)])
  return new Fault('unknown_name', at, `There is no function "${name}"${near}`)
}

function evaluateAll(m: Machine, nodes: readonly Expression[]): Value[] {
  return nodes.map((node) => evaluate(m, node))
}

function callExtern(m: Machine, types: readonly Type[], result: Type, node: CallNode): Value {
  if (!m.checking) {
    throw new Fault('unsupported', node.at, `"${node.name}" is extern and has no implementation here`)
  }
  checkArguments(evaluateAll(m, node.arguments), types, node)
  return unknownValue(result)
}

/** Checks number and types of the arguments of a call. */
export function checkArguments(values: readonly Value[], types: readonly Type[], node: CallNode): void {
  if (values.length !== types.length) {
    throw new Fault(
      'argument_count',
      node.at,
      `"${node.name}" takes ${types.length} arguments, not ${values.length}`,
    )
  }
  for (const [index, value] of values.entries()) {
    const type = types[index]
    if (type !== undefined) convert(value, type, node.arguments[index]?.at ?? node.at)
  }
}

/** The qubits of an operand; throws `type_mismatch` for any other value. */
export function evaluateQubits(m: Machine, node: Expression): QubitsValue {
  const value = evaluate(m, node)
  if (value.kind === 'qubits') return value
  throw new Fault('type_mismatch', node.at, `A qubit is needed here, not ${describeType(typeOf(value))}`)
}

function concatenate(m: Machine, parts: readonly Value[], at: number): Value {
  const [first] = parts
  if (first?.kind === 'qubits') return concatenateQubits(parts, at)
  if (first?.kind === 'bits') return concatenateBits(parts, at)
  if (first?.kind === 'array') return concatenateArrays(m, first, parts, at)
  throw new Fault('type_mismatch', at, 'Only registers and arrays can be joined with "++"')
}

function mixed(at: number): Fault {
  return new Fault('type_mismatch', at, 'All parts joined with "++" must be of the same kind')
}

function concatenateQubits(parts: readonly Value[], at: number): QubitsValue {
  const qubits: number[] = []
  let open = false
  for (const part of parts) {
    if (part.kind !== 'qubits') throw mixed(at)
    for (const qubit of part.qubits) qubits.push(qubit)
    open ||= part.open === true
  }
  const known = qubits.filter((qubit) => qubit !== -1)
  if (new Set(known).size < known.length) {
    throw new Fault('duplicate_qubit', at, 'A register must not contain the same qubit twice')
  }
  return open ? { kind: 'qubits', scalar: false, qubits, open } : { kind: 'qubits', scalar: false, qubits }
}

function concatenateBits(parts: readonly Value[], at: number): BitsValue {
  const open = parts.some((part) => part.kind === 'bits' && part.open === true)
  const cells = parts.flatMap((part) => {
    if (part.kind !== 'bits') throw mixed(at)
    return part.cells
  })
  return open ? { kind: 'bits', scalar: false, cells, open } : { kind: 'bits', scalar: false, cells }
}

function concatenateArrays(m: Machine, first: ArrayValue, parts: readonly Value[], at: number): ArrayValue {
  const arrays = parts.map((part) => {
    if (part.kind !== 'array' || !joins(part, first)) throw mixed(at)
    return part
  })
  const sizes = arrays.map((array) => array.shape[0] ?? 0)
  const total = sizes.some((size) => size < 0) ? -1 : sizes.reduce((sum, size) => sum + size, 0)
  const shape = [total, ...first.shape.slice(1)]
  if (total < 0 || m.checking) return unknownArray(first.element, shape)
  m.countOperations(sizeOfShape(shape), at)
  const joined = newArray(first.element, shape)
  const values = arrays.flatMap(elementsOf)
  for (const [index, value] of values.entries()) joined.store.set(index, convert(value, first.element, at))
  return joined
}

function joins(part: ArrayValue, first: ArrayValue): boolean {
  return (
    describeType(part.element) === describeType(first.element) &&
    part.shape.length === first.shape.length &&
    part.shape.slice(1).every((size, index) => size === first.shape[index + 1])
  )
}

/** Evaluates an initial or assigned value of the given type; arrays accept values in braces. */
export function evaluateFor(m: Machine, node: Expression, type: Type): Value {
  if (node.kind !== 'array_literal') return evaluate(m, node)
  if (type.kind !== 'array') return evaluate(m, node)
  const array = m.checking ? unknownArray(type.element, type.shape) : newArray(type.element, type.shape)
  fill(m, node.elements, array, node.at)
  return array
}

/** Fills an array from nested braces of the same shape. */
function fill(m: Machine, elements: readonly Expression[], array: ArrayValue, at: number): void {
  const [size = 0, ...shape] = array.shape
  const [stride = 0, ...strides] = array.strides
  m.countOperations(elements.length, at)
  if (size >= 0 && elements.length !== size) {
    throw new Fault('type_mismatch', at, `${size} values are needed here, not ${elements.length}`)
  }
  for (const [index, element] of elements.entries()) {
    const part: ArrayValue = { ...array, shape, strides, offset: array.offset + index * stride }
    if (element.kind === 'array_literal' && shape.length > 0) {
      fill(m, element.elements, part, element.at)
    } else if (shape.length > 0) {
      const value = convert(evaluate(m, element), typeOf(part), element.at)
      if (value.kind === 'array') copyArray(value, part, element.at)
    } else {
      array.store.set(part.offset, convert(evaluate(m, element), array.element, element.at))
    }
  }
}
