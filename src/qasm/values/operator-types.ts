import { Fault } from '../fault.ts'
import type { BinaryOperator, UnaryOperator } from './operator.ts'
import {
  BOOL,
  COMPLEX,
  DURATION,
  describeType,
  FLOAT,
  isBits,
  isInteger,
  MACHINE_WIDTH,
  type ScalarType,
  type Type,
} from './types.ts'

const comparisons = new Set<BinaryOperator>(['==', '!=', '<', '>', '<=', '>='])

/** The type of a binary operation; throws `type_mismatch` when there is none on these types. */
export function binaryType(operator: BinaryOperator, left: Type, right: Type, at: number): Type {
  const type = findBinaryType(operator, left, right)
  if (type !== undefined) return type
  const pair = `${describeType(left)} and ${describeType(right)}`
  throw new Fault('type_mismatch', at, `"${operator}" does not work on ${pair}`)
}

/** The type of a unary operation; throws `type_mismatch` when there is none. */
export function unaryType(operator: UnaryOperator, operand: Type, at: number): Type {
  const type = findUnaryType(operator, operand)
  if (type !== undefined) return type
  throw new Fault('type_mismatch', at, `"${operator}" does not work on ${describeType(operand)}`)
}

function findUnaryType(operator: UnaryOperator, operand: Type): Type | undefined {
  if (operator === '!') return isTruth(operand) ? BOOL : undefined
  if (operator === '~') return isPattern(operand) || operand.kind === 'bool' ? operand : undefined
  switch (operand.kind) {
    case 'int':
    case 'uint':
    case 'float':
    case 'complex':
    case 'duration':
    case 'angle':
      return operand
    case 'bit':
    case 'bits':
    case 'bool':
      return asInteger(operand)
    default:
      return undefined
  }
}

function findBinaryType(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  if (operator === '&&' || operator === '||') return isTruth(left) && isTruth(right) ? BOOL : undefined
  if (comparisons.has(operator)) return isComparable(operator, left, right) ? BOOL : undefined
  if (operator === '&' || operator === '|' || operator === '^') return bitwiseType(left, right)
  if (operator === '<<' || operator === '>>') return isPattern(left) && isCount(right) ? left : undefined
  return arithmeticType(operator, left, right)
}

function isTruth(type: Type): boolean {
  return (
    type.kind === 'bool' || isBits(type) || isInteger(type) || type.kind === 'float' || type.kind === 'angle'
  )
}

/** Types with a bit pattern. */
function isPattern(type: Type): boolean {
  return isBits(type) || isInteger(type) || type.kind === 'angle'
}

function isCount(type: Type): boolean {
  return isBits(type) || isInteger(type)
}

function isReal(type: Type): boolean {
  return type.kind === 'bool' || type.kind === 'float' || isBits(type) || isInteger(type)
}

function isComparable(operator: BinaryOperator, left: Type, right: Type): boolean {
  if (left.kind === 'duration' || right.kind === 'duration') return left.kind === right.kind
  if (left.kind === 'complex' || right.kind === 'complex') {
    const numbers = [left, right].every((type) => type.kind === 'complex' || isReal(type))
    return numbers && (operator === '==' || operator === '!=')
  }
  if (left.kind === 'bits' && right.kind === 'bits') return isSameSize(left.size, right.size)
  return [left, right].every((type) => type.kind === 'angle' || isReal(type))
}

function isSameSize(a: number, b: number): boolean {
  return a === b || a < 0 || b < 0
}

function bitwiseType(left: Type, right: Type): Type | undefined {
  if (left.kind === 'bits' && right.kind === 'bits')
    return isSameSize(left.size, right.size) ? left : undefined
  if (left.kind === 'angle' && right.kind === 'angle') return left.width === right.width ? left : undefined
  if (isInteger(left) && isInteger(right)) return promote(left, right)
  if (left.kind === 'bool') return right.kind === 'bool' ? BOOL : bitsTypeWith(right, left)
  return bitsTypeWith(left, right) ?? bitsTypeWith(right, left)
}

function bitsTypeWith(bits: Type, other: Type): Type | undefined {
  return isBits(bits) && isBitOperand(bits, other) ? bits : undefined
}

/** Valid second operand of an operation on bits: integers, or single bits and booleans for a single bit. */
function isBitOperand(bits: Type, other: Type): boolean {
  return isInteger(other) || (bits.kind === 'bit' && (other.kind === 'bit' || other.kind === 'bool'))
}

/** The common type of two integers; a literal takes the type of the other. */
function promote(
  left: { kind: 'int' | 'uint'; width: number },
  right: { kind: 'int' | 'uint'; width: number },
): ScalarType {
  if (left.width === 0) return right
  if (right.width === 0) return left
  const width = Math.max(left.width, right.width)
  const signed = left.kind === 'int' && right.kind === 'int'
  const unsignedWidth = Math.max(
    left.kind === 'uint' ? left.width : 0,
    right.kind === 'uint' ? right.width : 0,
  )
  return { kind: signed || unsignedWidth < width ? 'int' : 'uint', width }
}

/** The integer type of bits and booleans in arithmetic, wide enough that sums of bits do not wrap around. */
function asInteger(type: Type): { kind: 'int' | 'uint'; width: number } {
  if (isInteger(type)) return type
  return { kind: 'uint', width: type.kind === 'bits' ? Math.max(type.size, MACHINE_WIDTH) : MACHINE_WIDTH }
}

function arithmeticType(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  if (left.kind === 'duration' || right.kind === 'duration') return durationType(operator, left, right)
  if (left.kind === 'angle' || right.kind === 'angle') return angleType(operator, left, right)
  if (left.kind === 'complex' || right.kind === 'complex') {
    const numbers = [left, right].every((type) => type.kind === 'complex' || isReal(type))
    return numbers && operator !== '%' ? COMPLEX : undefined
  }
  if (!isReal(left) || !isReal(right)) return undefined
  if (left.kind === 'float' || right.kind === 'float') return FLOAT
  return promote(asInteger(left), asInteger(right))
}

function durationType(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  if (left.kind === 'duration' && right.kind === 'duration') {
    if (operator === '+' || operator === '-') return DURATION
    return operator === '/' ? FLOAT : undefined
  }
  const factor = left.kind === 'duration' ? right : left
  if (!isReal(factor)) return undefined
  return operator === '*' || (operator === '/' && left.kind === 'duration') ? DURATION : undefined
}

function angleType(operator: BinaryOperator, left: Type, right: Type): Type | undefined {
  if (left.kind === 'angle' && right.kind === 'angle') return twoAnglesType(operator, left.width, right.width)
  const other = left.kind === 'angle' ? right : left
  const angle = left.kind === 'angle' ? left : right
  if (isInteger(other) && (operator === '*' || (operator === '/' && left.kind === 'angle'))) return angle
  if (!isReal(other)) return undefined
  return operator === '+' || operator === '-' ? angle : FLOAT
}

function twoAnglesType(operator: BinaryOperator, left: number, right: number): Type {
  const width = Math.max(left, right)
  if (operator === '+' || operator === '-') return { kind: 'angle', width }
  return operator === '/' ? { kind: 'uint', width } : FLOAT
}
