import type { Compared, Dialect } from '../../engine/dialect.ts'
import { literal, quoted } from '../../engine/sql.ts'
import { createTable } from './create-table.ts'

/** The SQL of PostgreSQL, with the functions that `functions.ts` adds. */
export const POSTGRES: Dialect = {
  deferReferences: 'SET CONSTRAINTS ALL DEFERRED',
  joinInOrder: 'JOIN',
  repeatsUpserts: false,
  ofOneRow: (statement) =>
    `WITH changed AS (${statement}) SELECT changed.* FROM svc_one((SELECT count(*) FROM changed)) LEFT JOIN changed ON true`,
  random: 'random()',
  byIndex: (table) => table,
  unindexed: (column) => column,
  compared(left, right, by) {
    if (left.type === 'text' && right.type === 'text') return [left.sql, right.sql]
    if (left.type === 'number' && right.type === 'number' && (left.isKnown || right.isKnown)) {
      return [left.sql, right.sql]
    }
    // The type of a column decides about that of the other value.
    if ([left, right].some(({ isColumn, type }) => isColumn && type === 'text')) {
      const other = left.isColumn && left.type === 'text' ? right : left
      if (!(other.isColumn && other.type === 'number')) return [textOf(left), textOf(right)]
    }
    if ([left, right].some(({ isColumn, type }) => isColumn && type === 'number')) {
      return [keyOf(left, by, true), keyOf(right, by, true)]
    }
    return [keyOf(left, by), keyOf(right, by)]
  },
  sortKey: (value) => (value.type === 'any' ? keyOf(value, 'order') : value.sql),
  text: (value) => `svc_text(${value})`,
  number: (value) => `svc_number(${value})`,
  // The database ignores the case of A to Z only, as it compares by the locale C.
  like: (text, pattern) => `${text} ILIKE ${pattern} ESCAPE '\\'`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  greatest: (...values) => ofKnown(values, `greatest(${values.join(', ')})`),
  least: (one, other) => ofKnown([one, other], `least(${one}, ${other})`),
  real,
  rounded: (value) => `svc_rounded(${value})`,
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  slice: (text, from, length) =>
    `substr(convert_to(${text}, 'UTF8'), CAST(${from} AS integer), CAST(${length} AS integer))`,
  unixSeconds: (time) => `CAST(floor(${epochOf(time)}) AS bigint)`,
  formatted: (time, format, modifiers) =>
    `svc_formatted(${[format, `svc_text(${time})`].join(', ')}, VARIADIC CAST(ARRAY[${modifiers.join(', ')}] AS text[]))`,
  monthOf: (seconds) => `to_char(to_timestamp(${seconds}) AT TIME ZONE 'UTC', 'YYYY-MM')`,
  millisecondsBetween: (from, to) => `${real(`${epochOf(to)} - ${epochOf(from)}`)} * 1000`,
  jsonOf: (reference) => `CASE WHEN ${isJson(reference)} THEN ${reference} END`,
  jsonAt: (reference, path) => `svc_json_value(svc_json_at(${reference}, ${path}))`,
  jsonTyped: (reference, path) => `svc_json_at(${reference}, ${path})`,
  jsonKey,
  jsonNumber: (reference, key) => real(jsonKey(reference, key)),
  jsonFlag: (reference, key) => `CASE ${jsonKey(reference, key)} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`,
  jsonType: (reference, key) =>
    `svc_json_type(${key === undefined ? json(reference) : `${json(reference)} -> ${literal(key)}`})`,
  jsonItems: (reference, key) => `svc_json_items(${at(reference, key)})`,
  jsonMembers: (reference, key) => `svc_json_members(${at(reference, key)})`,
  jsonTexts: (list) => `(SELECT "value" FROM svc_json_items(${list}))`,
  jsonNumbers: (list) => `(SELECT CAST("value" AS bigint) FROM svc_json_items(${list}))`,
  jsonLength: (list) =>
    `CASE json_typeof(${json(list)}) WHEN 'array' THEN json_array_length(${json(list)}) ELSE 0 END`,
  jsonList(value, orderBy) {
    const order = orderBy === undefined ? '' : ` ORDER BY ${orderBy}`
    return `'[' || coalesce(string_agg(coalesce(CAST(to_json(${value}) AS text), 'null'), ','${order}), '') || ']'`
  },
  jsonAppend: (list, value) =>
    `CASE ${list} WHEN '[]' THEN '[' ELSE left(${list}, -1) || ',' END || CAST(to_json(CAST(${value} AS text)) AS text) || ']'`,
  jsonWithoutKey: (list, key) => `svc_json_without_key(${list}, ${literal(key)})`,
  joinByIndex: ({ table, alias, condition, order }) =>
    `CROSS JOIN LATERAL (SELECT * FROM ${quoted(table)} ${alias} WHERE ${condition} ORDER BY ${order} OFFSET 0) ${alias}`,
  temporaryTable: (table) => createTable(table, { isTemporary: true }).sql,
  trigger({ name, event, table, when, body }) {
    const condition = when === undefined ? '' : ` WHEN (${when})`
    const statements = body.map((each) => `${each};`).join('\n  ')
    const row = event.includes('DELETE') ? 'OLD' : 'NEW'
    const fn = quoted(`${TRIGGER_FUNCTION}${name}`)
    return [
      `CREATE OR REPLACE FUNCTION ${fn}() RETURNS trigger LANGUAGE plpgsql AS $svc$ BEGIN\n  ${statements}\n  RETURN ${row};\nEND $svc$`,
      `CREATE TRIGGER ${quoted(name)} ${event} ON ${quoted(table)} FOR EACH ROW${condition} EXECUTE FUNCTION ${fn}()`,
    ]
  },
}

/** Begins the names of the functions of triggers. */
export const TRIGGER_FUNCTION = 'svc_on_'

function textOf({ sql, type }: Compared): string {
  return type === 'text' ? sql : `svc_text(${sql})`
}

/** A value of any type as text, for comparisons; a text that is a number as that number if `isNumber`. */
function keyOf(
  { sql, type }: Pick<Compared, 'sql' | 'type'>,
  by: 'equality' | 'order',
  isNumber = false,
): string {
  const key = isNumber && type !== 'number' ? `svc_number_key(svc_key(${sql}))` : `svc_key(${sql})`
  return by === 'order' ? `svc_order_key(${key})` : key
}

function ofKnown(values: readonly string[], sql: string): string {
  return `CASE WHEN ${values.map((each) => `${each} IS NOT NULL`).join(' AND ')} THEN ${sql} END`
}

function real(value: string): string {
  return `CAST(${value} AS double precision)`
}

function epochOf(time: string): string {
  return `extract(epoch FROM svc_time(${time}))`
}

function isJson(text: string): string {
  return `svc_is_json(${text})`
}

function json(reference: string): string {
  return `CAST(${reference} AS json)`
}

function jsonKey(reference: string, key: string): string {
  return `${json(reference)} ->> ${literal(key)}`
}

/** The text of a JSON value, or of its `key`. */
function at(reference: string, key: string | undefined): string {
  return key === undefined ? reference : `CAST(${json(reference)} -> ${literal(key)} AS text)`
}
