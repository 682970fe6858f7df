import type { Reading } from '../readers/reader-pool.ts'
import { endsAt, readSelection, type Selected } from '../readers/selection.ts'
import type { Database } from '../records/database.ts'
import { inSteps } from '../records/page-size.ts'
import type { ReadTx } from '../records/tx.ts'
import { withCallerErrors } from '../sqlite/caller-errors.ts'
import { KnownNumbers } from './known-numbers.ts'
import type { ListPlan } from './list-plan.ts'

/** One page of records; totals are -1 when they were not requested. */
export interface Page<R> {
  readonly page: number
  readonly perPage: number
  readonly totalItems: number
  readonly totalPages: number
  readonly items: R[]
}

/** What to read for a page, and for whom. */
interface PageWork<R> {
  readonly reading: Reading
  plan(tx: ReadTx): ListPlan
  /** The records with these ids that the caller may see now, in this order. */
  records(tx: ReadTx, ids: readonly string[]): R[]
  /** Large fields that the response does not need. */
  readonly without?: readonly string[]
  /** Maximum total bytes of the large fields of the page; a single record is always accepted. */
  readonly maxBytes?: number
  /** The parameter of the request that determines the size of a page. */
  readonly sizeParameter?: 'perPage' | 'limit'
}

/** Records that are read without a pause. */
const RECORDS_AT_ONCE = 100

/**
 * Reads a page. What is known to be cheap is read on the event loop, in one snapshot; ids and totals whose
 * cost depends on the client are read by a reader process, and their records after it, in steps between which
 * other requests run. A total may then include records written after the page was read.
 * @throws AppError as `RecordQueries.plan` and `ReaderPool.read` do; `too_large` for more than `maxBytes`.
 */
export async function readPage<R>(db: Database, work: PageWork<R>): Promise<Page<R>> {
  const start = await db.read((tx) => startPage(tx, work, knownTotalsOf(db)))
  const { plan } = start
  const page = start.ids
    ? { ids: start.ids, total: start.total, items: start.items }
    : { ...(await db.select(selectionOf(plan), work.reading)), items: undefined }
  const { count } = plan
  const counted = count && page.total === undefined ? await db.select({ count }, work.reading) : page
  const items = page.items ?? (await readInSteps(db, plan, page.ids, work))
  const totals = count === undefined ? { totalItems: -1, totalPages: -1 } : totalsOf(counted.total ?? 0, plan)
  return { page: plan.page, perPage: plan.perPage, ...totals, items }
}

const totalsByDatabase = new WeakMap<Database, KnownNumbers>()

function knownTotalsOf(db: Database): KnownNumbers {
  const totals = totalsByDatabase.get(db) ?? new KnownNumbers()
  totalsByDatabase.set(db, totals)
  return totals
}

interface Start<R> {
  readonly plan: ListPlan
  readonly ids?: readonly string[]
  readonly total?: number | undefined
  readonly items?: R[]
}

/** Everything that the event loop may read at once. */
function startPage<R>(tx: ReadTx, work: PageWork<R>, totals: KnownNumbers): Start<R> {
  const plan = work.plan(tx)
  return withCallerErrors(() => {
    if (plan.isCostly(tx)) return { plan }
    const { ids, bytes } = readSelection(tx, selectionOf({ ...plan, count: undefined }))
    const total = cheapTotal(tx, plan, ids.length, totals)
    const isShort = stepsOf(tx, plan, { ids, bytes }, work).length < 2
    return { plan, ids, total, ...(isShort && { items: work.records(tx, ids) }) }
  })
}

function cheapTotal(tx: ReadTx, plan: ListPlan, length: number, totals: KnownNumbers): number | undefined {
  const { count, ids } = plan
  if (!count) return undefined
  if (endsAt(ids, length)) return ids.offset + length
  if (plan.isCountCostly(tx)) return undefined
  return totals.get(tx, count, () => tx.one<{ n: number }>(count.sql, count.params)?.n ?? 0)
}

function selectionOf({ joins, ids, count }: ListPlan) {
  return { ids, ...(joins && { joins }), ...(count && { count }) }
}

function stepsOf<R>(
  tx: ReadTx,
  { collection }: ListPlan,
  { ids, bytes }: Pick<Selected, 'ids' | 'bytes'>,
  { without = [], maxBytes = Number.POSITIVE_INFINITY, sizeParameter = 'perPage' }: PageWork<R>,
): string[][] {
  const remedy = `ask for fewer with ${sizeParameter}, or leave them out with fields`
  return inSteps(tx, collection, ids, { without, maxBytes, remedy, bytes, records: RECORDS_AT_ONCE })
}

async function readInSteps<R>(
  db: Database,
  plan: ListPlan,
  ids: readonly string[],
  work: PageWork<R>,
): Promise<R[]> {
  const steps = await db.read((tx) => stepsOf(tx, plan, { ids }, work))
  const items: R[] = []
  for (const step of steps) {
    items.push(...(await db.read((tx) => work.records(tx, step))))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return items
}

function totalsOf(totalItems: number, { perPage }: { perPage: number }) {
  return { totalItems, totalPages: Math.ceil(totalItems / perPage) }
}
