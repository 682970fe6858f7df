/**
 * SQL that only SQLite understands: JSON and the order of insertion. All of it stands in this file, so that a
 * store on another database replaces one file; `check-source` refuses it elsewhere. Column references and paths are
 * SQL text; names inside a path come from declarations, never from callers.
 */

/**
 * Column that orders the rows of a table by insertion, for internal tables without a `seq` of their own. Write
 * `leases.${INSERTION_ORDER}` in a join.
 */
export const INSERTION_ORDER = 'rowid'

/** Whether a text is JSON. */
export function isJson(text: string): string {
  return `json_valid(${text})`
}

/**
 * A stored list as JSON that SQLite can read, else NULL. SQLite may put what a column is compared with in the
 * column's place (`staff = 'x' AND json_array_length(staff) = 1`), so no JSON function may trust a column.
 */
export function jsonOf(reference: string): string {
  return `CASE WHEN ${isJson(reference)} THEN ${reference} END`
}

/** The value at `path`, an SQL expression; NULL when it is missing or the JSON cannot be read. */
export function jsonAt(reference: string, path: string): string {
  return `CASE WHEN ${isJson(reference)} THEN json_extract(${reference}, ${path}) END`
}

/** The value of a key of a JSON object that is known to be sound, as text or a number; NULL when it is missing. */
export function jsonKey(reference: string, key: string): string {
  return `${reference} ->> '$.${key}'`
}

/** The JSON type of a value, such as `array` or `integer`; of one of its keys when `key` is given. */
export function jsonType(reference: string, key?: string): string {
  return key === undefined ? `json_type(${reference})` : `json_type(${reference}, '$.${key}')`
}

/** A table with one row per item of a JSON list or object: `key`, `value` and `type`; of one of its keys when given. */
export function jsonItems(reference: string, key?: string): string {
  return key === undefined ? `json_each(${reference})` : `json_each(${reference}, '$.${key}')`
}

/** The items of a JSON list in the place of a table of one column, to be used behind IN. */
export function jsonValues(list: string): string {
  return `(SELECT "value" FROM ${jsonItems(list)})`
}

/** Number of items of a JSON list. */
export function jsonLength(list: string): string {
  return `json_array_length(${list})`
}

/** Aggregates values into a JSON list, in the order of `orderBy`. */
export function jsonList(value: string, orderBy?: string): string {
  return `json_group_array(${orderBy === undefined ? value : `${value} ORDER BY ${orderBy}`})`
}

/** A JSON list with `value` appended. */
export function jsonAppend(list: string, value: string): string {
  return `json_insert(${list}, '$[#]', ${value})`
}

/**
 * A JSON list with `key` removed from each of its objects; anything but a list stays as it is. SQLite edits the
 * text, so that every number stays as it was written.
 */
export function jsonWithoutKey(list: string, key: string): string {
  return `CASE WHEN ${jsonType(list)} = 'array' THEN
    (SELECT json_group_array(json(CASE part.type WHEN 'object' THEN json_remove(part.value, '$.${key}')
       ELSE ${list} -> part.key END) ORDER BY part.key) FROM ${jsonItems(list)} part) ELSE ${list} END`
}
