import type { Bindable, Params } from '../engine/sql.ts'
import type { Condition, Order, RequestInfo } from '../filter/index.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { Paging } from './paging.ts'

/** A list request with its compiled parts. */
export interface CompiledList extends Paging {
  readonly collection: AnyCollection
  readonly rule: Condition | 'everybody'
  readonly filter: Condition | undefined
  readonly order: Order
  /** Where the page begins, if not at the beginning of the list. */
  readonly start?: Pick<Condition, 'sql' | 'bind'> | undefined
  readonly requestInfo: RequestInfo
  readonly now: number
}

/** Conditions that all have to hold; `everybody` and undefined hold for every row. */
export type Conditions = readonly (Pick<Condition, 'sql' | 'bind'> | 'everybody' | undefined)[]

/** The WHERE clause of conditions ('' without conditions) and their parameters. */
export function joinedConditions(
  conditions: Conditions,
  requestInfo: RequestInfo,
  now: number,
): { where: string; params: Params } {
  const terms: string[] = []
  const params: Record<string, Bindable> = {}
  for (const condition of conditions) {
    if (condition === undefined || condition === 'everybody') continue
    if (condition.sql !== '') terms.push(`(${condition.sql})`)
    Object.assign(params, condition.bind(requestInfo, now))
  }
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`
  return { where, params }
}
