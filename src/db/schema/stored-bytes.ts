import { quoted } from '../engine/sql.ts'
import type { AnyCollection } from './collection.ts'
import { largeFieldsOf } from './large-values.ts'

/** Bytes that a record counts for its owner besides its large values: its row, history and index entries. */
export const RECORD_BYTES = 1_024

/** SQL for the bytes that a record counts, without the values in its second table. */
export function ownBytesSql(collection: AnyCollection, row: string): string {
  const values = largeFieldsOf(collection).map((field) => lengthOf(row, field))
  return [RECORD_BYTES, ...values].join(' + ')
}

/** SQL for the bytes of a value in the row of its record; 0 for none. */
export function lengthOf(row: string, field: string): string {
  return `coalesce(octet_length(${row}.${quoted(field)}), 0)`
}
