import { MIB } from '../../base/index.ts'
import { type Params, quoted, type SqlReader } from '../engine/sql.ts'
import type { Database } from '../records/database.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { type AnyRecord, createPlans, type Plan } from '../schema/plan.ts'

/** Limits of a page in memory; a page has at least one record, however large. */
const MAX_PAGE_ROWS = 200
const MAX_PAGE_BYTES = 4 * MIB

/** The records to select: a condition on the columns of the collection's table, with its parameters. */
interface Selection {
  condition: string
  params: Params
}

const ALL: Selection = { condition: 'TRUE', params: {} }

type Reader = Pick<SqlReader, 'one' | 'all'>

/** Records in insertion order, and where the next page begins. */
interface RecordPage {
  records: AnyRecord[]
  /** `seq` of the last record; undefined when there was none left. */
  last: number | undefined
}

/** The records with a `seq` above `after`, as many as fit into a page. */
export function readPage(
  sql: Reader,
  collection: AnyCollection,
  plan: Plan,
  after: number,
  { condition, params }: Selection = ALL,
): RecordPage {
  const table = quoted(collection.name)
  const keys = sql.all<{ seq: number }>(
    `SELECT seq FROM ${table} WHERE seq > $page_after AND (${condition}) ORDER BY seq LIMIT ${MAX_PAGE_ROWS}`,
    { ...params, page_after: after },
  )
  const page: RecordPage = { records: [], last: undefined }
  let bytes = 0
  // Reads row by row: a job may have 40 MiB, so a whole page is never fetched before its size is known.
  for (const { seq } of keys) {
    const row = sql.one<Record<string, unknown>>(`${plan.select} WHERE seq = $seq`, { seq })
    if (!row) continue
    page.records.push(plan.record(row))
    page.last = seq
    bytes += sizeOf(row)
    if (bytes >= MAX_PAGE_BYTES) break
  }
  return page
}

function sizeOf(row: Record<string, unknown>): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  )
}

/**
 * Every record of a collection in insertion order, read page by page, so that neither memory nor a snapshot
 * is occupied while a slow client reads. A record that changes meanwhile is returned in its state before or
 * after the change.
 */
export async function* eachRecord(
  db: Database,
  collection: AnyCollection,
  selection: Selection = ALL,
): AsyncGenerator<AnyRecord, void, undefined> {
  const plan = createPlans()(collection)
  for (let after = 0; ; ) {
    const page = await db.read((tx) => readPage(tx, collection, plan, after, selection))
    if (page.last === undefined) return
    yield* page.records
    after = page.last
  }
}
