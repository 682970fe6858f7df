import { Fault } from '../fault.ts'
import { compareRationals, negated } from '../rational.ts'
import { toBigInt, toBool, toComplex, toNumber } from './convert.ts'
import { complexBinary } from './operate-complex.ts'
import { durationBinary, durationRatio, exactOf } from './operate-duration.ts'
import { bitwise, integerBinary, shift } from './operate-integer.ts'
import type { ArithmeticOperator, BinaryOperator, UnaryOperator } from './operator.ts'
import { binaryType, unaryType } from './operator-types.ts'
import { isBits, type Type } from './types.ts'
import {
  type BitsValue,
  bigIntToBits,
  boolValue,
  durationValue,
  floatValue,
  freshBits,
  intValue,
  isKnown,
  radiansToAngle,
  typeOf,
  UNDETERMINED,
  unknownValue,
  type Value,
} from './values.ts'

/** Applies a binary operator. An unknown operand makes the result unknown, but its type is still checked. */
export function binary(operator: BinaryOperator, left: Value, right: Value, at: number): Value {
  const type = binaryType(operator, typeOf(left), typeOf(right), at)
  if (isBits(type) && (operator === '&' || operator === '|' || operator === '^')) {
    const [a, b] = [asBits(left, type, at), asBits(right, type, at)]
    if (a !== undefined && b !== undefined) return combineBits(operator, a, b, type)
  }
  if (!isKnown(left) || !isKnown(right)) return unknownValue(type)
  switch (operator) {
    case '&&':
      return boolValue(toBool(left) && toBool(right))
    case '||':
      return boolValue(toBool(left) || toBool(right))
    case '==':
    case '!=':
    case '<':
    case '>':
    case '<=':
    case '>=':
      return boolValue(compare(operator, left, right, at))
    case '&':
    case '|':
    case '^':
      return inType(bitwise(operator, toBigInt(left, at), toBigInt(right, at)), type)
    case '<<':
    case '>>':
      return inType(shift(operator, toBigInt(left, at), toBigInt(right, at), type, at), type)
    default:
      return arithmetic(operator, left, right, type, at)
  }
}

/** Applies a unary operator, as `binary` does. */
export function unary(operator: UnaryOperator, operand: Value, at: number): Value {
  const type = unaryType(operator, typeOf(operand), at)
  if (operator === '~' && operand.kind === 'bits' && !operand.open) {
    const states = operand.cells.map(({ state }) => (state === 0 ? 1 : state === 1 ? 0 : UNDETERMINED))
    return freshBits(states, operand.scalar)
  }
  if (!isKnown(operand)) return unknownValue(type)
  if (operator === '!' || type.kind === 'bool') return boolValue(!toBool(operand))
  if (operator === '~') return inType(~toBigInt(operand, at), type)
  if (operand.kind === 'complex') return { kind: 'complex', re: -operand.re, im: -operand.im }
  if (operand.kind === 'duration') return durationValue(negated(operand.seconds))
  if (operand.kind === 'float') return { kind: 'float', width: operand.width, value: -operand.value }
  return inType(-toBigInt(operand, at), type)
}

/** Converts an integer result to its type: wrapped, or as bits. */
function inType(value: bigint, type: Type): Value {
  switch (type.kind) {
    case 'int':
    case 'uint':
      return intValue(value, type.kind === 'int', type.width)
    case 'angle':
      return { kind: 'angle', width: type.width, value: BigInt.asUintN(type.width, value) }
    case 'bit':
      return bigIntToBits(value, 1, true)
    case 'bits':
      return bigIntToBits(value, type.size, false)
    default:
      return boolValue(value !== 0n)
  }
}

/** Converts a value to bits of this type; undefined if it is known only at run time. */
function asBits(value: Value, type: Type & { kind: 'bit' | 'bits' }, at: number): BitsValue | undefined {
  if (value.kind === 'bits') return value.open ? undefined : value
  if (!isKnown(value)) return undefined
  return bigIntToBits(toBigInt(value, at), type.kind === 'bit' ? 1 : type.size, type.kind === 'bit')
}

/** Combines bit by bit, so that `x ^ 0` is still the outcome x and `x & 0` is known. */
function combineBits(operator: '&' | '|' | '^', left: BitsValue, right: BitsValue, type: Type): Value {
  const states = left.cells.map((cell, index) =>
    combine(operator, cell.state, right.cells[index]?.state ?? 0),
  )
  return freshBits(states, type.kind === 'bit')
}

function combine(operator: '&' | '|' | '^', a: number, b: number): number {
  if (a > 1 || a < 0) return b === 0 || b === 1 ? combineWithKnown(operator, a, b) : UNDETERMINED
  if (b > 1 || b < 0) return combineWithKnown(operator, b, a)
  return operator === '&' ? a & b : operator === '|' ? a | b : a ^ b
}

function combineWithKnown(operator: '&' | '|' | '^', unknown: number, known: number): number {
  if (operator === '&') return known === 0 ? 0 : unknown
  if (operator === '|') return known === 1 ? 1 : unknown
  return known === 0 ? unknown : UNDETERMINED
}

type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>='

function compare(operator: Comparison, left: Value, right: Value, at: number): boolean {
  if (left.kind === 'complex' || right.kind === 'complex') {
    const a = toComplex(left)
    const b = toComplex(right)
    const equal = a.re === b.re && a.im === b.im
    return operator === '==' ? equal : !equal
  }
  if (left.kind === 'angle' || right.kind === 'angle') return compareAngles(operator, left, right)
  if (isExact(left) || isExact(right)) {
    return ordered(operator, compareRationals(exactOf(left, at), exactOf(right, at)), 0)
  }
  if (left.kind === 'float' || right.kind === 'float') {
    return ordered(operator, toNumber(left), toNumber(right))
  }
  return ordered(operator, toBigInt(left, at), toBigInt(right, at))
}

function isExact(value: Value): boolean {
  return value.kind === 'duration' || (value.kind === 'float' && value.exact !== undefined)
}

function compareAngles(operator: Comparison, left: Value, right: Value): boolean {
  const width = Math.max(left.kind === 'angle' ? left.width : 0, right.kind === 'angle' ? right.width : 0)
  const pattern = (value: Value) =>
    value.kind === 'angle'
      ? value.value << BigInt(width - value.width)
      : radiansToAngle(toNumber(value), width).value
  return ordered(operator, pattern(left), pattern(right))
}

function ordered<T extends number | bigint>(operator: Comparison, a: T, b: T): boolean {
  switch (operator) {
    case '==':
      return a === b
    case '!=':
      return a !== b
    case '<':
      return a < b
    case '>':
      return a > b
    case '<=':
      return a <= b
    case '>=':
      return a >= b
  }
}

function arithmetic(operator: ArithmeticOperator, left: Value, right: Value, type: Type, at: number): Value {
  switch (type.kind) {
    case 'int':
    case 'uint':
      return integerBinary(operator, toBigInt(left, at), toBigInt(right, at), type, at)
    case 'angle':
      return angleBinary(operator, left, right, type.width, at)
    case 'complex':
      return { kind: 'complex', ...complexBinary(operator, toComplex(left), toComplex(right)) }
    case 'duration':
      return durationBinary(operator, left, right, at)
    default:
      if (left.kind === 'duration') return durationRatio(left, right, at)
      return floatValue(realBinary(operator, toNumber(left), toNumber(right)))
  }
}

function angleBinary(
  operator: ArithmeticOperator,
  left: Value,
  right: Value,
  width: number,
  at: number,
): Value {
  const isSum = operator === '+' || operator === '-'
  const pattern = (value: Value) => {
    if (value.kind === 'angle') return value.value << BigInt(Math.max(width - value.width, 0))
    if (!isSum) return toBigInt(value, at)
    const radians = toNumber(value)
    if (!Number.isFinite(radians)) throw new Fault('invalid_value', at, `${radians} is not an angle`)
    return radiansToAngle(radians, width).value
  }
  const result = integerBinary(operator, pattern(left), pattern(right), { kind: 'uint', width }, at)
  return { kind: 'angle', width, value: toBigInt(result, at) }
}

function realBinary(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
    case '**':
      return a ** b
  }
}
