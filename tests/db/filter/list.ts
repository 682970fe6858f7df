import { withCallerErrors } from '../../../src/db/engine/failure.ts'
import { readSelection } from '../../../src/db/engine/selection.ts'
import type { AnyCollection, RecordOf } from '../../../src/db/index.ts'
import type { ListRequest, RecordQueries } from '../../../src/db/query/query.ts'
import type { Page } from '../../../src/db/query/read-page.ts'
import type { ReadTx } from '../../../src/db/records/tx.ts'

/** A page that is read in one transaction, whatever it costs. */
export function listNow<C extends AnyCollection>(
  queries: RecordQueries,
  tx: ReadTx,
  collection: C,
  request: ListRequest,
): Page<RecordOf<C>> {
  const { ids: page, count } = queries.plan(tx, collection, request)
  const found = withCallerErrors(() => readSelection(tx, { ids: page, ...(count && { count }) }))
  const items = queries.records(tx, collection, found.ids, request)
  const { total } = found
  const totals =
    total === undefined
      ? { totalItems: -1, totalPages: -1 }
      : { totalItems: total, totalPages: Math.ceil(total / request.perPage) }
  return { page: request.page, perPage: request.perPage, ...totals, items }
}
