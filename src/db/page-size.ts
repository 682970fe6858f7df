import { AppError } from '../base/index.ts'
import { type AnyCollection, columnOf } from './collection.ts'
import { quoted, type SqlReader } from './sql.ts'

/** Fields that may hold more are looked at before they are read. */
const LARGE_BYTES = 2 * 1024 * 1024

/** Names of the fields whose values may be so large that a page of records needs care. */
export function largeFieldsOf({ fields }: AnyCollection): string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'json' && (field.maxBytes ?? 0) > LARGE_BYTES ? [name] : [],
  )
}

/**
 * Refuses a page whose large fields, but those in `without`, take more than `maxBytes` together. SQLite knows
 * their lengths without reading them. A page of one record always fits: there is no smaller one.
 * @throws AppError `too_large`.
 */
export function mustFit(
  tx: SqlReader,
  collection: AnyCollection,
  ids: readonly { id: string }[],
  { without, maxBytes }: { without: readonly string[]; maxBytes: number },
): void {
  const large = largeFieldsOf(collection).filter((name) => !without.includes(name))
  if (large.length === 0 || ids.length < 2 || maxBytes === Number.POSITIVE_INFINITY) return
  const lengths = large.map((name) => {
    const field = collection.fields[name]
    return `coalesce(octet_length(${quoted(field ? columnOf(name, field) : name)}), 0)`
  })
  const sql =
    `SELECT total(${lengths.join(' + ')}) AS bytes FROM ${quoted(collection.name)} ` +
    'WHERE "id" IN (SELECT "value" FROM json_each($ids))'
  const bytes = tx.one<{ bytes: number }>(sql, { ids: JSON.stringify(ids.map(({ id }) => id)) })?.bytes ?? 0
  if (bytes <= maxBytes) return
  const mib = (count: number) => Math.ceil(count / 1024 / 1024)
  throw new AppError(
    'too_large',
    `The ${large.join(' and ')} of these ${ids.length} records are ${mib(bytes)} MiB, more than the ` +
      `${mib(maxBytes)} MiB of one answer; ask for fewer with perPage, or leave them out with fields`,
    { reason: 'page_too_large' },
  )
}
