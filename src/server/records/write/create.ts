import { AppError, notFound } from '../../../base/index.ts'
import { type AnyCollection, MAX_HELD_BYTES, type ReadTx, type Tx } from '../../../db/index.ts'
import { actingUser } from '../../auth/acting-user.ts'
import { assertScope } from '../../http/caller.ts'
import type { ReceivedJson } from '../../http/request/json-text.ts'
import type { AnyRecord, Completion, Values } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordCall } from '../read/list.ts'
import type { RecordService } from '../service.ts'
import { readBody } from './body.ts'
import { applyModifiers } from './modifiers.ts'
import { assertNothingRefused, assertTextsAreWritten, type SortedBody, sortBody } from './protect.ts'
import { afterCommit, audit, openWrite, presentWritten, requestInfoOfWrite, type Write } from './write.ts'

const FAILED = 'Failed to create record'

/**
 * Creates a record. Order of the checks: closed rule (403; 400 for
 * one that requires a login), body, protected fields (400), rule on the sent
 * values (400), then defaults, hooks and validation (400, all fields together).
 */
export async function createRecord(
  service: RecordService,
  collection: AnyCollection,
  call: RecordCall,
): Promise<unknown> {
  const { db } = service.context
  // Only what replaces `POST /api/jobs` is open to tokens that submit.
  if (!behaviorOf(collection).submit) assertScope(call.caller, { scope: 'all' })
  const rule = service.rulesOf(collection).create
  const write = openWrite(service, collection, { rule, refusal: notAllowed }, call)
  const { behavior, writer } = write
  const { receive } = behavior
  const readLarge = receive && ((body: ReceivedJson) => receive(writer, body, call.request))
  const sent = applyModifiers(collection, undefined, await readBody(call, collection, readLarge))
  const sorted = sortBody(collection, sent, { behavior, isSuperuser: writer.isSuperuser, before: undefined })
  assertNothingRefused(sorted, FAILED)
  assertTextsAreWritten(collection, sorted, { before: undefined, message: FAILED })
  const mayCreate = (tx: ReadTx) => assertRuleAllows(write, rule, tx, sorted)
  // Checked here, before any expensive work, and again in the transaction, which decides.
  await db.read(mayCreate)
  const draft = { ...writer, body: sent, before: undefined }
  if (behavior.submit) {
    const id = await behavior.submit(draft, call.request)
    return db.read((tx) => {
      const [record] = tx.list(collection, { ids: [id], most: MAX_HELD_BYTES })
      return presentWritten(write, tx, existing(record))
    })
  }
  const complete = await behavior.prepare?.(draft)
  const values = { ...sorted.values, ...(await ownerValue(write, sorted.values)) }
  const { record, response } = await db.write(`create ${collection.name}`, (tx) => {
    mayCreate(tx)
    const created = insert(write, tx, { ...values }, complete)
    audit(write, tx, { before: undefined, after: created })
    return { record: created, response: presentWritten(write, tx, created) }
  })
  await afterCommit(write, { before: undefined, after: record })
  return response
}

function assertRuleAllows(write: Write, rule: string | null, tx: ReadTx, { body, values }: SortedBody): void {
  const requestInfo = requestInfoOfWrite(write, body)
  const test = write.service.queries.test(write.collection, { rule, requestInfo })
  if (!test.values(tx, values, requestInfo)) throw notAllowed()
}

function notAllowed(): AppError {
  return new AppError('invalid', FAILED, { reason: 'not_allowed' })
}

/** The default owner of a new record: the caller. */
async function ownerValue({ behavior, service, call }: Write, values: Values): Promise<Values> {
  const { owner } = behavior
  if (owner === undefined || (values[owner] ?? '') !== '' || call.caller.kind === 'guest') return {}
  return { [owner]: (await actingUser(service.context.db, call.caller)).id }
}

function insert(write: Write, tx: Tx, values: Values, complete: Completion | undefined): AnyRecord {
  const { behavior, writer, collection } = write
  const step = { ...writer, tx }
  complete?.(values, undefined, tx)
  behavior.creating?.(step, values)
  const record = tx.insert(collection, values)
  behavior.created?.(step, record)
  return existing(tx.find(collection, record.id))
}

function existing(record: AnyRecord | undefined): AnyRecord {
  if (!record) throw notFound()
  return record
}
