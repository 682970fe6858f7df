import { MIB } from '../../base/index.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'

/** Limits of a page in memory; a page has at least one record, however large. */
const MAX_PAGE_ROWS = 200
const MAX_PAGE_BYTES = 4 * MIB

type Reader = Pick<SqlReader, 'one' | 'all'>

/** Records in insertion order, and where the next page begins. */
interface RecordPage {
  records: AnyRecord[]
  /** `seq` of the last record; undefined when there was none left. */
  last: number | undefined
}

/** The records with a `seq` above `after`, as many as fit into a page. */
export function readPage(sql: Reader, collection: AnyCollection, plan: Plan, after: number): RecordPage {
  const table = quoted(collection.name)
  const keys = sql.all<{ seq: number }>(
    `SELECT seq FROM ${table} WHERE seq > $after ORDER BY seq LIMIT ${MAX_PAGE_ROWS}`,
    { after },
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
