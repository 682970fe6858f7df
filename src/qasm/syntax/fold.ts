import { Fault } from '../fault.ts'
import { binary, unary } from '../values/operators.ts'
import type { BinaryNode, Expression } from './ast.ts'

/** The literal that an operation on two literals yields; the operation itself when it cannot be computed yet. */
export function foldBinary(node: BinaryNode): Expression {
  const { left, right } = node
  if (left.kind !== 'literal' || right.kind !== 'literal') return node
  try {
    return { kind: 'literal', at: node.at, value: binary(node.operator, left.value, right.value, node.at) }
  } catch (error) {
    // The checker meets the same fault again, with the others of the program.
    if (error instanceof Fault) return node
    throw error
  }
}

/** As `foldBinary`, for one operand. */
export function foldUnary(node: Expression & { kind: 'unary' }): Expression {
  if (node.operand.kind !== 'literal') return node
  try {
    return { kind: 'literal', at: node.at, value: unary(node.operator, node.operand.value, node.at) }
  } catch (error) {
    if (error instanceof Fault) return node
    throw error
  }
}
