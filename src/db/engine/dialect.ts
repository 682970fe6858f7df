/**
 * SQL that only SQLite understands: JSON and insertion order. All of it is in this file, so that a second
 * store on another database replaces one file (docs/decisions/0002-sqlite-one-writer.md); `check-source`
 * rejects it elsewhere. References and paths are SQL text; the keys come from declarations, never from
 * callers.
 */

/**
 * The column that orders rows by insertion, for internal tables without a `seq` column:
 * `leases.${INSERTION_ORDER}`.
 */
export const INSERTION_ORDER = 'rowid'

/** Lets references of the transaction name records that it stores later. */
export const DEFER_REFERENCES = 'PRAGMA defer_foreign_keys = ON'

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
