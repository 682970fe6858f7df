import { quoted } from '../sqlite/sql.ts'
import type { AnyCollection } from './collection.ts'
import { largeFieldsOf, largeTableOf } from './large-values.ts'

/**
 * The table `user_bytes` holds the stored bytes of each user: of the records with large values that the
 * user owns, `RECORD_BYTES` per record and the bytes of these values. Triggers keep it, so that
 * no statement that changes a record can miss it.
 */

/** Bytes that a record counts besides its large values: its row, history and index entries. */
export const RECORD_BYTES = 1_024

/** A trigger, in the form in which SQLite stores it. */
export interface Trigger {
  readonly name: string
  readonly sql: string
}

/** The triggers that count the bytes of a collection with large values; none if its records have no owner. */
export function countingTriggers(collection: AnyCollection): Trigger[] {
  const { name } = collection
  if (collection.owner === undefined) return []
  const [table, large, owner] = [quoted(name), quoted(largeTableOf(collection)), quoted(collection.owner)]
  const outside = (row: string) =>
    `(SELECT coalesce(sum(octet_length("body")), 0) FROM ${large} WHERE "record" = ${row}."id")`
  const own = (row: string) => ownBytesSql(collection, row)
  const subtract = (bytes: string) =>
    `UPDATE "user_bytes" SET "bytes" = "bytes" - (${bytes}) WHERE "user" = OLD.${owner};`
  const add = (bytes: string) =>
    `INSERT INTO "user_bytes" ("user", "bytes") SELECT NEW.${owner}, ${bytes} WHERE NEW.${owner} <> ''
    ON CONFLICT ("user") DO UPDATE SET "bytes" = "bytes" + excluded."bytes";`
  const ofRecord = (row: string, change: string) =>
    `UPDATE "user_bytes" SET "bytes" = "bytes" ${change}
    WHERE "user" = (SELECT ${owner} FROM ${table} WHERE "id" = ${row}."record");`
  const trigger = (on: string, event: string, body: string): Trigger => ({
    name: `${name}_bytes_${on}`,
    sql: `CREATE TRIGGER ${quoted(`${name}_bytes_${on}`)} ${event} BEGIN\n  ${body}\nEND`,
  })
  return [
    trigger('insert', `AFTER INSERT ON ${table}`, add(own('NEW'))),
    // Before, because SQLite removes the large values with their record.
    trigger('delete', `BEFORE DELETE ON ${table}`, subtract(`${own('OLD')} + ${outside('OLD')}`)),
    trigger(
      'owner',
      `AFTER UPDATE OF ${owner} ON ${table} WHEN OLD.${owner} <> NEW.${owner}`,
      `${subtract(`${own('OLD')} + ${outside('OLD')}`)}\n  ${add(`${own('NEW')} + ${outside('NEW')}`)}`,
    ),
    ...largeFieldsOf(collection).map((field) =>
      trigger(
        field,
        `AFTER UPDATE OF ${quoted(field)} ON ${table} WHEN OLD.${owner} = NEW.${owner}`,
        subtract(`${lengthOf('OLD', field)} - ${lengthOf('NEW', field)}`),
      ),
    ),
    trigger('large_insert', `AFTER INSERT ON ${large}`, ofRecord('NEW', '+ octet_length(NEW."body")')),
    // Reads the length from the table: OLD would read all of the value.
    trigger(
      'large_delete',
      `BEFORE DELETE ON ${large}`,
      ofRecord(
        'OLD',
        `- (SELECT octet_length("body") FROM ${large} WHERE "record" = OLD."record" AND "field" = OLD."field")`,
      ),
    ),
    trigger(
      'large_update',
      `AFTER UPDATE OF "body" ON ${large}`,
      ofRecord('NEW', '+ octet_length(NEW."body") - octet_length(OLD."body")'),
    ),
  ]
}

/** SQL for the bytes that a record counts, without the values in its second table. */
export function ownBytesSql(collection: AnyCollection, row: string): string {
  const values = largeFieldsOf(collection).map((field) => lengthOf(row, field))
  return [RECORD_BYTES, ...values].join(' + ')
}

function lengthOf(row: string, field: string): string {
  return `coalesce(octet_length(${row}.${quoted(field)}), 0)`
}
