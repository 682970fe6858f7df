import type { Dialect } from '../engine/dialect.ts'

/** How the ids in a field refer to records of another collection, and how SQL reads them. */
export interface Reference {
  /** Name of the collection that the ids belong to. */
  readonly to: string
  /** Whether the column stores a JSON list of ids instead of a single one. */
  readonly isList: boolean
  /** What becomes of this record when the other one is removed; `clear` removes the id from the field. */
  readonly onRemove: 'cascade' | 'restrict' | 'clear' | 'keep'
  /** A condition: an id in `column` satisfies `test`, the end of a comparison such as `= $id`. */
  holds(dialect: Dialect, column: string, test: string): string
  /** A condition: `column` has one id, if any. */
  hasOne(dialect: Dialect, column: string): string
  /** The value to store in `column` in order to remove the id `id`. */
  without(dialect: Dialect, column: string, id: string): string
  /** Each id in `column`, for `SELECT <value> FROM <table> <join> WHERE <condition>`. */
  each(
    dialect: Dialect,
    column: string,
  ): { readonly value: string; readonly join: string; readonly condition: string }
}

/** A column with one id, or ''. */
export function referenceToOne(to: string, onRemove: Reference['onRemove']): Reference {
  return {
    to,
    isList: false,
    onRemove,
    holds: (_, column, test) => `${column} ${test}`,
    hasOne: () => 'TRUE',
    without: () => "''",
    each: (_, column) => ({ value: column, join: '', condition: `${column} <> ''` }),
  }
}

/** A column with a JSON list of ids. */
export function referenceToMany(to: string, onRemove: Reference['onRemove']): Reference {
  return {
    to,
    isList: true,
    onRemove,
    holds: ({ jsonItems, jsonOf }, column, test) =>
      `EXISTS (SELECT 1 FROM ${jsonItems(jsonOf(column))} WHERE "value" ${test})`,
    hasOne: ({ jsonLength, jsonOf }, column) => `${jsonLength(jsonOf(column))} = 1`,
    without: ({ jsonItems, jsonList }, column, id) =>
      `(SELECT ${jsonList('value')} FROM ${jsonItems(column)} WHERE value <> ${id})`,
    each: ({ jsonItems, jsonOf }, column) => ({
      value: 'item."value"',
      join: `JOIN ${jsonItems(jsonOf(column))} AS item ON TRUE`,
      condition: 'TRUE',
    }),
  }
}
