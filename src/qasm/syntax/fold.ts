import { Fault } from '../fault.ts'
import { binary, unary } from '../values/operators.ts'
import type { BinaryNode, Expression } from './ast.ts'

/** Folds an operation on two literals to a literal; returns the operation itself if it cannot be computed. */
export function foldBinary(node: BinaryNode): Expression {
  const { left, right } = node
  if (left.kind !== 'literal' || right.kind !== 'literal') return node
  // Exact times may grow: only an evaluation counts their work.
  if (left.value.kind === 'duration' || right.value.kind === 'duration') return node
  try {
    return { kind: 'literal', at: node.at, value: binary(node.operator, left.value, right.value, node.at) }
  } catch (error) {
    // The checker reports the fault together with the other problems of the program.
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
