import { Fault } from '../fault.ts'
import type { ForNode, RangeNode } from '../syntax/ast.ts'
import { elementsOf } from '../values/arrays.ts'
import { convert } from '../values/convert.ts'
import { describeType, type ScalarType } from '../values/types.ts'
import { type ArrayValue, freshBits, literalInt, typeOf, type Value } from '../values/values.ts'
import { evaluate } from './evaluate.ts'
import { integerOf } from './indexing.ts'
import type { Machine } from './machine.ts'
import type { Entry } from './scope.ts'

/** Creates a variable with this value. */
export function entryOf(value: Value, type: ScalarType): Entry {
  if (value.kind === 'bits') return { kind: 'reference', value, constant: false }
  return { kind: 'variable', type, value, constant: false }
}

/** The values of a `for` loop by turn; throws if they depend on measurement outcomes. */
export function loopValues(m: Machine, node: ForNode, type: ScalarType): (turn: number) => Value | undefined {
  const { values } = node
  if (values.kind === 'range') {
    const { start, step, stop } = boundsOf(m, values)
    return (turn) => {
      const value = start + step * BigInt(turn)
      return (step > 0n ? value <= stop : value >= stop)
        ? convert(literalInt(value), type, values.at)
        : undefined
    }
  }
  const items =
    values.kind === 'set'
      ? values.elements.map((element) => evaluate(m, element))
      : itemsOf(evaluate(m, values), values.at)
  return (turn) => items[turn] && convert(items[turn], type, values.at)
}

function boundsOf(m: Machine, range: RangeNode) {
  const bound = (node: RangeNode['start'], otherwise: bigint) =>
    node === undefined ? otherwise : (integerOf(m, node, evaluate) ?? 0n)
  const step = bound(range.step, 1n)
  if (step === 0n) throw new Fault('invalid_value', range.at, 'The step of a range must not be zero')
  return { start: bound(range.start, 0n), step, stop: bound(range.stop, 0n) }
}

function itemsOf(value: Value, at: number): Value[] {
  if (value.kind === 'bits' && !value.scalar) {
    return value.cells.map((cell) => freshBits([cell.state], true))
  }
  if (value.kind === 'array' && value.shape.length === 1) return elementsOf(value).map(copyOf)
  throw notIterable(value, at)
}

/** A value that later writes to the bits of an array do not change. */
function copyOf(value: Value): Value {
  if (value.kind !== 'bits') return value
  return freshBits(
    value.cells.map((cell) => cell.state),
    value.scalar,
  )
}

function notIterable(value: Value, at: number): Fault {
  const allowed = 'a range in brackets, a set in braces, a register of bits or a one-dimensional array'
  return new Fault(
    'type_mismatch',
    at,
    `A loop iterates over ${allowed}, not over ${describeType(typeOf(value))}`,
  )
}

/** Checks the values of a `for` loop without iterating over them. */
export function checkLoopValues(m: Machine, node: ForNode, type: ScalarType): void {
  const { values } = node
  if (values.kind === 'range') {
    if (values.start === undefined || values.stop === undefined) {
      throw new Fault('syntax_error', values.at, 'The range of a loop needs a start and a stop')
    }
    boundsOfChecked(m, values, type)
  } else if (values.kind === 'set') {
    for (const element of values.elements) convert(evaluate(m, element), type, element.at)
  } else {
    checkItems(m, evaluate(m, values), type, values.at)
  }
}

function boundsOfChecked(m: Machine, range: RangeNode, type: ScalarType): void {
  for (const node of [range.start, range.stop]) if (node !== undefined) integerOf(m, node, evaluate)
  if (range.step !== undefined && integerOf(m, range.step, evaluate) === 0n) {
    throw new Fault('invalid_value', range.step.at, 'The step of a range must not be zero')
  }
  convert(literalInt(0n), type, range.at)
}

function checkItems(m: Machine, value: Value, type: ScalarType, at: number): void {
  const isArray = value.kind === 'array' && value.shape.length === 1
  if (!isArray && (value.kind !== 'bits' || value.scalar)) throw notIterable(value, at)
  const item: Value = isArray ? firstOf(value) : { kind: 'bits', scalar: true, cells: [{ state: 0 }] }
  convert(item, type, at)
  m.countOperations(0, at)
}

function firstOf(array: ArrayValue): Value {
  return array.store.get(array.offset)
}
