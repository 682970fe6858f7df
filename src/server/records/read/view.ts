import { notFound } from '../../../base/index.ts'
import type { AnyCollection } from '../../../db/index.ts'
import type { RecordService } from '../service.ts'
import type { RecordCall } from './list.ts'
import { presentRecords } from './present.ts'
import { requestDetailsOf, requestInfoOf } from './request-info.ts'

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
