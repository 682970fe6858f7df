import type { QasmCode } from '../error.ts'
import { Fault } from '../fault.ts'
import type { Expression, TypeNode } from '../syntax/ast.ts'
import { sizeOfShape } from '../values/arrays.ts'
import {
  BOOL,
  COMPLEX,
  cellsOf,
  DURATION,
  describeType,
  MACHINE_WIDTH,
  type ScalarType,
  type Type,
} from '../values/types.ts'
import type { Value } from '../values/values.ts'
import { countOf } from './indexing.ts'
import type { Machine } from './machine.ts'

type Evaluate = (m: Machine, node: Expression) => Value

/** Maximum width of a number, in bits. */
const MAX_WIDTH = 1000
/** Maximum number of array dimensions (OpenQASM 3 specification). */
const MAX_DIMENSIONS = 7

/** A constant size of at least one. */
function sizeOf(m: Machine, node: Expression, evaluate: Evaluate): number {
  const size = countOf(m, node, evaluate)
  if (size === undefined) throw new Fault('not_constant', node.at, 'A size must be a constant')
  if (size < 1) throw new Fault('invalid_value', node.at, `A size must be at least 1, not ${size}`)
  return size
}

/** Resolves a type node; sizes must be constants. */
export function evaluateType(m: Machine, node: TypeNode, evaluate: Evaluate): Type {
  switch (node.kind) {
    case 'plain':
      if (node.name === 'complex') return COMPLEX
      return node.name === 'bool' ? BOOL : DURATION
    case 'sized':
      return sizedType(m, node, evaluate)
    case 'array':
    case 'array_reference': {
      const shape = node.shape.map((size) => sizeOf(m, size, evaluate))
      return arrayType(m, node, shape, evaluate)
    }
    case 'array_dimensions': {
      const dimensions = sizeOf(m, node.dimensions, evaluate)
      if (dimensions > MAX_DIMENSIONS) throw tooManyDimensions(node.at)
      return arrayType(m, node, new Array(dimensions).fill(-1), evaluate)
    }
  }
}

function tooManyDimensions(at: number): Fault {
  return new Fault('invalid_value', at, `An array can have at most ${MAX_DIMENSIONS} dimensions`)
}

function arrayType(
  m: Machine,
  node: TypeNode & { element: TypeNode },
  shape: number[],
  evaluate: Evaluate,
): Type {
  const element = scalarType(m, node.element, evaluate)
  if (shape.length > MAX_DIMENSIONS) throw tooManyDimensions(node.at)
  const size = sizeOfShape(shape) * cellsOf(element)
  if (size > m.limits.elements) {
    throw new Fault(
      'too_many_bits',
      node.at,
      `This array has ${size} elements, counting each bit of a register and each 64 bits of a number; ${m.limits.elements} are allowed`,
    )
  }
  return { kind: 'array', element, shape }
}

/** Resolves the node of a scalar type. */
export function scalarType(m: Machine, node: TypeNode, evaluate: Evaluate): ScalarType {
  const type = evaluateType(m, node, evaluate)
  switch (type.kind) {
    case 'array':
    case 'qubit':
    case 'qubits':
    case 'void':
      throw new Fault(
        'type_mismatch',
        node.at,
        `A number or bit type is needed here, not ${describeType(type)}`,
      )
    default:
      return type
  }
}

function expectAtMost(code: QasmCode, what: string, size: number, limit: number, at: number): void {
  if (size > limit) throw new Fault(code, at, `${size} ${what} are too many: ${limit} are allowed`)
}

function sizedType(m: Machine, node: TypeNode & { kind: 'sized' }, evaluate: Evaluate): Type {
  const size = node.size === undefined ? undefined : sizeOf(m, node.size, evaluate)
  const at = node.size?.at ?? node.at
  switch (node.name) {
    case 'bit':
      if (size === undefined) return { kind: 'bit' }
      expectAtMost('too_many_bits', 'bits', size, m.limits.bits, at)
      // Each bit becomes an object when a value of this type is created.
      m.countOperations(size, at)
      return { kind: 'bits', size }
    case 'qubit':
      if (size === undefined) return { kind: 'qubit' }
      expectAtMost('too_many_qubits', 'qubits', size, m.limits.qubits, at)
      m.countOperations(size, at)
      return { kind: 'qubits', size }
    default:
      expectAtMost('unsupported', 'bits in a number', size ?? 1, MAX_WIDTH, at)
      return { kind: node.name, width: size ?? MACHINE_WIDTH }
  }
}
