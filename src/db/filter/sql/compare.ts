import type { Compared, Dialect } from '../../engine/dialect.ts'
import type { Operator } from '../language/ast.ts'
import { likePattern } from './like.ts'
import { type Operand, textOf } from './operand.ts'
import type { Binder } from './scope.ts'

/**
 * Compares two single values; NULL where SQL cannot decide. Operands are compared with their own types, never
 * converted to text.
 */
export function comparison(
  { binder, dialect }: { binder: Binder; dialect: Dialect },
  one: Operand,
  operator: Operator,
  other: Operand,
): string {
  if (operator === '~' || operator === '!~') {
    const matches = dialect.like(textOf(one, dialect), pattern({ binder, dialect }, other))
    return operator === '~' ? matches : `NOT ${matches}`
  }
  const by = operator === '=' || operator === '!=' ? 'equality' : 'order'
  // Both are then coalesced, so that neither is a column any more.
  const isCoalesced = by === 'equality' && isOfRow(one) && isOfRow(other)
  const [leftSql, rightSql] = dialect.compared(
    comparedOf(one, isCoalesced),
    comparedOf(other, isCoalesced),
    by,
  )
  const [left, right] = [
    { ...one, sql: leftSql },
    { ...other, sql: rightSql },
  ]
  switch (operator) {
    case '=':
      return equality(left, right)
    case '!=':
      return inequality(left, right)
    default:
      return `${left.sql} ${operator} ${right.sql}`
  }
}

function isOfRow({ nature }: Operand): boolean {
  return nature === 'column' || nature === 'never-null'
}

function comparedOf({ sql, type, nature, isColumn = false }: Operand, isCoalesced: boolean): Compared {
  return { sql, type, isColumn: isColumn && !isCoalesced, isKnown: nature === 'value' }
}

function pattern({ binder, dialect }: { binder: Binder; dialect: Dialect }, right: Operand): string {
  const { bound } = right
  if (!bound) return `('%' || ${textOf(right, dialect)} || '%')`
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
