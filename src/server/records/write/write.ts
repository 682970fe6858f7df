import { AppError } from '../../../base/index.ts'
import { type AnyCollection, appendAudit, initialValue, type ReadTx, type Tx } from '../../../db/index.ts'
import { callerName } from '../../http/caller.ts'
import type { AnyRecord, Behaviour, Committed, Writer } from '../behaviour.ts'
import { behaviourOf } from '../behaviours/index.ts'
import type { ReadRequest } from '../read/list.ts'
import { presentRecords } from '../read/present.ts'
import { circumstancesOf, factsOf } from '../read/request-facts.ts'
import type { RecordService } from '../service.ts'

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

/** What superusers do to records is in the audit: which fields got other values, and of many kinds which ones. */
export function audit({ writer, collection }: Write, tx: Tx, { before, after }: Committed<AnyRecord>): void {
  const record = after ?? before
  if (!writer.isSuperuser || !record) return
  const act = !before ? 'create' : after ? 'update' : 'delete'
  const changed = Object.entries(collection.fields).filter(
    ([name, field]) => after && !Bun.deepEquals(after[name], before ? before[name] : initialValue(field)),
  )
  const detailed = changed.filter(([, { kind }]) => kind.isAudited)
  const detail = {
    collection: collection.name,
    ...(changed.length > 0 && { fields: changed.map(([name]) => name) }),
    ...(detailed.length > 0 && {
      changes: Object.fromEntries(
        detailed.map(([name]) => [name, { from: before?.[name], to: after?.[name] }]),
      ),
    }),
  }
  appendAudit(tx, { actor: callerName(writer.caller), act: `record.${act}`, subject: record.id, detail })
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
