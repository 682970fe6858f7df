import { notFound, randomFraction } from '../../../base/index.ts'
import { type AnyCollection, MAX_LARGE_BYTES, unreadFields } from '../../../db/index.ts'
import { createExpandBudget, type Page, readPage, readPaging } from '../../../db/query/index.ts'
import { addressLimitKey } from '../../http/address.ts'
import type { Caller } from '../../http/caller.ts'
import { readingOf } from '../../http/reading.ts'
import type { Values } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordService } from '../service.ts'
import { presentRecords } from './present.ts'
import { requestDetailsOf, requestInfoOf } from './request-info.ts'

/** A call of a record route. */
export interface RecordCall {
  readonly caller: Caller
  readonly request: Request
  readonly query: Readonly<Record<string, string>>
  /** Remote address. */
  readonly address: string
  /** Sets the time-out of the connection; see `RouteRequest`. */
  readonly setIdleTimeout?: (seconds: number) => void
}

/**
 * A page of the records that are visible by the list rule and match the filter.
 * @throws AppError `forbidden` when only superusers may list; `invalid` for invalid parameters; `too_large`
 *   for a page that is too large.
 */
export async function listRecords(
  service: RecordService,
  collection: AnyCollection,
  call: RecordCall,
): Promise<Page<Values>> {
  const { caller, request, query, address } = call
  const requestInfo = requestInfoOf(caller, requestDetailsOf(request, query))
  const rule = service.rulesOf(collection).list
  const { filter = '', sort = '', expand = '', fields = '' } = query
  const paging = readPaging(query)
  const { computedFrom } = behaviorOf(collection)
  const size = { without: unreadFields(collection, fields, computedFrom), maxBytes: MAX_LARGE_BYTES }
  const { db } = service.context
  const { queries } = service
  const limits = { budget: createExpandBudget() }
  const response = await readPage(db, {
    ...size,
    reading: readingOf(caller, address, call),
    plan: (tx) => queries.plan(tx, collection, { ...paging, rule, requestInfo, filter, sort }),
    records(tx, ids) {
      const records = queries.records(tx, collection, ids, { rule, requestInfo, ...size })
      return presentRecords(service, tx, collection, records, { caller, requestInfo, expand, limits })
    },
  })
  const isProbe = response.items.length === 0 && filter !== '' && rule && caller.kind !== 'superuser'
  if (isProbe) await blurTime(service, `${addressLimitKey(address)} ${collection.name}`)
  return response
}

/** Maximum delay of an empty response, in ms. */
const MAX_BLUR_MS = 500

/**
 * Rule and filter form one query, so its duration may reveal records that the rule hides. Repeated lists
 * without a result are delayed by a random time, which conceals the duration.
 */
async function blurTime({ emptyLists, context }: RecordService, key: string): Promise<void> {
  if (!emptyLists.allows(key)) await context.clock.sleep(1 + randomFraction() * (MAX_BLUR_MS - 1))
}

/**
 * One record, if it is visible by the view rule.
 * @throws AppError `forbidden` when only superusers may view records; `not_found`, also for hidden records.
 */
export function viewRecord(
  service: RecordService,
  collection: AnyCollection,
  id: string,
  { caller, request, query }: RecordCall,
): Promise<unknown> {
  const requestInfo = requestInfoOf(caller, requestDetailsOf(request, query))
  const rule = service.rulesOf(collection).view
  return service.context.db.read((tx) => {
    const record = service.queries.view(tx, collection, id, { rule, requestInfo })
    if (!record) throw notFound()
    const view = { caller, requestInfo, expand: query['expand'] ?? '' }
    return presentRecords(service, tx, collection, [record], view)[0]
  })
}
