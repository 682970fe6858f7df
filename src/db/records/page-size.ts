import { AppError } from '../../base/index.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { largeFieldsOf, lengthSql } from '../schema/large-values.ts'
import { jsonValues } from '../sqlite/dialect.ts'
import { quoted, type SqlReader } from '../sqlite/sql.ts'
import { pickedNames } from './pick-fields.ts'

/** Total size of the large fields in one response: that of the largest single result. */
export const MAX_LARGE_BYTES = 32 * 1024 * 1024

/**
 * The large fields that are needed neither in the response, of which `fields` selects parts, nor for its
 * computed fields: `computedFrom` lists the sources of each computed field.
 * @throws AppError `invalid` when `fields` cannot be parsed.
 */
export function unreadFields(
  collection: AnyCollection,
  fields: string,
  computedFrom: Readonly<Record<string, readonly string[]>> = {},
): string[] {
  const names = pickedNames(fields)
  if (!names) return []
  const needed = [...names].flatMap((name) => computedFrom[name] ?? [name])
  return largeFieldsOf(collection).filter((name) => !needed.includes(name))
}

/**
 * Rejects a page whose large fields, except those in `without`, take more than `maxBytes` together. SQLite
 * knows their lengths without reading them. A page of one record is always accepted, since no page is
 * smaller.
 * @throws AppError `too_large`.
 */
export function assertFits(
  tx: SqlReader,
  collection: AnyCollection,
  ids: readonly { id: string }[],
  { without, maxBytes, remedy }: { without: readonly string[]; maxBytes: number; remedy: string },
): void {
  const large = largeFieldsOf(collection).filter((name) => !without.includes(name))
  if (large.length === 0 || ids.length < 2 || maxBytes === Number.POSITIVE_INFINITY) return
  const sql =
    `SELECT total(${lengthOf(collection, large)}) AS bytes FROM ${quoted(collection.name)} ` +
    `WHERE "id" IN ${jsonValues('$ids')}`
  const bytes = tx.one<{ bytes: number }>(sql, { ids: JSON.stringify(ids.map(({ id }) => id)) })?.bytes ?? 0
  if (bytes <= maxBytes) return
  const mib = (count: number) => Math.ceil(count / 1024 / 1024)
  throw new AppError(
    'too_large',
    `The ${large.join(' and ')} of these ${ids.length} records are ${mib(bytes)} MiB, more than the ` +
      `${mib(maxBytes)} MiB of one response; ${remedy}`,
    { reason: 'page_too_large' },
  )
}

/** The ids of the leading records whose sizes fit into one response together; at least one. */
export function fitting(sized: readonly { id: string; bytes: number }[]): string[] {
  let sum = 0
  const end = sized.findIndex(({ bytes }, at) => {
    sum += bytes
    return at > 0 && sum > MAX_LARGE_BYTES
  })
  return sized.slice(0, end < 0 ? undefined : end).map(({ id }) => id)
}

/** SQL for the total bytes of these fields in a row. */
export function lengthOf(collection: AnyCollection, names: readonly string[]): string {
  return names.map((name) => `coalesce(${lengthSql(collection, name)}, 0)`).join(' + ')
}
