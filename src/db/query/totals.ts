import type { Database } from '../records/database.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { invalidFilterError } from '../sqlite/caller-errors.ts'
import { ReadFailure } from '../sqlite/read-thread.ts'
import { quoted, type SqlReader, type Statement } from '../sqlite/sql.ts'

/** One page of records; totals are -1 when they were not requested. */
export interface Page<R> {
  readonly page: number
  readonly perPage: number
  readonly totalItems: number
  readonly totalPages: number
  readonly items: R[]
}

/**
 * A page whose total may still be missing: `counting` is the statement that counts it, where counting takes
 * long.
 */
export interface ReadPage<R> extends Page<R> {
  readonly counting?: Statement
}

/** The totals of a page that did not request them. */
export const NO_TOTALS = { totalItems: -1, totalPages: -1 }

function totalsOf(totalItems: number, perPage: number) {
  return { totalItems, totalPages: Math.ceil(totalItems / perPage) }
}

/**
 * Maximum number of records that are counted in the event loop, which takes a few ms, and longer when the
 * condition reads each record.
 */
const MAX_SYNCHRONOUS_COUNT = 50_000

/**
 * The totals of a page of which `length` records were read: counted in the same snapshot, or left to
 * `withTotals` for a large table.
 */
export function totals(
  tx: SqlReader,
  collection: AnyCollection,
  { page, perPage, length, count }: { page: number; perPage: number; length: number; count: Statement },
) {
  // A page that is not full is the last one.
  const isLast = length < perPage && (length > 0 || page === 1)
  if (isLast) return totalsOf((page - 1) * perPage + length, perPage)
  const table = quoted(collection.name)
  const span = tx.one<{ rows: number | null }>(
    `SELECT (SELECT max(seq) FROM ${table}) - (SELECT min(seq) FROM ${table}) AS rows`,
  )
  if ((span?.rows ?? 0) > MAX_SYNCHRONOUS_COUNT) return { ...NO_TOTALS, counting: count }
  return totalsOf(tx.one<{ n: number }>(count.sql, count.params)?.n ?? 0, perPage)
}

/**
 * The page with its total. In a large table a thread counts it after the page was read, so that it includes
 * records written in between.
 * @throws AppError `invalid` when the filter cannot be evaluated, `unavailable` when too many counts wait.
 */
export async function withTotals<R>(
  { count }: Pick<Database, 'count'>,
  { counting, ...page }: ReadPage<R>,
): Promise<Page<R>> {
  if (!counting) return page
  try {
    return { ...page, ...totalsOf(await count(counting), page.perPage) }
  } catch (error) {
    throw error instanceof ReadFailure ? invalidFilterError(error) : error
  }
}
