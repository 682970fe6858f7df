/**
 * A scalar classical type. `width` is in bits; an integer literal has width 0 and takes the other operand's.
 */
export type ScalarType =
  | { kind: 'bool' }
  | { kind: 'bit' }
  | { kind: 'bits'; size: number }
  | { kind: 'int'; width: number }
  | { kind: 'uint'; width: number }
  | { kind: 'float'; width: number }
  | { kind: 'angle'; width: number }
  | { kind: 'complex' }
  | { kind: 'duration' }

/** The type of the value of an expression. A size or dimension of -1 is known only at run time. */
export type Type =
  | ScalarType
  | { kind: 'array'; element: ScalarType; shape: readonly number[] }
  | { kind: 'qubit' }
  | { kind: 'qubits'; size: number }
  | { kind: 'void' }

/** Width of `int`, `uint`, `float` and `angle` declared without one. */
export const MACHINE_WIDTH = 64

export const BOOL: ScalarType = { kind: 'bool' }
export const FLOAT: ScalarType = { kind: 'float', width: MACHINE_WIDTH }
export const COMPLEX: ScalarType = { kind: 'complex' }
export const DURATION: ScalarType = { kind: 'duration' }
export const UINT: ScalarType = { kind: 'uint', width: MACHINE_WIDTH }
export const VOID: Type = { kind: 'void' }

/** Whether a value of this type is an integer. */
export function isInteger(type: Type): type is { kind: 'int' | 'uint'; width: number } {
  return type.kind === 'int' || type.kind === 'uint'
}

/** Whether a value of this type is a bit or a register of bits. */
export function isBits(type: Type): type is { kind: 'bit' } | { kind: 'bits'; size: number } {
  return type.kind === 'bit' || type.kind === 'bits'
}

function sized(name: string, size: number): string {
  return size < 0 ? `${name}[...]` : `${name}[${size}]`
}

/** Number of objects or machine words of a value of this type; wide types count with their width. */
export function cellsOf(type: Type): number {
  switch (type.kind) {
    case 'bits':
      return Math.max(type.size, 1)
    case 'int':
    case 'uint':
    case 'angle':
      return Math.max(Math.ceil(type.width / MACHINE_WIDTH), 1)
    default:
      return 1
  }
}

/** The type in OpenQASM syntax, such as `array[int[8], 4]`. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case 'bits':
      return sized('bit', type.size)
    case 'qubits':
      return sized('qubit', type.size)
    case 'int':
    case 'uint':
      return type.width === 0 ? 'integer' : `${type.kind}[${type.width}]`
    case 'float':
    case 'angle':
      return `${type.kind}[${type.width}]`
    case 'array':
      return `array[${describeType(type.element)}, ${type.shape.map((size) => (size < 0 ? '?' : size)).join(', ')}]`
    default:
      return type.kind
  }
}
