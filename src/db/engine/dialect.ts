/**
 * SQL that databases write in different ways, here for SQLite. All of it is in this file, so that a second
 * store on another database replaces one file (docs/decisions/0002-sqlite-one-writer.md); `check-source`
 * rejects it elsewhere (scripts/source-rules/sql.ts). Arguments are SQL text that comes from declarations,
 * never from callers.
 */

/** Lets references of the transaction name records that it stores later. */
export const DEFER_REFERENCES = 'PRAGMA defer_foreign_keys = ON'

/** A join, with ON, whose left side is read first: the planner may not exchange the sides. */
export const JOIN_IN_ORDER = 'CROSS JOIN'

/** Another number for each row, to sort by. */
export const RANDOM = 'random()'

/** A table of which only the named index is used, where a planner takes hints. */
export function byIndex(table: string, index: string): string {
  return `${table} INDEXED BY "${index}"`
}

/** A column as a value for which no index is used. */
export function unindexed(column: string): string {
  return `+${column}`
}

/** A condition: `text` matches a pattern with `%`, `_` and the escape character `\`; A is equal to a. */
export function like(text: string, pattern: string): string {
  return `${text} LIKE ${pattern} ESCAPE '\\'`
}

/** A condition: `text` has `part` in it, in the same case. */
export function contains(text: string, part: string): string {
  return `instr(${text}, ${part}) > 0`
}

/** The largest of two or more values; NULL when one is NULL. */
export function greatest(...values: [string, string, ...string[]]): string {
  return `max(${values.join(', ')})`
}

/** The smallest of two values; NULL when one is NULL. */
export function least(one: string, other: string): string {
  return `min(${one}, ${other})`
}

/** A value as a number of 8 bytes with a fraction. */
export function real(value: string): string {
  return `CAST(${value} AS REAL)`
}

/** A number rounded to an integer, halves away from 0. */
export function rounded(value: string): string {
  return `CAST(round(${value}) AS INTEGER)`
}

/** A stored time in whole seconds since the epoch. */
export function unixSeconds(time: string): string {
  return `unixepoch(${time})`
}

/** A time as text in a format of strftime, after the changes that modifiers such as `+1 day` make. */
export function formatted(time: string, format: string, modifiers: readonly string[]): string {
  return `strftime(${[format, time, ...modifiers].join(', ')})`
}

/** The month `2026-01` of a time in seconds since the epoch. */
export function monthOf(seconds: string): string {
  return `strftime('%Y-%m', ${seconds}, 'unixepoch')`
}

/** Time between two stored times in ms, with a fraction from rounding. */
export function millisecondsBetween(from: string, to: string): string {
  return `(julianday(${to}) - julianday(${from})) * 86400000`
}

/**
 * The column that orders rows by insertion, for internal tables without a `seq` column:
 * `leases.${INSERTION_ORDER}`.
 */
export const INSERTION_ORDER = 'rowid'

/** A condition: the text is valid JSON. */
export function isJson(text: string): string {
  return `json_valid(${text})`
}

/**
 * The value of a column if it is valid JSON, else NULL. SQLite may substitute the value that a column is
 * compared with (`staff = 'x' AND json_array_length(staff) = 1`), so no JSON function may rely on the
 * column's content.
 */
export function jsonOf(reference: string): string {
  return `CASE WHEN ${isJson(reference)} THEN ${reference} END`
}

/** The value at `path`, an SQL expression; NULL when it is missing or the column is not valid JSON. */
export function jsonAt(reference: string, path: string): string {
  return `CASE WHEN ${isJson(reference)} THEN json_extract(${reference}, ${path}) END`
}

/**
 * The value of a key of a JSON object, as text or number; NULL when it is missing. The reference must be
 * valid JSON.
 */
export function jsonKey(reference: string, key: string): string {
  return `${reference} ->> '$.${key}'`
}

/** The JSON type of a value, such as `array` or `integer`, or of its `key`. */
export function jsonType(reference: string, key?: string): string {
  return key === undefined ? `json_type(${reference})` : `json_type(${reference}, '$.${key}')`
}

/**
 * A table with one row per item of a JSON list or object (columns `key`, `value`, `type`), or of its `key`.
 */
export function jsonItems(reference: string, key?: string): string {
  return key === undefined ? `json_each(${reference})` : `json_each(${reference}, '$.${key}')`
}

/** The items of a JSON list as a subquery for `IN`. */
export function jsonValues(list: string): string {
  return `(SELECT "value" FROM ${jsonItems(list)})`
}

/** The number of items of a JSON list. */
export function jsonLength(list: string): string {
  return `json_array_length(${list})`
}

/** Aggregates values into a JSON list, ordered by `orderBy`. */
export function jsonList(value: string, orderBy?: string): string {
  return `json_group_array(${orderBy === undefined ? value : `${value} ORDER BY ${orderBy}`})`
}

/** A JSON list with `value` appended. */
export function jsonAppend(list: string, value: string): string {
  return `json_insert(${list}, '$[#]', ${value})`
}

/**
 * A JSON list with `key` removed from each of its objects; any other value is unchanged. SQLite edits the
 * text, so numbers keep their notation.
 */
export function jsonWithoutKey(list: string, key: string): string {
  return `CASE WHEN ${jsonType(list)} = 'array' THEN
    (SELECT json_group_array(json(CASE part.type WHEN 'object' THEN json_remove(part.value, '$.${key}')
       ELSE ${list} -> part.key END) ORDER BY part.key) FROM ${jsonItems(list)} part) ELSE ${list} END`
}
