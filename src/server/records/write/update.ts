import { notFound } from '../../../base/index.ts'
import type { AnyCollection, ReadTx } from '../../../db/index.ts'
import type { AnyRecord, Values } from '../behavior.ts'
import type { RecordCall } from '../read/list.ts'
import type { RecordService } from '../service.ts'
import { readBody } from './body.ts'
import { applyModifiers } from './modifiers.ts'
import { assertNothingRefused, assertTextsAreWritten, type SortedBody, sortBody } from './protect.ts'
import { afterCommit, audit, openWrite, presentWritten, requestInfoOfWrite, type Write } from './write.ts'

const FAILED = 'Failed to update record'

/**
 * Changes a record. Order of the checks: closed rule (403), body, existence (404), modifiers, rule on the
 * stored record with the changed values as body (404), protected fields (400), then hooks and validation
 * (400, all fields together).
 */
export async function updateRecord(
  service: RecordService,
  collection: AnyCollection,
  id: string,
  call: RecordCall,
): Promise<unknown> {
  const { db } = service.context
  const rule = service.rulesOf(collection).update
  const write = openWrite(service, collection, { rule, refusal: notFound }, call)
  const sent = await readBody(call, collection)
  const { behavior, writer } = write
  const patchOf = (tx: ReadTx) => checked(write, rule, tx, id, sent)
  const draft = behavior.prepare && (await db.read(patchOf))
  const complete = draft && (await behavior.prepare?.({ ...writer, body: sent, before: draft.before }))
  const { before, after, response } = await db.write(`update ${collection.name}`, (tx) => {
    const { before, sorted } = patchOf(tx)
    const patch: Values = { ...sorted.values }
    const step = { ...writer, tx }
    complete?.(patch, before, tx)
    behavior.updating?.(step, before, patch)
    const changed = tx.update(collection, id, patch)
    if (!changed) throw notFound()
    behavior.updated?.(step, before, changed)
    const after = tx.find(collection, id) ?? changed
    audit(write, tx, { before, after })
    const response = { ...presentWritten(write, tx, after), ...behavior.written?.(step, before, after) }
    return { before, after, response }
  })
  await afterCommit(write, { before, after })
  return response
}

/** The stored record and the checked body. Throws like `updateRecord`. */
function checked(
  write: Write,
  rule: string | null,
  tx: ReadTx,
  id: string,
  sent: Values,
): { before: AnyRecord; sorted: SortedBody } {
  const { service, collection, behavior, writer } = write
  const before = tx.find(collection, id)
  if (!before) throw notFound()
  const changed = applyModifiers(collection, before, sent)
  const sorted = sortBody(collection, changed, { behavior, isSuperuser: writer.isSuperuser, before })
  const requestInfo = requestInfoOfWrite(write, sorted.body)
  if (!service.queries.test(collection, { rule, requestInfo }).stored(tx, id, requestInfo)) throw notFound()
  assertNothingRefused(sorted, FAILED)
  assertTextsAreWritten(collection, sorted, { before, message: FAILED })
  return { before, sorted }
}
