import { AppError } from '../../base/index.ts'
import { type AnyCollection, appendAudit, type ReadTx, type Tx } from '../../db/index.ts'
import { callerName } from '../http/caller.ts'
import type { AnyRecord, Behaviour, Committed, Writer } from './behaviour.ts'
import { behaviourOf } from './behaviours/index.ts'
import { circumstancesOf, factsOf } from './facts.ts'
import type { ReadRequest } from './list.ts'
import { presentRecords } from './present.ts'
import type { RecordService } from './service.ts'

/** What the three kinds of writing have in common. */
export interface Write {
  readonly service: RecordService
  readonly collection: AnyCollection
  readonly behaviour: Behaviour
  readonly writer: Writer
  readonly asked: ReadRequest
}

/**
 * A write whose rule is not closed to its caller.
 * @throws AppError `forbidden` when only superusers may write so.
 */
export function openWrite(
  service: RecordService,
  collection: AnyCollection,
  rule: string | null,
  asked: ReadRequest,
): Write {
  const { caller, address } = asked
  const isSuperuser = caller.kind === 'superuser'
  if (rule === null && !isSuperuser)
    throw new AppError('forbidden', 'Only superusers can perform this action')
  const writer = { service, caller, isSuperuser, address }
  return { service, collection, behaviour: behaviourOf(collection), writer, asked }
}

/** What the rule of a write may ask about it. */
export function factsOfWrite({ asked }: Write, body: Readonly<Record<string, unknown>> = {}) {
  return factsOf(asked.caller, { ...circumstancesOf(asked.request, asked.query), body })
}

/** What superusers do to records is in the audit. `names` are the fields they sent. */
export function audit(
  { writer, collection }: Write,
  tx: Tx,
  act: 'create' | 'update' | 'delete',
  id: string,
  names: readonly string[] = [],
): void {
  if (!writer.isSuperuser) return
  const detail = { collection: collection.name, ...(names.length > 0 && { fields: names }) }
  appendAudit(tx, { actor: callerName(writer.caller), act: `record.${act}`, subject: id, detail })
}

/** The answer that shows a record after its change. */
export function shownRecord(write: Write, tx: ReadTx, record: AnyRecord): unknown {
  const { service, collection, asked } = write
  const view = { caller: asked.caller, facts: factsOfWrite(write), expand: asked.query['expand'] ?? '' }
  return presentRecords(service, tx, collection, [record], view)[0]
}

/** What follows a commit. */
export async function follow({ writer, behaviour }: Write, change: Committed<AnyRecord>): Promise<void> {
  await behaviour.committed?.(writer, change)
}
