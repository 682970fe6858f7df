import { Fault } from '../fault.ts'
import { toBigInt, toComplex, toNumber } from './convert.ts'
import { complexExp, complexSqrt } from './operate-complex.ts'
import { binaryType } from './operator-types.ts'
import { binary } from './operators.ts'
import { COMPLEX, describeType, FLOAT, isBits, isInteger, MACHINE_WIDTH, type Type, UINT } from './types.ts'
import {
  type BitsValue,
  bigIntToBits,
  floatValue,
  freshBits,
  intValue,
  isKnown,
  literalInt,
  typeOf,
  unknownValue,
  type Value,
} from './values.ts'

interface Builtin {
  /** Minimum and maximum number of arguments. */
  arity: readonly [number, number]
  /** The type of the result; undefined if the arguments do not match. */
  result(types: readonly Type[]): Type | undefined
  /** Called with known, matching arguments. */
  apply(values: readonly Value[], at: number): Value
}

const isReal = (type: Type | undefined) =>
  type !== undefined && (type.kind === 'float' || type.kind === 'bool' || isBits(type) || isInteger(type))

const isPattern = (type: Type | undefined) =>
  type !== undefined && (isBits(type) || isInteger(type) || type.kind === 'angle')

function first(values: readonly Value[]): Value {
  return values[0] ?? { kind: 'void' }
}

/** A function of one real number; angles are allowed where `angles` says so. */
function real(apply: (x: number) => number, angles = false): Builtin {
  return {
    arity: [1, 1],
    result: ([type]) => (isReal(type) || (angles && type?.kind === 'angle') ? FLOAT : undefined),
    apply: (values) => floatValue(apply(toNumber(first(values)))),
  }
}

/** A function of one real or complex number. */
function realOrComplex(
  apply: (x: number) => number,
  complex: (z: { re: number; im: number }) => { re: number; im: number },
): Builtin {
  return {
    arity: [1, 1],
    result: ([type]) => (type?.kind === 'complex' ? COMPLEX : isReal(type) ? FLOAT : undefined),
    apply: (values) => {
      const value = first(values)
      return value.kind === 'complex'
        ? { kind: 'complex', ...complex(value) }
        : floatValue(apply(toNumber(value)))
    },
  }
}

function part(name: 're' | 'im'): Builtin {
  return {
    arity: [1, 1],
    result: ([type]) => (type?.kind === 'complex' || isReal(type) ? FLOAT : undefined),
    apply: (values) => floatValue(toComplex(first(values))[name]),
  }
}

function modulo(values: readonly Value[], at: number): Value {
  const [a = literalInt(0n), b = literalInt(1n)] = values
  if (typeOf(a).kind !== 'float' && typeOf(b).kind !== 'float') return binary('%', a, b, at)
  const divisor = toNumber(b)
  return floatValue(toNumber(a) - divisor * Math.floor(toNumber(a) / divisor))
}

const mod: Builtin = {
  arity: [2, 2],
  result: ([a, b]) => {
    if (a === undefined || b === undefined || !isReal(a) || !isReal(b)) return undefined
    return a.kind === 'float' || b.kind === 'float' ? FLOAT : binaryType('%', a, b, 0)
  },
  apply: modulo,
}

const power: Builtin = {
  arity: [2, 2],
  result: ([a, b]) => {
    if (a?.kind === 'complex' || b?.kind === 'complex') return COMPLEX
    if (a === undefined || b === undefined || !isReal(a) || !isReal(b)) return undefined
    return binaryType('**', a, b, 0)
  },
  apply: ([a = literalInt(1n), b = literalInt(1n)], at) => binary('**', a, b, at),
}

const popcount: Builtin = {
  arity: [1, 1],
  result: ([type]) => (isPattern(type) ? UINT : undefined),
  apply: (values, at) => {
    const digits = patternOf(first(values), at).pattern.toString(2)
    return intValue(BigInt(digits.split('1').length - 1), false, 64)
  },
}

/** The bits of a value as an integer. A literal has those of a declared integer. */
function patternOf(value: Value, at: number): { pattern: bigint; width: number } {
  const number = toBigInt(value, at)
  const width = value.kind === 'bits' ? value.cells.length : 'width' in value ? value.width : 1
  if (width > 0) return { pattern: BigInt.asUintN(width, number), width }
  const pattern = BigInt.asUintN(MACHINE_WIDTH, number)
  if (pattern !== number && BigInt.asIntN(MACHINE_WIDTH, number) !== number) {
    const remedy = 'give it a width, as in uint[100](...)'
    throw new Fault('invalid_value', at, `${number} has more than ${MACHINE_WIDTH} bits: ${remedy}`)
  }
  return { pattern, width: MACHINE_WIDTH }
}

/** Circular shift by the second argument; `sign` 1 is to the left, towards the most significant bit. */
function rotation(sign: bigint): Builtin {
  return {
    arity: [2, 2],
    result: ([type, distance]) =>
      isPattern(type) && isReal(distance) && distance?.kind !== 'float' ? type : undefined,
    apply: ([value = literalInt(0n), distance = literalInt(0n)], at) =>
      rotate(value, sign * toBigInt(distance, at), at),
  }
}

function rotate(value: Value, distance: bigint, at: number): Value {
  const { pattern, width } = patternOf(value, at)
  const size = BigInt(width)
  const left = ((distance % size) + size) % size
  const turned = BigInt.asUintN(width, pattern << left) | (pattern >> (size - left))
  if (value.kind === 'bits') return bigIntToBits(turned, width, value.scalar)
  if (value.kind === 'angle') return { kind: 'angle', width, value: turned }
  return intValue(turned, value.kind === 'int' && value.signed, width)
}

function sizeOf(values: readonly Value[], at: number): Value {
  const [value, dimension] = values
  const type = value === undefined ? undefined : typeOf(value)
  const index = dimension === undefined ? 0 : Number(toBigInt(dimension, at))
  const shape =
    type?.kind === 'array' ? type.shape : type?.kind === 'bits' || type?.kind === 'qubits' ? [type.size] : []
  const size = shape[index]
  if (size === undefined) throw new Fault('index_out_of_range', at, `This value has no dimension ${index}`)
  return size < 0 ? unknownValue(UINT) : intValue(BigInt(size), false, 64)
}

const functions: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['arccos', real(Math.acos)],
  ['arcsin', real(Math.asin)],
  ['arctan', real(Math.atan)],
  ['ceiling', real(Math.ceil)],
  ['floor', real(Math.floor)],
  ['log', real(Math.log)],
  ['cos', real(Math.cos, true)],
  ['sin', real(Math.sin, true)],
  ['tan', real(Math.tan, true)],
  ['exp', realOrComplex(Math.exp, complexExp)],
  ['sqrt', realOrComplex(Math.sqrt, complexSqrt)],
  ['real', part('re')],
  ['imag', part('im')],
  ['mod', mod],
  ['pow', power],
  ['popcount', popcount],
  ['rotl', rotation(1n)],
  ['rotr', rotation(-1n)],
])

/** Functions of OpenQASM 2; the inverse ones are a common extension. */
const functions2: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['sin', real(Math.sin)],
  ['cos', real(Math.cos)],
  ['tan', real(Math.tan)],
  ['exp', real(Math.exp)],
  ['ln', real(Math.log)],
  ['sqrt', real(Math.sqrt)],
  ['asin', real(Math.asin)],
  ['acos', real(Math.acos)],
  ['atan', real(Math.atan)],
])

/** The built-in functions of a version. */
export function builtinNames(version: 2 | 3): readonly string[] {
  return [...(version === 2 ? functions2 : functions).keys()]
}

/** Whether the version has a built-in function of this name. */
export function isBuiltin(name: string, version: 2 | 3): boolean {
  return version === 2 ? functions2.has(name) : functions.has(name) || name === 'sizeof'
}

/** Calls a built-in function; unknown arguments make the result unknown. Bits rotate with their outcomes. */
export function callBuiltin(name: string, values: readonly Value[], version: 2 | 3, at: number): Value {
  if (name === 'sizeof' && version === 3) {
    expectCount(name, [1, 2], values.length, at)
    return sizeOf(values, at)
  }
  const builtin = (version === 2 ? functions2 : functions).get(name)
  if (builtin === undefined) throw new Fault('unknown_name', at, `There is no function "${name}"`)
  expectCount(name, builtin.arity, values.length, at)
  const types = values.map(typeOf)
  const type = builtin.result(types)
  if (type === undefined) {
    throw new Fault('type_mismatch', at, `${name}() does not work on ${types.map(describeType).join(', ')}`)
  }
  const [bits, distance] = values
  if (
    bits?.kind === 'bits' &&
    (name === 'rotl' || name === 'rotr') &&
    distance !== undefined &&
    isKnown(distance)
  ) {
    return rotateBits(bits, toBigInt(distance, at) * (name === 'rotl' ? 1n : -1n))
  }
  return values.every(isKnown) ? builtin.apply(values, at) : unknownValue(type)
}

function rotateBits(value: BitsValue, distance: bigint): Value {
  if (value.open) return value
  const { cells } = value
  const left = Number(((distance % BigInt(cells.length)) + BigInt(cells.length)) % BigInt(cells.length))
  const states = cells.map((_, index) => cells[(index - left + cells.length) % cells.length]?.state ?? 0)
  return freshBits(states, value.scalar)
}

function expectCount(
  name: string,
  [least, most]: readonly [number, number],
  count: number,
  at: number,
): void {
  if (count >= least && count <= most) return
  const wanted = least === most ? `${least}` : `${least} or ${most}`
  throw new Fault(
    'argument_count',
    at,
    `${name}() takes ${wanted} argument${most === 1 ? '' : 's'}, not ${count}`,
  )
}
