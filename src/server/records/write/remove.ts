import { notFound } from '../../../base/index.ts'
import type { AnyCollection, ReadTx } from '../../../db/index.ts'
import type { RecordCall } from '../read/list.ts'
import type { RecordService } from '../service.ts'
import { afterCommit, audit, openWrite, requestInfoOfWrite } from './write.ts'

/**
 * Deletes a record. Order of the checks: closed rule (403), existence and rule (404), hooks and required
 * relations (400).
 */
export async function removeRecord(
  service: RecordService,
  collection: AnyCollection,
  id: string,
  call: RecordCall,
): Promise<void> {
  const rule = service.rulesOf(collection).remove
  const write = openWrite(service, collection, { rule, refusal: notFound }, call)
  const { behavior, writer } = write
  const requestInfo = requestInfoOfWrite(write)
  const test = service.queries.test(collection, { rule, requestInfo })
  const visible = (tx: ReadTx) => {
    const record = test.stored(tx, id, requestInfo) ? tx.find(collection, id) : undefined
    if (!record) throw notFound()
    return record
  }
  if (behavior.remove) return behavior.remove(writer, await service.context.db.read(visible))
  const before = await service.context.db.write(`delete ${collection.name}`, (tx) => {
    const record = visible(tx)
    const step = { ...writer, tx }
    behavior.removing?.(step, record)
    tx.remove(collection, id)
    behavior.removed?.(step, record)
    audit(write, tx, { before: record, after: undefined })
    return record
  })
  await afterCommit(write, { before, after: undefined })
}
