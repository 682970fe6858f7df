import type { Selection } from '../engine/selection.ts'
import { quoted, type Statement } from '../engine/sql.ts'
import { BASE } from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { AccessPath, AccessPaths } from './access-path.ts'
import { type CompiledList, joinedConditions } from './compiled-list.ts'
import type { Paging } from './paging.ts'

/** How to read the ids of one page. */
export interface ListPlan extends Paging, AccessPath {
  readonly collection: AnyCollection
  readonly ids: NonNullable<Selection['ids']>
  /** Counts all records of the list; undefined when the total is not wanted. */
  readonly count: Statement | undefined
}

/** The statements of a list. */
export function planList(list: CompiledList, accessPathOf: AccessPaths): ListPlan {
  const { collection, rule, filter, order, requestInfo, now, page, perPage, skipTotal, start } = list
  const { where, params } = joinedConditions([rule, filter, order, start], requestInfo, now)
  const source = `FROM ${quoted(collection.name)} AS ${BASE}${where}`
  const offset = (page - 1) * perPage
  const ids = {
    // Only ids, since sorting whole rows would copy their payloads.
    sql: `SELECT ${BASE}."id" ${source} ORDER BY ${order.orderBy} LIMIT $page_limit OFFSET $page_offset`,
    params: { ...params, page_limit: perPage, page_offset: offset },
    perPage,
    offset,
  }
  const count = skipTotal ? undefined : { sql: `SELECT count(*) AS n ${source}`, params }
  return { collection, page, perPage, skipTotal, ids, count, ...accessPathOf(list) }
}
