import { BASE } from '../filter/index.ts'
import type { Selection } from '../readers/selection.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { quoted, type SqlReader, type Statement } from '../sqlite/sql.ts'
import { type CompiledList, joinedConditions } from './compiled-list.ts'
import type { ListCosts } from './list-cost.ts'
import type { Paging } from './paging.ts'

/** How to read the ids of one page. */
export interface ListPlan extends Paging {
  readonly collection: AnyCollection
  readonly ids: NonNullable<Selection['ids']>
  readonly joins: Selection['joins'] | undefined
  /** Counts all records of the list; undefined when the total is not wanted. */
  readonly count: Statement | undefined
  /** Whether reading the ids may take longer than the event loop can wait. */
  isCostly(tx: SqlReader): boolean
  /** Whether counting may. */
  isCountCostly(tx: SqlReader): boolean
}

/** The statements of a list. */
export function planList(list: CompiledList, costs: ListCosts): ListPlan {
  const { collection, rule, filter, order, requestInfo, now, page, perPage, skipTotal, start } = list
  const { where, params } = joinedConditions([rule, filter, order, start], requestInfo, now)
  const from = `${quoted(collection.name)} AS ${BASE}`
  const source = `FROM ${from}${where}`
  const offset = (page - 1) * perPage
  const ids = {
    // Only ids, since sorting whole rows would copy their payloads.
    sql: `SELECT ${BASE}."id" ${source} ORDER BY ${order.orderBy} LIMIT $page_limit OFFSET $page_offset`,
    params: { ...params, page_limit: perPage, page_offset: offset },
    perPage,
    offset,
  }
  const loads = [...(filter ? [filter.load] : []), order.load]
  const own = rule === 'everybody' || rule.sql === '' ? [] : [`(${rule.sql})`]
  const estimate = costs({ ...list, ids, params })
  return {
    collection,
    page,
    perPage,
    skipTotal,
    ids,
    joins: { loads, source: { from, where: own, params } },
    count: skipTotal ? undefined : { sql: `SELECT count(*) AS n ${source}`, params },
    ...estimate,
  }
}
