import { type Bindable, quoted, type SqlWriter } from '../engine/sql.ts'
import { type AnyCollection, columnOf } from './collection.ts'
import { MAX_ROW_BYTES } from './fields/index.ts'

/**
 * Names of the fields whose values may exceed `MAX_ROW_BYTES`.
 *
 * Large JSON values (programs and results of jobs, reports of calibrations) are stored in a second table of
 * their collection: one row per value, which SQLite removes with its record. They are therefore written in
 * the transaction of their record, are part of every backup, and leave no orphans; see
 * docs/decisions/0005-large-values.md. The column of such a value is NULL. All code that reads or writes one
 * uses `valueSql` and `splitLarge`.
 */
export function largeFieldsOf({ fields }: AnyCollection): string[] {
  return Object.entries(fields).flatMap(([name, field]) => (field.kind.isLarge(field) ? [name] : []))
}

/** Name of the table that holds a collection's large values. */
export function largeTableOf({ name }: AnyCollection): string {
  return `${name}_large`
}

/**
 * SQL for the stored value of a field, in either table. `row` is the table or alias of the record; without it
 * the columns are unqualified, for a query of that one table.
 */
export function valueSql(collection: AnyCollection, name: string, row?: string): string {
  return readWith(collection, name, row, (column) => column)
}

/**
 * SQL for the stored value of a field, or for `#` and its number of bytes when it is larger than `most`
 * bytes; no JSON begins with `#`.
 * SQLite knows the bytes without reading the value.
 */
export function shortValueSql(collection: AnyCollection, name: string, most: number): string {
  const short = (column: string) =>
    `CASE WHEN octet_length(${column}) > ${most} THEN '#' || octet_length(${column}) ELSE ${column} END`
  return readWith(collection, name, undefined, short)
}

/** Whether `shortValueSql` has left a value out. */
export function isLeftOut(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('#')
}

/** Large fields that are not read, each with the SQL condition of the rows in which it is; '' = in none. */
export type Unread = Readonly<Record<string, string>>

/** `value`, the SQL for something of a field, or NULL in rows of which the field is not read. */
export function unlessUnread(unread: Unread, name: string, value: string): string {
  const condition = unread[name]
  if (condition === undefined) return value
  return condition === '' ? 'NULL' : `CASE WHEN ${condition} THEN ${value} END`
}

/** SQL for the bytes of the stored value of a field; SQLite knows them without reading it. */
export function lengthSql(collection: AnyCollection, name: string): string {
  return readWith(collection, name, undefined, (column) => `octet_length(${column})`)
}

function readWith(
  collection: AnyCollection,
  name: string,
  row: string | undefined,
  read: (column: string) => string,
): string {
  const field = collection.fields[name]
  const prefix = row === undefined ? '' : `${row}.`
  const own = read(`${prefix}${quoted(field ? columnOf(name, field) : name)}`)
  if (!field?.kind.isLarge(field)) return own
  // The second table has no column called id, so that an unqualified one is the record's.
  const large = `SELECT ${read('"body"')} FROM ${quoted(largeTableOf(collection))}`
  return `coalesce(${own}, (${large} WHERE "record" = ${prefix}"id" AND "field" = '${name}'))`
}

/** Stored values of one record, split by the table that stores them. */
interface SplitRecord {
  /** What the row holds. */
  row: Record<string, Bindable>
  /** Stores the others in place of earlier ones, which a new record has not; call it when the row exists. */
  saveLarge(sql: SqlWriter, id: string, options?: { isNew: boolean }): void
}

/**
 * Splits the stored values of a record (or of its fields that change) by the table that stores them. A text
 * may be given in UTF-8.
 */
export function splitLarge(
  collection: AnyCollection,
  stored: Readonly<Record<string, Bindable>>,
): SplitRecord {
  const row = { ...stored }
  const large = largeFieldsOf(collection).filter((field) => Object.hasOwn(stored, field))
  const outside = large.flatMap((field) => {
    const body = stored[field]
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return []
    if (Buffer.byteLength(body) > MAX_ROW_BYTES) {
      row[field] = null
      return [{ field, body }]
    }
    if (typeof body !== 'string') row[field] = new TextDecoder().decode(body)
    return []
  })
  const table = quoted(largeTableOf(collection))
  return {
    row,
    saveLarge(sql, record, { isNew } = { isNew: false }) {
      for (const field of isNew ? [] : large) {
        sql.post(`DELETE FROM ${table} WHERE "record" = $record AND "field" = $field`, { record, field })
      }
      for (const { field, body } of outside) {
        // The cast does not convert: SQLite stores UTF-8.
        sql.post(
          `INSERT INTO ${table} ("record", "field", "body") VALUES ($record, $field, CAST($body AS TEXT))`,
          { record, field, body },
        )
      }
    },
  }
}
