import type { Rational } from '../rational.ts'
import { type ScalarType, type Type, VOID } from './types.ts'

/** State of a bit that depends on measurement outcomes in a way that a flat circuit cannot represent. */
export const UNDETERMINED = -1
/** State of a bit that holds the outcome of measurement 0; outcome n is this value plus n. */
export const FIRST_OUTCOME = 2

/**
 * One classical bit. `state` is 0, 1, `UNDETERMINED`, or 2 + n for the outcome of the n-th measurement.
 * Registers and aliases share cells, so that a write through one is visible through the other.
 */
export interface Cell {
  state: number
}

/** A scalar bit or a register of bits; index 0 is the least significant. */
export interface BitsValue {
  kind: 'bits'
  scalar: boolean
  cells: readonly Cell[]
  /** True while checking, if the number of bits is known only at run time. */
  open?: boolean
}

/** Qubits by index; -1 for a qubit that is known only at run time. */
export interface QubitsValue {
  kind: 'qubits'
  scalar: boolean
  qubits: readonly number[]
  /** True while checking, if the number of qubits is known only at run time. */
  open?: boolean
}

interface IntValue {
  kind: 'int'
  signed: boolean
  /** Bits; 0 for a literal. */
  width: number
  value: bigint
}

/** A fixed-point angle: `value` * 2 pi / 2^`width`. */
interface AngleValue {
  kind: 'angle'
  width: number
  value: bigint
}

/** A time, which is not rounded. */
interface DurationValue {
  kind: 'duration'
  seconds: Rational
}

/** Storage of the elements of an array; that of the checker discards assignments. */
export interface ArrayStore {
  get(index: number): Value
  set(index: number, value: Value): void
  /** The same values, which are assigned to apart. */
  copy(copyOf: (value: Value) => Value): ArrayStore
}

/** A view of an array: element (i, j, ...) is at `offset + i * strides[0] + j * strides[1] + ...`. */
export interface ArrayValue {
  kind: 'array'
  element: ScalarType
  /** -1 for a dimension that is known only at run time. */
  shape: readonly number[]
  strides: readonly number[]
  offset: number
  store: ArrayStore
  readonly: boolean
}

/** A value that depends on measurement outcomes or, while checking, on any run-time value. */
export interface UnknownValue {
  kind: 'unknown'
  type: Type
  /** The step that computes it from bound inputs, in a program that is lowered without their values. */
  slot?: number
}

/** The value of an expression. Bits, qubits and arrays are references, the others are plain values. */
export type Value =
  | { kind: 'bool'; value: boolean }
  | BitsValue
  | IntValue
  /** `exact` is the value before it was rounded, if that is a quotient of integers or durations. */
  | { kind: 'float'; width: number; value: number; exact?: Rational }
  | AngleValue
  | { kind: 'complex'; re: number; im: number }
  | DurationValue
  | ArrayValue
  | QubitsValue
  | UnknownValue
  | { kind: 'void' }

/** The type of a value. */
export function typeOf(value: Value): Type {
  switch (value.kind) {
    case 'bits':
      return value.scalar ? { kind: 'bit' } : { kind: 'bits', size: value.open ? -1 : value.cells.length }
    case 'qubits':
      return value.scalar
        ? { kind: 'qubit' }
        : { kind: 'qubits', size: value.open ? -1 : value.qubits.length }
    case 'int':
      return { kind: value.signed ? 'int' : 'uint', width: value.width }
    case 'float':
    case 'angle':
      return { kind: value.kind, width: value.width }
    case 'array':
      return { kind: 'array', element: value.element, shape: value.shape }
    case 'unknown':
      return value.type
    case 'void':
      return VOID
    default:
      return { kind: value.kind }
  }
}

/** A float of double precision. */
export function floatValue(value: number): Value {
  return { kind: 'float', width: 64, value }
}

/** A time. */
export function durationValue(seconds: Rational): DurationValue {
  return { kind: 'duration', seconds }
}

/** A truth value. */
export function boolValue(value: boolean): Value {
  return { kind: 'bool', value }
}

/** An integer literal, which takes the width of the other operand. */
export function literalInt(value: bigint): IntValue {
  return { kind: 'int', signed: true, width: 0, value }
}

/** An integer reduced modulo 2^width, in two's complement if signed. */
export function intValue(value: bigint, signed: boolean, width: number): IntValue {
  if (width === 0) return { kind: 'int', signed, width, value }
  return {
    kind: 'int',
    signed,
    width,
    value: signed ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value),
  }
}

/** A value that is known only at run time. */
export function unknownValue(type: Type): Value {
  if (type.kind === 'bit' || type.kind === 'bits') {
    const size = type.kind === 'bit' ? 1 : type.size
    return freshBits(size < 0 ? [] : new Array(size).fill(UNDETERMINED), type.kind === 'bit', size < 0)
  }
  return { kind: 'unknown', type }
}

/** Creates bits with these states. */
export function freshBits(states: readonly number[], scalar: boolean, open = false): BitsValue {
  const cells = states.map((state) => ({ state }))
  return open ? { kind: 'bits', scalar, cells, open } : { kind: 'bits', scalar, cells }
}

/** Whether the value is independent of measurement outcomes. */
export function isKnown(value: Value): boolean {
  if (value.kind === 'unknown') return false
  if (value.kind !== 'bits') return true
  return value.open !== true && value.cells.every((cell) => cell.state === 0 || cell.state === 1)
}

/** The unsigned integer of known bits. */
export function bitsToBigInt(cells: readonly Cell[]): bigint {
  if (cells.length <= 30) {
    let small = 0
    for (let index = cells.length - 1; index >= 0; index--) small = small * 2 + (cells[index]?.state ?? 0)
    return BigInt(small)
  }
  let text = '0b'
  for (let index = cells.length - 1; index >= 0; index--) text += cells[index]?.state === 1 ? '1' : '0'
  return BigInt(text)
}

/** The lowest `size` bits of an integer in two's complement, as new bits. */
export function bigIntToBits(value: bigint, size: number, scalar: boolean): BitsValue {
  const text = BigInt.asUintN(size, value).toString(2)
  const states: number[] = new Array(size).fill(0)
  for (let index = 0; index < text.length; index++) {
    states[index] = text.charCodeAt(text.length - 1 - index) - 48
  }
  return freshBits(states, scalar)
}

/** An angle in rad, in [0, 2 pi). */
export function angleToRadians(angle: AngleValue): number {
  return (Number(angle.value) / 2 ** angle.width) * 2 * Math.PI
}

/** The angle nearest to `radians` modulo 2 pi. */
export function radiansToAngle(radians: number, width: number): AngleValue {
  const turns = radians / (2 * Math.PI)
  const fraction = turns - Math.floor(turns)
  const digits = Math.min(width, 52)
  const scaled = BigInt(roundToEven(fraction * 2 ** digits)) << BigInt(width - digits)
  return { kind: 'angle', width, value: BigInt.asUintN(width, scaled) }
}

function roundToEven(value: number): number {
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}
