import type { Dialect } from '../../engine/dialect.ts'
import { quoted } from '../../engine/sql.ts'
import { createTable } from './create-table.ts'

/** The SQL of SQLite. */
export const SQLITE: Dialect = {
  deferReferences: 'PRAGMA defer_foreign_keys = ON',
  joinInOrder: 'CROSS JOIN',
  repeatsUpserts: true,
  ofOneRow: (statement) => statement,
  random: 'random()',
  byIndex: (table, index) => `${table} INDEXED BY "${index}"`,
  unindexed: (column) => `+${column}`,
  // A comparison follows the types of its values.
  compared: (left, right) => [left.sql, right.sql],
  sortKey: ({ sql }) => sql,
  text,
  number: (value) => value,
  like: (text, pattern) => `${text} LIKE ${pattern} ESCAPE '\\'`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  greatest: (...values) => `max(${values.join(', ')})`,
  least: (one, other) => `min(${one}, ${other})`,
  real,
  rounded: (value) => `CAST(round(${value}) AS INTEGER)`,
  // It stores UTF-8, so that nothing is converted.
  bytes: (text) => `CAST(${text} AS BLOB)`,
  slice: (text, from, length) => `substr(CAST(${text} AS BLOB), ${from}, ${length})`,
  unixSeconds: (time) => `unixepoch(${time})`,
  // It would take a number as a Julian day, `now` as the time of the system, and 30 February as it is.
  formatted(time, format, modifiers) {
    const known = `CASE WHEN ${time} GLOB '[0-9][0-9][0-9][0-9]-*' THEN ${time} END`
    return `strftime(${[format, known, "'+0 days'", ...modifiers].join(', ')})`
  },
  monthOf: (seconds) => `strftime('%Y-%m', ${seconds}, 'unixepoch')`,
  millisecondsBetween: (from, to) => `(julianday(${to}) - julianday(${from})) * 86400000`,
  // SQLite may substitute the value that a column is compared with
  // (`staff = 'x' AND json_array_length(staff) = 1`).
  jsonOf: (reference) => `CASE WHEN ${isJson(reference)} THEN ${reference} END`,
  jsonAt,
  jsonTyped: jsonAt,
  jsonKey,
  jsonNumber: (reference, key) => real(jsonKey(reference, key)),
  jsonFlag: jsonKey,
  jsonType,
  jsonItems,
  jsonMembers: jsonItems,
  jsonTexts: jsonValues,
  jsonNumbers: jsonValues,
  jsonLength: (list) => `json_array_length(${list})`,
  jsonList: (value, orderBy) =>
    `json_group_array(${orderBy === undefined ? value : `${value} ORDER BY ${orderBy}`})`,
  jsonAppend: (list, value) => `json_insert(${list}, '$[#]', ${value})`,
  jsonWithoutKey: (list, key) => `CASE WHEN ${jsonType(list)} = 'array' THEN
    (SELECT json_group_array(json(CASE part.type WHEN 'object' THEN json_remove(part.value, '$.${key}')
       ELSE ${list} -> part.key END) ORDER BY part.key) FROM ${jsonItems(list)} part) ELSE ${list} END`,
  joinByIndex: ({ table, alias, condition }) => `CROSS JOIN ${quoted(table)} ${alias} WHERE ${condition}`,
  temporaryTable: (table) => createTable(table, { isTemporary: true }),
  trigger({ name, event, table, when, body }) {
    const condition = when === undefined ? '' : ` WHEN ${when}`
    const statements = body.map((each) => `${each};`).join('\n  ')
    return [
      `CREATE TRIGGER ${quoted(name)} ${event} ON ${quoted(table)}${condition} BEGIN\n  ${statements}\nEND`,
    ]
  },
}

/** A number has the fewest digits that are read as the same one, as in JSON; SQLite writes 17 for 16. */
function text(value: string): string {
  const shorter = [15, 16].map((digits) => {
    const written = `format('%!.${digits}g', n)`
    return `WHEN CAST(${written} AS REAL) = n AND abs(n) NOT BETWEEN 1e${digits} AND 1e17 THEN ${written}`
  })
  return `CASE typeof(${value}) WHEN 'real' THEN
    (SELECT CASE ${shorter.join(' ')} ELSE CAST(n AS TEXT) END FROM (SELECT ${value} AS n)) ELSE ${value} END`
}

function real(value: string): string {
  return `CAST(${value} AS REAL)`
}

function isJson(text: string): string {
  return `json_valid(${text})`
}

function jsonAt(reference: string, path: string): string {
  return `CASE WHEN ${isJson(reference)} THEN json_extract(${reference}, ${path}) END`
}

function jsonKey(reference: string, key: string): string {
  return `${reference} ->> '$.${key}'`
}

function jsonType(reference: string, key?: string): string {
  return key === undefined ? `json_type(${reference})` : `json_type(${reference}, '$.${key}')`
}

function jsonItems(reference: string, key?: string): string {
  return key === undefined ? `json_each(${reference})` : `json_each(${reference}, '$.${key}')`
}

function jsonValues(list: string): string {
  return `(SELECT "value" FROM ${jsonItems(list)})`
}
