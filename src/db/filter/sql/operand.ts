import type { Bindable } from '../../sqlite/sql.ts'
import type { ValueSource } from './request-info.ts'
import type { Scope } from './scope.ts'

/** One side of a comparison as SQL, with what the comparison must know about it. */
export interface Operand {
  /** An expression made of declared columns, parameters and constants only. */
  readonly sql: string
  /**
   * What is known about its value when the condition is compiled: `empty` ('' or NULL), `value` (neither),
   * `request` (bound per request, may be either), `column` (differs from row to row), `never-null` (a column without
   * NULL), `strict` (JSON and geometry: NULL and '' are different things, nothing is coalesced).
   */
  readonly nature: 'empty' | 'value' | 'request' | 'column' | 'never-null' | 'strict'
  /** The bound value of a literal or of a fact: a pattern is made of it when it stands right of `~`. */
  readonly bound?: { literal: Bindable } | { source: ValueSource }
  /** The same operand once more, in a scope of its own: it may have several values per record. */
  readonly many?: (scope: Scope) => Operand
  /** What must hold beside any comparison with it. */
  readonly guard?: string
}

/** NULL, the value of everything that is missing. */
export const NOTHING: Operand = { sql: 'NULL', nature: 'empty' }
