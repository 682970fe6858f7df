import type { AnyCollection, ReadTx } from '../../../db/index.ts'
import type { Expanded, ExpandLimits, RequestInfo } from '../../../db/query/index.ts'
import type { Caller } from '../../http/caller.ts'
import { presentRecord } from '../../http/response/present-record.ts'
import type { AnyRecord, Values } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordService } from '../service.ts'

/** The viewer of records and the requested relations. */
interface View {
  readonly caller: Caller
  readonly requestInfo: RequestInfo
  /** Relations to expand; '' = none. */
  readonly expand: string
  readonly limits?: Partial<ExpandLimits>
}

/** Records as returned to the caller, with computed values and expanded relations. */
export function presentRecords(
  { queries, context }: RecordService,
  tx: ReadTx,
  collection: AnyCollection,
  records: readonly AnyRecord[],
  { caller, requestInfo, expand, limits }: View,
): Values[] {
  const isSuperuser = caller.kind === 'superuser'
  const self = caller.kind === 'user' ? caller.user.id : undefined

  /** A related record may appear below many others. */
  const presented = new Map<Expanded, Values>()

  function present(each: AnyCollection, all: readonly Expanded[]): Values[] {
    const fresh = all.filter((one) => !presented.has(one))
    const computed = behaviorOf(each).computed?.(
      tx,
      fresh.map(({ record }) => record),
    )
    for (const [at, one] of fresh.entries()) {
      const { record, expand: related } = one
      const shown = presentRecord(each, record, context.db.names, { isSuperuser, self })
      const expanded = related && { expand: Object.fromEntries(Object.entries(related).map(presentRelation)) }
      presented.set(one, Object.assign(shown, computed?.[at], expanded))
    }
    return all.map((one) => presented.get(one) ?? {})
  }

  function presentRelation([name, related]: [string, Expanded | readonly Expanded[]]) {
    if (isMany(related)) return [name, related[0] ? present(related[0].collection, related) : []]
    return [name, present(related.collection, [related])[0]]
  }

  const isPlain = expand.trim() === ''
  const plain = (): Expanded[] => records.map((record) => ({ collection, record }))
  const expanded = () => queries.expand(tx, collection, records, expand, requestInfo, limits)
  return present(collection, isPlain ? plain() : expanded())
}

function isMany(related: Expanded | readonly Expanded[]): related is readonly Expanded[] {
  return Array.isArray(related)
}
