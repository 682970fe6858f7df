import type { Dialect, ValueType } from '../../engine/dialect.ts'
import type { Bindable } from '../../engine/sql.ts'
import type { ValueSource } from './request-info.ts'
import type { Scope } from './scope.ts'

/** Alias of the table (or of the values) that a condition tests. */
export const BASE = 'b'

/** One side of a comparison as SQL, with the properties that determine how it is compared. */
export interface Operand {
  /** An expression of declared columns, parameters and constants only. */
  readonly sql: string
  /**
   * What is known about its value at compile time: `empty` ('' or NULL), `value` (neither), `request` (bound
   * per request, may be either), `column` (differs from row to row), `never-null` (a column without NULL),
   * `strict` (JSON and geometry: NULL and '' differ, nothing is coalesced).
   */
  readonly nature: 'empty' | 'value' | 'request' | 'column' | 'never-null' | 'strict'
  /** What its value is, where it is known at compile time; JSON and values of requests are `any`. */
  readonly type: ValueType
  /** The bound value of a literal or of the request, from which a pattern is built right of `~`. */
  readonly bound?: { literal: Bindable } | { source: ValueSource }
  /** Column of the tested record, when the operand is that column and nothing else. */
  readonly column?: string
  /** Whether it is a declared column, in the unit that clients see. */
  readonly isColumn?: boolean
  /** Field of the tested record from which the value is derived. */
  readonly field?: string
  /** Whether it is a whole value of possibly megabytes. */
  readonly isLarge?: boolean
  /** The same operand in a separate scope, when it may have several values per record. */
  readonly many?: (scope: Scope) => Operand
  /** A condition that must hold in addition to any comparison with this operand. */
  readonly guard?: string
}

/** NULL, the value of missing names. */
export const NOTHING: Operand = { sql: 'NULL', nature: 'empty', type: 'any' }

/** The value as text; what is one already stays a column, which an index may serve. */
export function textOf({ sql, type }: Pick<Operand, 'sql' | 'type'>, dialect: Dialect): string {
  return type === 'text' ? sql : dialect.text(sql)
}
