import { type Bindable, quoted, type SqlWriter } from '../sqlite/sql.ts'
import { type AnyCollection, columnOf } from './collection.ts'
import { MAX_ROW_BYTES } from './fields/index.ts'

/**
 * Large JSON values (programs and results of jobs, reports of calibrations) live in a table beside their collection:
 * one row per value, removed with its record by SQLite itself. So they are written in the transaction of their
 * record, are in every backup, and leave no orphans; see docs/decisions/0005-large-values.md. The column of such a
 * value is NULL. Everything that reads or writes one goes through `valueSql` and `splitLarge`.
 */
export function largeFieldsOf({ fields }: AnyCollection): string[] {
  return Object.entries(fields).flatMap(([name, field]) => (field.kind.isLarge(field) ? [name] : []))
}

/** Name of the table that holds a collection's large values. */
export function largeTableOf({ name }: AnyCollection): string {
  return `${name}_large`
}

/**
 * SQL for the stored value of a field, wherever it is kept. `row` names the table or alias of the record; without it
 * its columns are used as they are, for a query of that one table.
 */
export function valueSql(collection: AnyCollection, name: string, row?: string): string {
  return readWith(collection, name, row, (column) => column)
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
  // The table beside has no column called id, so that a bare one is the record's.
  const beside = `SELECT ${read('"body"')} FROM ${quoted(largeTableOf(collection))}`
  return `coalesce(${own}, (${beside} WHERE "record" = ${prefix}"id" AND "field" = '${name}'))`
}

/** Stored values of one record, split by where they are kept. */
interface SplitRecord {
  /** What the row holds. */
  row: Record<string, Bindable>
  /** Keeps the rest; call it when the row exists. */
  saveLarge(sql: SqlWriter, id: string): void
}

/** Splits the stored values of a record (or of those fields of it that change) by where they are kept. */
export function splitLarge(
  collection: AnyCollection,
  stored: Readonly<Record<string, Bindable>>,
): SplitRecord {
  const row = { ...stored }
  const large = largeFieldsOf(collection).filter((field) => Object.hasOwn(stored, field))
  const outside = large.flatMap((field) => {
    const body = stored[field]
    if (typeof body !== 'string' || Buffer.byteLength(body) <= MAX_ROW_BYTES) return []
    row[field] = null
    return [{ field, body }]
  })
  const table = quoted(largeTableOf(collection))
  return {
    row,
    saveLarge(sql, record) {
      for (const field of large) {
        sql.run(`DELETE FROM ${table} WHERE "record" = $record AND "field" = $field`, { record, field })
      }
      for (const { field, body } of outside) {
        sql.run(`INSERT INTO ${table} ("record", "field", "body") VALUES ($record, $field, $body)`, {
          record,
          field,
          body,
        })
      }
    },
  }
}
