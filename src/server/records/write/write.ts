import { AppError } from '../../../base/index.ts'
import { type AnyCollection, initialValue, type ReadTx, type Tx } from '../../../db/index.ts'
import { appendAudit } from '../../../db/journal/index.ts'
import { isClosedTo } from '../../../db/query/index.ts'
import { clientOf } from '../../auth/access-audit.ts'
import { callerName } from '../../http/caller.ts'
import type { AnyRecord, Behavior, Committed, Values, Writer } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordCall } from '../read/list.ts'
import { presentRecords } from '../read/present.ts'
import { requestDetailsOf, requestInfoOf } from '../read/request-info.ts'
import type { RecordService } from '../service.ts'

/** A creation, change or deletion in progress. */
export interface Write {
  readonly service: RecordService
  readonly collection: AnyCollection
  readonly behavior: Behavior
  readonly writer: Writer
  readonly call: RecordCall
}

/**
 * Starts a write whose rule is not closed to its caller. Called before the body is read: a caller who may not
 * write must not make the server work.
 * @throws AppError `forbidden` when the rule admits superusers only; `refusal` when it refuses the caller
 *   whatever the body and the record are.
 */
export function openWrite(
  service: RecordService,
  collection: AnyCollection,
  { rule, refusal }: { rule: string | null; refusal: () => AppError },
  call: RecordCall,
): Write {
  const { caller } = call
  const isSuperuser = caller.kind === 'superuser'
  if (rule === null && !isSuperuser)
    throw new AppError('forbidden', 'Only superusers can perform this action')
  const writer = { service, caller, isSuperuser, client: clientOf(call) }
  if (isClosedTo(rule, requestInfoOf(caller))) throw refusal()
  return { service, collection, behavior: behaviorOf(collection), writer, call }
}

/** The request info for the rule of a write. */
export function requestInfoOfWrite({ call }: Write, body: Readonly<Record<string, unknown>> = {}) {
  return requestInfoOf(call.caller, requestDetailsOf(call.request, call.query, body))
}

/**
 * Audits the writes of superusers: the names of changed fields and, for audited kinds, their old and new
 * values.
 */
export function audit({ writer, collection }: Write, tx: Tx, { before, after }: Committed<AnyRecord>): void {
  const record = after ?? before
  if (!writer.isSuperuser || !record) return
  const action = !before ? 'create' : after ? 'update' : 'delete'
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
  appendAudit(tx, {
    actor: callerName(writer.caller),
    action: `record.${action}`,
    subject: record.id,
    detail,
  })
}

/** The response that presents a record after its change. */
export function presentWritten(write: Write, tx: ReadTx, record: AnyRecord): Values | undefined {
  const { service, collection, call } = write
  const view = {
    caller: call.caller,
    requestInfo: requestInfoOfWrite(write),
    expand: call.query['expand'] ?? '',
  }
  return presentRecords(service, tx, collection, [record], view)[0]
}

/** Runs the step of the collection after the commit. */
export async function afterCommit({ writer, behavior }: Write, change: Committed<AnyRecord>): Promise<void> {
  await behavior.committed?.(writer, change)
}
