import { Fault } from '../fault.ts'
import { toDouble } from '../rational.ts'
import type { ArithmeticOperator } from './operator.ts'
import type { Type } from './types.ts'
import { floatValue, intValue, type Value } from './values.ts'

/** Maximum width of a computation on integer literals, in bits. */
const LITERAL_BITS = 4096

interface IntegerType {
  kind: 'int' | 'uint'
  width: number
}

/** Bitwise operation on integers. */
export function bitwise(operator: '&' | '|' | '^', a: bigint, b: bigint): bigint {
  if (operator === '&') return a & b
  return operator === '|' ? a | b : a ^ b
}

/** Shift that drops the bits shifted out; throws for a negative distance. */
export function shift(
  operator: '<<' | '>>',
  value: bigint,
  distance: bigint,
  type: Type,
  at: number,
): bigint {
  if (distance < 0n) throw new Fault('invalid_value', at, 'The distance of a shift must not be negative')
  const width = widthOf(type)
  if (distance > BigInt(width || LITERAL_BITS)) {
    if (operator === '<<' && width === 0) throw tooLarge(at)
    return value < 0n && operator === '>>' ? -1n : 0n
  }
  const shifted = operator === '<<' ? value << distance : value >> distance
  if (width === 0 && exceedsLiterals(shifted)) throw tooLarge(at)
  return shifted
}

function exceedsLiterals(value: bigint): boolean {
  return BigInt.asIntN(LITERAL_BITS, value) !== value
}

function widthOf(type: Type): number {
  switch (type.kind) {
    case 'int':
    case 'uint':
    case 'angle':
      return type.width
    case 'bits':
      return type.size
    default:
      return 1
  }
}

function tooLarge(at: number): Fault {
  return new Fault('invalid_value', at, `This number has more than ${LITERAL_BITS} bits`)
}

/**
 * Integer arithmetic in the result type, wrapping around. A quotient or power of two literals that is not
 * an integer is a real number: the standard library itself writes `pow(1/2) @ z` for the square root.
 */
export function integerBinary(
  operator: ArithmeticOperator,
  a: bigint,
  b: bigint,
  type: IntegerType,
  at: number,
): Value {
  if (b === 0n && (operator === '/' || operator === '%'))
    throw new Fault('invalid_value', at, 'Division by zero')
  if (operator === '**') return power(a, b, type, at)
  if (operator === '/' && type.width === 0 && a % b !== 0n) return literalQuotient(a, b)
  return inRange(operate(operator, a, b), type, at)
}

function literalQuotient(a: bigint, b: bigint): Value {
  const plain = b < 0n ? { numerator: -a, denominator: -b } : { numerator: a, denominator: b }
  return { kind: 'float', width: 64, value: toDouble(plain), exact: plain }
}

function operate(operator: '+' | '-' | '*' | '/' | '%', a: bigint, b: bigint): bigint {
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
  }
}

function inRange(value: bigint, type: IntegerType, at: number): Value {
  if (type.width === 0 && exceedsLiterals(value)) throw tooLarge(at)
  return intValue(value, type.kind === 'int', type.width)
}

function power(base: bigint, exponent: bigint, type: IntegerType, at: number): Value {
  if (exponent < 0n) return negativePower(base, exponent, type, at)
  if (type.width > 0) {
    return intValue(modularPower(base, exponent, type.width), type.kind === 'int', type.width)
  }
  const bits = BigInt(base.toString(2).length) * exponent
  if (base !== 0n && base !== 1n && base !== -1n && bits > BigInt(2 * LITERAL_BITS)) throw tooLarge(at)
  return inRange(base ** exponent, type, at)
}

function negativePower(base: bigint, exponent: bigint, type: IntegerType, at: number): Value {
  if (base === 0n) throw new Fault('invalid_value', at, 'Division by zero')
  if (base === 1n || base === -1n) return intValue(base ** (-exponent % 2n), type.kind === 'int', type.width)
  return type.width === 0
    ? floatValue(Number(base) ** Number(exponent))
    : intValue(0n, type.kind === 'int', type.width)
}

/** base^exponent modulo 2^width, by squaring. */
function modularPower(base: bigint, exponent: bigint, width: number): bigint {
  let result = 1n
  let square = BigInt.asUintN(width, base)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asUintN(width, result * square)
    square = BigInt.asUintN(width, square * square)
  }
  return result
}
