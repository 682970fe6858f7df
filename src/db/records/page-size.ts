import { AppError, KIB, MIB } from '../../base/index.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { largeFieldsOf, lengthSql, type Unread, unlessUnread } from '../schema/large-values.ts'
import { pickedNames } from './pick-fields.ts'

/** Total size of the large fields in one response of several records: encoding more delays others. */
export const MAX_LARGE_BYTES = 8 * MIB

/** The large fields that each computed field needs, and the SQL condition of the records that need it. */
export type ComputedFrom = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * The large fields that the response does not contain, of which `fields` selects parts and which leaves out
 * `omit`; they are read where its computed fields need them.
 * @throws AppError `invalid` when `fields` cannot be parsed.
 */
export function unreadFields(
  collection: AnyCollection,
  fields: string,
  computedFrom: ComputedFrom = {},
  omit: readonly string[] = [],
): Unread {
  const names = pickedNames(fields)
  const isKept = (name: string) => (names?.has(name) ?? true) && !omit.includes(name)
  const computed = Object.entries(computedFrom).filter(([name]) => isKept(name))
  const unread = largeFieldsOf(collection).filter((name) => !isKept(name))
  return Object.fromEntries(
    unread.map((name) => [name, computed.flatMap(([, sources]) => sources[name] ?? []).join(' OR ')]),
  )
}

/** The large fields that a page includes, and how many bytes it may have. */
interface PageBounds {
  readonly without: Unread
  readonly maxBytes: number
  readonly remedy: string
  /** Bytes of the large values of each id, if they are known. */
  readonly bytes?: readonly number[] | undefined
}

/** Bytes of large values that are read, parsed and encoded without a pause. */
const MAX_STEP_BYTES = 512 * KIB

/**
 * Ids in groups that can each be read without a pause: at most `records` of them, and half a megabyte of
 * large values. SQLite knows the lengths without reading the values. A page of one record is always accepted,
 * since no page is smaller.
 * @throws AppError `too_large` when the large fields, except those in `without`, take more than `maxBytes`
 *   together.
 */
export function inSteps(
  tx: SqlReader,
  collection: AnyCollection,
  ids: readonly string[],
  { records, ...bounds }: PageBounds & { readonly records: number },
): string[][] {
  const sizes = sizesOf(tx, collection, ids, bounds)
  const steps: string[][] = []
  let sum = 0
  for (const [at, id] of ids.entries()) {
    const bytes = sizes[at] ?? 0
    const last = steps.at(-1)
    if (last && last.length < records && sum + bytes <= MAX_STEP_BYTES) {
      last.push(id)
      sum += bytes
    } else {
      steps.push([id])
      sum = bytes
    }
  }
  return steps
}

/** Bytes of the large values of each id; empty where there are none or the page has one record. */
function sizesOf(
  tx: SqlReader,
  collection: AnyCollection,
  ids: readonly string[],
  { without, maxBytes, remedy, bytes }: PageBounds,
): readonly number[] {
  const large = readFields(collection, without)
  if (large.length === 0 || ids.length < 2) return []
  const sizes = bytes ?? readSizes(tx, collection, ids, without)
  const sum = sizes.reduce((all, each) => all + each, 0)
  if (sum > maxBytes) {
    const mib = (count: number) => Math.ceil(count / 1024 / 1024)
    throw new AppError(
      'too_large',
      `The ${large.join(' and ')} of these ${ids.length} records are ${mib(sum)} MiB, more than the ` +
        `${mib(maxBytes)} MiB of one response; ${remedy}`,
      { reason: 'page_too_large' },
    )
  }
  return sizes
}

function readSizes(
  tx: SqlReader,
  collection: AnyCollection,
  ids: readonly string[],
  without: Unread,
): number[] {
  const sql =
    `SELECT "id", ${lengthOf(collection, without)} AS bytes FROM ${quoted(collection.name)} ` +
    `WHERE "id" IN ${tx.dialect.jsonTexts('$ids')}`
  const rows = tx.all<{ id: string; bytes: number }>(sql, { ids: JSON.stringify(ids) })
  const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]))
  return ids.map((id) => sizes.get(id) ?? 0)
}

/** The ids of the leading records whose sizes are at most `maxBytes` together; at least one. */
export function fitting(sized: readonly { id: string; bytes: number }[], maxBytes: number): string[] {
  let sum = 0
  const end = sized.findIndex(({ bytes }, at) => {
    sum += bytes
    return at > 0 && sum > maxBytes
  })
  return sized.slice(0, end < 0 ? undefined : end).map(({ id }) => id)
}

/** The large fields that are read of some records at least. */
function readFields(collection: AnyCollection, without: Unread): string[] {
  return largeFieldsOf(collection).filter((name) => without[name] !== '')
}

/** SQL for the bytes of a row that are read of its large fields; '' without such fields. */
export function lengthOf(collection: AnyCollection, without: Unread = {}): string {
  return readFields(collection, without)
    .map((name) => `coalesce(${unlessUnread(without, name, lengthSql(collection, name))}, 0)`)
    .join(' + ')
}
