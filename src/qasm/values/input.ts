import { convert } from './convert.ts'
import { exactOf } from './operate-duration.ts'
import { describeType, type ScalarType } from './types.ts'
import { boolValue, durationValue, floatValue, literalInt, type Value } from './values.ts'

/** An `input` of a program with the type of its value. */
export interface TypedInput {
  name: string
  type: ScalarType
}

/** Widths of integers whose limits are written as decimal numbers. */
const MAX_DECIMAL_WIDTH = 32

/** Why an input cannot have a value, with its range; undefined for a value that its type represents. */
export function inputProblem({ name, type }: TypedInput, value: number): string | undefined {
  const subject = `The input "${name}" is ${describeType(type)}`
  if (!Number.isFinite(value)) return `${subject}: ${value} is not a finite number`
  if (type.kind === 'float' && type.width === 32 && !Number.isFinite(Math.fround(value)))
    return `${subject}, a number between -3.4028e38 and 3.4028e38: ${value} is out of range`
  const bits = bitsOf(type)
  if (!bits) return undefined
  const { width, signed } = bits
  const range = `${subject}, an integer from ${lowest(width, signed)} to ${highest(width, signed)}`
  if (!Number.isInteger(value)) return `${range}: ${value} is not an integer`
  // JSON may have rounded it.
  if (!Number.isSafeInteger(value))
    return `${range}: ${value} is beyond ±(2^53 - 1), where numbers are rounded`
  const integer = BigInt(value)
  const isInRange = (signed ? BigInt.asIntN : BigInt.asUintN)(width, integer) === integer
  return isInRange ? undefined : `${range}: ${value} is out of range`
}

/** The value of an input that has no problem. */
export function inputValue(type: ScalarType, value: number, at: number): Value {
  switch (type.kind) {
    case 'bool':
      return boolValue(value !== 0)
    case 'duration':
      return durationValue(exactOf(floatValue(value), at))
    default:
      return convert(bitsOf(type) ? literalInt(BigInt(value)) : floatValue(value), type, at)
  }
}

/** The bits of a type whose values are integers; undefined for another type. */
function bitsOf(type: ScalarType): { width: number; signed: boolean } | undefined {
  switch (type.kind) {
    case 'bool':
    case 'bit':
      return { width: 1, signed: false }
    case 'bits':
      return { width: type.size, signed: false }
    case 'int':
    case 'uint':
      return { width: type.width, signed: type.kind === 'int' }
    default:
      return undefined
  }
}

function lowest(width: number, signed: boolean): string {
  if (!signed) return '0'
  return width > MAX_DECIMAL_WIDTH ? `-2^${width - 1}` : String(-(2 ** (width - 1)))
}

function highest(width: number, signed: boolean): string {
  const exponent = signed ? width - 1 : width
  return width > MAX_DECIMAL_WIDTH ? `2^${exponent} - 1` : String(2 ** exponent - 1)
}
