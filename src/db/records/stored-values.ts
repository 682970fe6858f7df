import { KIB } from '../../base/index.ts'
import { INSERTION_ORDER } from '../engine/dialect.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { JsonText, type StoredJson } from '../schema/json-text.ts'
import { largeTableOf, valueSql } from '../schema/large-values.ts'

/** Records that are read for responses have longer large values as handles, see `StoredJson`. */
export const MAX_HELD_BYTES = 64 * KIB

/** The JSON text behind a handle; undefined if it has been removed or replaced by another one. */
export function readStored(sql: SqlReader, stored: StoredJson): JsonText | undefined {
  const value = loader(sql, stored.collection)(stored.record, stored.field)
  const text = typeof value === 'string' ? new JsonText(value) : undefined
  return text?.byteLength === stored.bytes ? text : undefined
}

/** Reads the stored text of a large value whose record has been read without it, in the same transaction. */
export function loader(sql: SqlReader, collection: AnyCollection) {
  return (id: string, name: string): unknown => {
    const statement = `SELECT ${valueSql(collection, name)} AS value FROM ${quoted(collection.name)} WHERE "id" = $id`
    return sql.one<{ value: unknown }>(statement, { id })?.value ?? null
  }
}

/** The JSON text of a large value in UTF-8: without conversion to text, reading it takes half of the time. */
export function largeTextOf(sql: SqlReader, collection: AnyCollection, id: string, name: string): JsonText {
  const { bytes } = sql.one<{ bytes: Uint8Array }>(
    `SELECT ${sql.dialect.bytes(valueSql(collection, name))} AS bytes FROM ${quoted(collection.name)} WHERE "id" = $id`,
    { id },
  ) ?? { bytes: undefined }
  return new JsonText(bytes ?? 'null')
}

/** Bytes of a value, and what identifies the value that they belong to. */
interface Slice {
  readonly bytes: Uint8Array
  readonly version: number
  /** Bytes of the whole value. */
  readonly total: number
}

interface SliceRow {
  slice: Uint8Array | null
  total: number | null
  version: number
}

/**
 * Up to `length` bytes of the JSON text of a value, from byte `from` on; undefined when the record or its
 * value has been removed. The bytes come from the database without conversion to text.
 */
export function readSlice(
  sql: SqlReader,
  { collection, record, field }: StoredJson,
  { from, length }: { from: number; length: number },
): Slice | undefined {
  const read = (column: string, version: string) =>
    `SELECT ${sql.dialect.slice(column, '$from', '$length')} AS slice, octet_length(${column}) AS total, ${version} AS version`
  const params = { record, from: from + 1, length }
  const outside = sql.one<SliceRow>(
    `${read('"body"', INSERTION_ORDER)} FROM ${quoted(largeTableOf(collection))} WHERE "record" = $record AND "field" = $field`,
    { ...params, field },
  )
  const own = () =>
    sql.one<SliceRow>(
      `${read(quoted(field), '0')} FROM ${quoted(collection.name)} WHERE "id" = $record`,
      params,
    )
  const row = outside ?? own()
  if (!row?.slice || row.total === null) return undefined
  return { bytes: row.slice, total: row.total, version: row.version }
}
