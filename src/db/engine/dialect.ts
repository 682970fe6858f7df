import type { Columns, Trigger } from './table.ts'

/** What an expression has: a text or a number; `any` differs from row to row, or from request to request. */
export type ValueType = 'text' | 'number' | 'any'

/** One side of a comparison whose sides may have different types. */
export interface Compared {
  readonly sql: string
  readonly type: ValueType
  /** Whether it is a declared column: a value that is compared with it takes its type if it can. */
  readonly isColumn: boolean
  /** Whether it is neither NULL nor the empty text. */
  readonly isKnown: boolean
}

/**
 * SQL that databases write in different ways; each engine has one object with all of it, which statements
 * take from their transaction. `check-source` rejects it elsewhere (scripts/source-rules/sql.ts). Arguments
 * are SQL text that comes from declarations, never from callers.
 */
export interface Dialect {
  /** Lets references of the transaction name records that it stores later; a statement. */
  readonly deferReferences: string
  /** A join, with ON, whose left side is read first: the planner may not exchange the sides. */
  readonly joinInOrder: string
  /** Whether one INSERT with DO UPDATE may meet the same row several times. */
  readonly repeatsUpserts: boolean
  /** A statement that returns rows, which fails unless it is one, where it runs after it was sent. */
  ofOneRow(statement: string): string
  /** Another number for each row, to sort by. */
  readonly random: string
  /** A table of which only the named index is used, where a planner takes hints. */
  byIndex(table: string, index: string): string
  /** A column as a value for which no index is used. */
  unindexed(column: string): string
  /**
   * Two values of any types as SQL that can be compared with each other, by order or by equality, for which
   * also with '': numbers are equal to numbers only, and less than texts, unless the type of a column makes
   * both the same.
   */
  compared(left: Compared, right: Compared, by: 'equality' | 'order'): readonly [left: string, right: string]
  /** A value of any type to sort by. */
  sortKey(value: Pick<Compared, 'sql' | 'type'>): string
  /** A value of any type as text; numbers with a fraction, if they may have one. */
  text(value: string): string
  /** A value of any type as a number; NULL for a text that is not a number. */
  number(value: string): string
  /** A condition: `text` matches a pattern with `%`, `_` and the escape character `\`; A is equal to a. */
  like(text: string, pattern: string): string
  /** A condition: `text` has `part` in it, in the same case. */
  contains(text: string, part: string): string
  /** The largest of two or more values; NULL when one is NULL. */
  greatest(...values: [string, string, ...string[]]): string
  /** The smallest of two values; NULL when one is NULL. */
  least(one: string, other: string): string
  /** A value as a number of 8 bytes with a fraction. */
  real(value: string): string
  /** A number rounded to an integer, halves away from 0. */
  rounded(value: string): string
  /** A text as its bytes in UTF-8. */
  bytes(text: string): string
  /** Up to `length` bytes of a text in UTF-8, from the byte `from` on; the first one is 1. */
  slice(text: string, from: string, length: string): string
  /** A stored time in whole seconds since the epoch. */
  unixSeconds(time: string): string
  /** A time as text in a format of strftime, after the changes that modifiers such as `+1 day` make. */
  formatted(time: string, format: string, modifiers: readonly string[]): string
  /** The month `2026-01` of a time in seconds since the epoch. */
  monthOf(seconds: string): string
  /** Time between two stored times in ms, with a fraction from rounding. */
  millisecondsBetween(from: string, to: string): string
  /** The value of a column if it is valid JSON, else NULL; no JSON function may rely on its content. */
  jsonOf(reference: string): string
  /** The value at `path`, an SQL expression; NULL when it is missing or the column is not valid JSON. */
  jsonAt(reference: string, path: string): string
  /** The same with its own type, which only `compared`, `sortKey` and `text` take. */
  jsonTyped(reference: string, path: string): string
  /** The text of a key of a JSON object, which must be valid; NULL when it is missing. */
  jsonKey(reference: string, key: string): string
  /** The same for a number, as one of 8 bytes with a fraction. */
  jsonNumber(reference: string, key: string): string
  /** The same for true and false, as 1 and 0. */
  jsonFlag(reference: string, key: string): string
  /** The JSON type of a value, such as `array` or `integer`, or of its `key`. */
  jsonType(reference: string, key?: string): string
  /**
   * A table with one row per item of a JSON list, or of that at its `key`: its place, its value as text, and
   * its JSON type (columns `key`, `value`, `type`).
   */
  jsonItems(reference: string, key?: string): string
  /** The same for the members of a JSON object, with their names as `key`. */
  jsonMembers(reference: string, key?: string): string
  /** The texts of a JSON list as a subquery for `IN`. */
  jsonTexts(list: string): string
  /** The numbers of a JSON list as a subquery for `IN`. */
  jsonNumbers(list: string): string
  /** The number of items of a JSON list. */
  jsonLength(list: string): string
  /** Aggregates texts into a JSON list, ordered by `orderBy`. */
  jsonList(value: string, orderBy?: string): string
  /** A JSON list with the text `value` appended. */
  jsonAppend(list: string, value: string): string
  /** A JSON list with `key` removed from each of its objects, whose numbers keep their notation. */
  jsonWithoutKey(list: string, key: string): string
  /**
   * Joins each row before it with the rows of a table that meet a condition on both, found by the index with
   * the columns `order`, and ends the statement. PostgreSQL would read the whole table where it does not know
   * the values that are compared.
   */
  joinByIndex(join: { table: string; alias: string; condition: string; order: string }): string
  /** The statement that creates a table which only this connection has, and which ends with it. */
  temporaryTable(table: Columns): string
  /** The statements that create a trigger. */
  trigger(trigger: Trigger): readonly string[]
}

/**
 * The column that orders rows by insertion, for internal tables without a `seq` column:
 * `leases.${INSERTION_ORDER}`.
 */
export const INSERTION_ORDER = 'rowid'

/** SQL text, or what contains it, that is made once for each dialect. */
export function ofDialect<T>(make: (dialect: Dialect) => T): (dialect: Dialect) => T {
  const known = new WeakMap<Dialect, { value: T }>()
  return (dialect) => {
    const before = known.get(dialect)
    if (before) return before.value
    const value = make(dialect)
    known.set(dialect, { value })
    return value
  }
}
