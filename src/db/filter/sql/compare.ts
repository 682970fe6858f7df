import type { Dialect } from '../../engine/dialect.ts'
import type { Operator } from '../language/ast.ts'
import { likePattern } from './like.ts'
import type { Operand } from './operand.ts'
import type { Binder } from './scope.ts'

/**
 * Compares two single values; NULL where SQL cannot decide. Operands are compared with their own types, never
 * converted to text.
 */
export function comparison(
  { binder, dialect }: { binder: Binder; dialect: Dialect },
  left: Operand,
  operator: Operator,
  right: Operand,
): string {
  switch (operator) {
    case '=':
      return equality(left, right)
    case '!=':
      return inequality(left, right)
    case '~':
      return dialect.like(left.sql, pattern(binder, right))
    case '!~':
      return `NOT ${dialect.like(left.sql, pattern(binder, right))}`
    default:
      return `${left.sql} ${operator} ${right.sql}`
  }
}

function pattern(binder: Binder, right: Operand): string {
  const { bound } = right
  if (!bound) return `('%' || ${right.sql} || '%')`
  if ('literal' in bound)
    return binder.literal(bound.literal === null ? null : likePattern(String(bound.literal)))
  return binder.deferred((requestInfo, now) => {
    const value = bound.source(requestInfo, now)
    return value === null ? null : likePattern(String(value))
  })
}

function orEmpty(operand: Operand): string {
  return `COALESCE(${operand.sql}, '')`
}

/** Returns the operand with the given nature first, if there is one; equality is symmetric. */
function sorted(left: Operand, right: Operand, nature: Operand['nature']): [Operand, Operand] {
  return left.nature === nature || right.nature !== nature ? [left, right] : [right, left]
}

function equality(left: Operand, right: Operand): string {
  if (left.nature === 'strict' || right.nature === 'strict')
    return `${left.sql} IS NOT DISTINCT FROM ${right.sql}`
  const [empty, other] = sorted(left, right, 'empty')
  if (empty.nature === 'empty') return isEmpty(other)
  // Comparing the bare column preserves its type affinity and lets SQLite use its index.
  if (left.nature === 'value' || right.nature === 'value') return `${left.sql} = ${right.sql}`
  const [requested, column] = sorted(left, right, 'request')
  if (requested.nature === 'request' && column.nature === 'never-null')
    return `${column.sql} = ${orEmpty(requested)}`
  if (requested.nature === 'request' && column.nature === 'column') {
    return `(${column.sql} = ${orEmpty(requested)} OR (${orEmpty(column)} = '' AND ${orEmpty(requested)} = ''))`
  }
  return `COALESCE(${left.sql}, '') = COALESCE(${right.sql}, '')`
}

function inequality(left: Operand, right: Operand): string {
  if (left.nature === 'strict' || right.nature === 'strict')
    return `${left.sql} IS DISTINCT FROM ${right.sql}`
  const [empty, other] = sorted(left, right, 'empty')
  if (empty.nature === 'empty') return isNotEmpty(other)
  if (left.nature === 'value' || right.nature === 'value') return `${left.sql} IS DISTINCT FROM ${right.sql}`
  const [requested, column] = sorted(left, right, 'request')
  if (requested.nature === 'request' && column.nature === 'never-null')
    return `${column.sql} IS DISTINCT FROM ${orEmpty(requested)}`
  if (requested.nature === 'request' && column.nature === 'column') {
    return `(${column.sql} IS DISTINCT FROM ${orEmpty(requested)} AND NOT (${column.sql} IS NULL AND ${orEmpty(requested)} = ''))`
  }
  return `COALESCE(${left.sql}, '') IS DISTINCT FROM COALESCE(${right.sql}, '')`
}

function isEmpty(operand: Operand): string {
  if (operand.nature === 'empty') return 'TRUE'
  if (operand.nature === 'value' || operand.nature === 'never-null') return `${operand.sql} = ''`
  return `(${operand.sql} = '' OR ${operand.sql} IS NULL)`
}

function isNotEmpty(operand: Operand): string {
  if (operand.nature === 'empty') return 'FALSE'
  if (operand.nature === 'value' || operand.nature === 'never-null')
    return `${operand.sql} IS DISTINCT FROM ''`
  return `(${operand.sql} IS DISTINCT FROM '' AND ${operand.sql} IS NOT NULL)`
}
