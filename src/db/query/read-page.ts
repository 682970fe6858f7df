import { nextTurn } from '../../base/index.ts'
import { withCallerErrors } from '../engine/failure.ts'
import type { Reading } from '../engine/reading.ts'
import { endsAt, readSelection, type Selected } from '../engine/selection.ts'
import type { Database } from '../records/database.ts'
import { inSteps } from '../records/page-size.ts'
import type { ReadTx } from '../records/tx.ts'
import type { Unread } from '../schema/large-values.ts'
import { isSmall } from './access-path.ts'
import { KeptTotals } from './kept-totals.ts'
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
  readonly without?: Unread
  /** Maximum total bytes of the large fields of the page; a single record is always accepted. */
  readonly maxBytes?: number
  /** The parameter of the request that determines the size of a page. */
  readonly sizeParameter?: 'perPage' | 'limit'
}

/** Records that are read without a pause. */
const RECORDS_AT_ONCE = 100

/**
 * Reads a page. The event loop reads lists by their access path, see `AccessPath`, in one snapshot; a reader
 * process reads the ids of the others, and every total that is not kept. Their records are read after it, in
 * steps between which other requests run. A total may then include records written after the page was read.
 * @throws AppError as `RecordQueries.plan` and `ReaderPool.read` do; `too_large` for more than `maxBytes`.
 */
export async function readPage<R>(db: Database, work: PageWork<R>): Promise<Page<R>> {
  const { plan, ids, items, total, keep } = await db.read((tx) => startPage(tx, work, keptTotalsOf(db)))
  const { count } = plan
  const wanted = { ...(!ids && { ids: plan.ids }), ...(count && total === undefined && { count }) }
  const found = Object.keys(wanted).length > 0 ? await db.select(wanted, work.reading) : undefined
  const counted = total ?? found?.total
  if (found?.total !== undefined) await db.read((tx) => keep?.(tx, found.total ?? 0))
  const totals = counted === undefined ? { totalItems: -1, totalPages: -1 } : totalsOf(counted, plan)
  const read = items ?? (await readInSteps(db, plan, ids ?? found?.ids ?? [], work))
  return { page: plan.page, perPage: plan.perPage, ...totals, items: read }
}

const totalsByDatabase = new WeakMap<Database, KeptTotals>()

function keptTotalsOf(db: Database): KeptTotals {
  const totals = totalsByDatabase.get(db) ?? new KeptTotals()
  totalsByDatabase.set(db, totals)
  return totals
}

interface Start<R> {
  readonly plan: ListPlan
  /** Undefined when a reader has to find them. */
  readonly ids?: readonly string[]
  readonly items?: R[]
  /** Undefined when it is not wanted, or a reader has to count. */
  readonly total?: number | undefined
  /** Keeps the total that a reader counts. */
  readonly keep?: ((tx: ReadTx, total: number) => void) | undefined
}

/** Everything that the event loop may read in one turn. */
function startPage<R>(tx: ReadTx, work: PageWork<R>, totals: KeptTotals): Start<R> {
  const plan = work.plan(tx)
  const { count, isIndexed } = plan
  return withCallerErrors(() => {
    const kept = count && totals.find(tx, count)
    const isCounted = count !== undefined && kept?.total === undefined
    const isWhole = (isCounted || !isIndexed) && isSmall(tx, plan)
    if (!isIndexed && !isWhole) return { plan, ...kept }
    const selection = { ids: plan.ids, ...(isCounted && isWhole && { count }) }
    const { ids, bytes, total = kept?.total } = readSelection(tx, selection)
    if (total !== undefined) kept?.keep(tx, total)
    const isLast = count && endsAt(plan.ids, ids.length)
    const isShort = stepsOf(tx, plan, { ids, bytes }, work).length < 2
    return {
      plan,
      ids,
      keep: kept?.keep,
      total: isLast ? plan.ids.offset + ids.length : total,
      ...(isShort && { items: work.records(tx, ids) }),
    }
  })
}

function stepsOf<R>(
  tx: ReadTx,
  { collection }: ListPlan,
  { ids, bytes }: Pick<Selected, 'ids' | 'bytes'>,
  { without = {}, maxBytes = Number.POSITIVE_INFINITY, sizeParameter = 'perPage' }: PageWork<R>,
): string[][] {
  const parameter = sizeParameter === 'limit' ? 'omit' : 'fields'
  const remedy = `ask for fewer with ${sizeParameter}, or leave them out with ${parameter}`
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
    await nextTurn()
  }
  return items
}

function totalsOf(totalItems: number, { perPage }: { perPage: number }) {
  return { totalItems, totalPages: Math.ceil(totalItems / perPage) }
}
