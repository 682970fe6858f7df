import { Fault } from '../fault.ts'
import { toDouble } from '../rational.ts'
import { describeType, type ScalarType, type Type } from './types.ts'
import {
  angleToRadians,
  type BitsValue,
  bigIntToBits,
  bitsToBigInt,
  boolValue,
  freshBits,
  intValue,
  isKnown,
  radiansToAngle,
  typeOf,
  UNDETERMINED,
  unknownValue,
  type Value,
} from './values.ts'

/** Whether a conversion is explicit: a cast permits more than an assignment. */
export type ConversionForm = 'implicit' | 'cast'

const numbers = new Set<Type['kind']>(['bool', 'int', 'uint', 'float'])

function fitsBits(from: Type, size: number): boolean {
  switch (from.kind) {
    case 'bool':
    case 'bit':
      return size === 1
    case 'bits':
      return from.size === size || from.size < 0 || size < 0
    case 'int':
    case 'uint':
      return from.width === 0 || from.width === size || size === 1
    case 'angle':
      return from.width === size
    default:
      return false
  }
}

function sameShape(from: readonly number[], to: readonly number[]): boolean {
  return (
    from.length === to.length &&
    from.every((size, index) => size === to[index] || size < 0 || (to[index] ?? 0) < 0)
  )
}

/** Whether values of one type can be converted to another. */
function canConvert(from: Type, to: Type, form: ConversionForm): boolean {
  switch (to.kind) {
    case 'bool':
      return numbers.has(from.kind) || from.kind === 'angle' || from.kind === 'bit' || from.kind === 'bits'
    case 'int':
    case 'uint':
      return numbers.has(from.kind) || from.kind === 'bit' || from.kind === 'bits'
    case 'float':
      return numbers.has(from.kind) || (form === 'cast' && (from.kind === 'angle' || from.kind === 'bit'))
    case 'angle':
      return (
        from.kind === 'angle' ||
        from.kind === 'float' ||
        from.kind === 'int' ||
        from.kind === 'uint' ||
        isBitsOf(from, to.width)
      )
    case 'bit':
      return fitsBits(from, 1)
    case 'bits':
      return fitsBits(from, to.size)
    case 'complex':
      return from.kind === 'complex' || numbers.has(from.kind)
    case 'array':
      return (
        from.kind === 'array' &&
        describeType(from.element) === describeType(to.element) &&
        sameShape(from.shape, to.shape)
      )
    case 'qubits':
      return from.kind === 'qubits' && (from.size === to.size || from.size < 0 || to.size < 0)
    default:
      return from.kind === to.kind
  }
}

function isBitsOf(type: Type, size: number): boolean {
  return type.kind === 'bits' && (type.size === size || type.size < 0)
}

/** Whether a known value counts as true. */
export function toBool(value: Value): boolean {
  switch (value.kind) {
    case 'bool':
      return value.value
    case 'bits':
      return value.cells.some((cell) => cell.state === 1)
    case 'int':
    case 'angle':
      return value.value !== 0n
    case 'float':
      return value.value !== 0
    default:
      return false
  }
}

/** A known scalar as a real number; angles in rad, durations in s. */
export function toNumber(value: Value): number {
  switch (value.kind) {
    case 'bool':
      return value.value ? 1 : 0
    case 'bits':
      return Number(bitsToBigInt(value.cells))
    case 'int':
      return Number(value.value)
    case 'float':
      return value.value
    case 'angle':
      return angleToRadians(value)
    case 'duration':
      return toDouble(value.seconds)
    case 'complex':
      return value.re
    default:
      return Number.NaN
  }
}

/** A known scalar as an integer: a float is truncated, an angle yields its bit pattern. */
export function toBigInt(value: Value, at: number): bigint {
  switch (value.kind) {
    case 'int':
    case 'angle':
      return value.value
    case 'bits':
      return bitsToBigInt(value.cells)
    case 'float': {
      if (!Number.isFinite(value.value))
        throw new Fault('invalid_value', at, `${value.value} has no integer value`)
      return value.exact ? value.exact.numerator / value.exact.denominator : BigInt(Math.trunc(value.value))
    }
    default:
      return toBool(value) ? 1n : 0n
  }
}

/** A value as a complex number. */
export function toComplex(value: Value): { re: number; im: number } {
  return value.kind === 'complex' ? value : { re: toNumber(value), im: 0 }
}

/**
 * Converts a value to another type; bits become new cells. Throws `type_mismatch` if no conversion exists.
 * Conversions between integers of different width wrap around, floats are truncated.
 */
export function convert(value: Value, to: Type, at: number, form: ConversionForm = 'implicit'): Value {
  const from = typeOf(value)
  if (!canConvert(from, to, form)) {
    throw new Fault('type_mismatch', at, `${describeType(from)} cannot become ${describeType(to)}`)
  }
  if (to.kind === 'array' || to.kind === 'qubit' || to.kind === 'qubits' || to.kind === 'void') return value
  if (value.kind === 'bits' && (to.kind === 'bit' || to.kind === 'bits')) return copyBits(value, to)
  if (value.kind === 'unknown' && describeType(from) === describeType(to)) return value
  if (!isKnown(value)) return unknownValue(to)
  return convertKnown(value, to, at)
}

function copyBits(value: BitsValue, to: Type): BitsValue {
  const states = value.cells.map((cell) => cell.state)
  if (to.kind === 'bit') return freshBits(value.open ? [UNDETERMINED] : states, true)
  if (to.kind === 'bits' && value.open)
    return freshBits(new Array(Math.max(to.size, 0)).fill(UNDETERMINED), false, to.size < 0)
  return freshBits(states, false)
}

function convertKnown(value: Value, to: ScalarType, at: number): Value {
  switch (to.kind) {
    case 'bool':
      return boolValue(toBool(value))
    case 'int':
    case 'uint':
      return intValue(toBigInt(value, at), to.kind === 'int', to.width)
    case 'float':
      return {
        kind: 'float',
        width: to.width,
        value: to.width === 32 ? Math.fround(toNumber(value)) : toNumber(value),
      }
    case 'angle':
      return convertToAngle(value, to.width, at)
    case 'bit':
    case 'bits':
      return convertToBits(value, to, at)
    case 'complex':
      return { kind: 'complex', ...toComplex(value) }
    default:
      return value
  }
}

function convertToAngle(value: Value, width: number, at: number): Value {
  if (value.kind === 'bits') return { kind: 'angle', width, value: bitsToBigInt(value.cells) }
  if (value.kind === 'angle') {
    if (width >= value.width)
      return { kind: 'angle', width, value: value.value << BigInt(width - value.width) }
    return { kind: 'angle', width, value: value.value >> BigInt(value.width - width) }
  }
  const radians = toNumber(value)
  if (!Number.isFinite(radians)) throw new Fault('invalid_value', at, `${radians} is not an angle`)
  return radiansToAngle(radians, width)
}

function convertToBits(
  value: Value,
  to: { kind: 'bit' } | { kind: 'bits'; size: number },
  at: number,
): Value {
  const size = to.kind === 'bit' ? 1 : to.size
  const number = toBigInt(value, at)
  if (value.kind === 'int' && value.width === 0 && (number < 0n || number >> BigInt(size) !== 0n)) {
    throw new Fault('invalid_value', at, `${number} does not fit into ${size} bits`)
  }
  return bigIntToBits(number, size, to.kind === 'bit')
}
