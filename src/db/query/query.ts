import { AppError } from '../../base/index.ts'
import { COLLECTIONS } from '../collections/index.ts'
import {
  BASE,
  badFilter,
  type Catalog,
  type Condition,
  followsBack,
  isSuperuser,
  type RequestInfo,
  refuseCostly,
} from '../filter/index.ts'
import { assertFits } from '../records/page-size.ts'
import type { AnyCollection, RecordOf, Rules } from '../schema/collection.ts'
import type { CollectionNames } from '../schema/names.ts'
import { createPlans } from '../schema/plan.ts'
import { withCallerErrors } from '../sqlite/caller-errors.ts'
import { jsonValues } from '../sqlite/dialect.ts'
import { type Params, quoted, type SqlReader } from '../sqlite/sql.ts'
import { candidateRow } from './candidate-row.ts'
import { clientFilter, clientSort } from './client-filter.ts'
import { createExpander, type Expander } from './expand.ts'
import type { Paging } from './paging.ts'
import { type Access, createRuleBook } from './rules.ts'
import { NO_TOTALS, type ReadPage, totals } from './totals.ts'

/** The rule that applies and the request that it applies to. */
interface Permission {
  /** Text of the rule; `null` = superusers only, `''` = everybody. */
  readonly rule: string | null
  readonly requestInfo: RequestInfo
}

/** A list request. */
interface ListRequest extends Permission, Paging {
  readonly filter?: string
  readonly sort?: string
  /** Large fields that the response does not need: they are not read, and null in the records. */
  readonly without?: readonly string[]
  /** Maximum total bytes of the large fields of the page; a single record is always accepted. */
  readonly maxBytes?: number
}

/** A test for single records, compiled once, for a realtime subscription or one write. */
export interface RecordTest {
  /** Whether the stored record `id` passes; false when it does not exist. */
  stored(tx: SqlReader, id: string, requestInfo: RequestInfo): boolean
  /** Whether values that are not stored pass: a record to be created, or one that was just deleted. */
  values(tx: SqlReader, values: Readonly<Record<string, unknown>>, requestInfo: RequestInfo): boolean
}

/** Reads of records as requests describe them: by rule, filter and sort. */
export interface RecordQueries extends Expander {
  /**
   * The records for which both the rule and the filter hold. `withTotals` adds the total
   * that is missing here for a large table.
   * @throws AppError `forbidden` when the rule is for superusers only, `invalid` for a bad filter or sort,
   *   `too_large` for more than `maxBytes`.
   */
  list<C extends AnyCollection>(tx: SqlReader, collection: C, request: ListRequest): ReadPage<RecordOf<C>>
  /**
   * The record if it exists and the rule allows it.
   * @throws AppError `forbidden` when the rule is for superusers only.
   */
  view<C extends AnyCollection>(
    tx: SqlReader,
    collection: C,
    id: string,
    permission: Permission,
  ): RecordOf<C> | undefined
  /**
   * Compiles a rule, and the caller's filter if there is one, for the kind of account in `requestInfo`; call
   * the result with requests of the same kind.
   * @throws AppError as `list` does for an invalid filter; filters by back relations are for superusers only.
   */
  test(collection: AnyCollection, permission: Permission & { readonly filter?: string }): RecordTest
}

/** Dependencies of `createRecordQueries`. */
interface QueryOptions {
  /** Configured public names: `database.names`. */
  readonly names: CollectionNames
  /** Defaults to all collections of the service. */
  readonly collections?: readonly AnyCollection[]
  /** The rules in force for joins and expands; the declared ones by default. */
  readonly rulesOf?: (collection: AnyCollection) => Rules
}

/** Queries over collections. Create one instance, since it caches compiled rules. */
export function createRecordQueries({
  names,
  collections = COLLECTIONS,
  rulesOf = ({ rules }) => rules,
}: QueryOptions): RecordQueries {
  const catalog: Catalog = { names, collections, rulesOf }
  const rules = createRuleBook(catalog)
  const planOf = createPlans()
  const from = (collection: AnyCollection) => `${quoted(collection.name)} AS ${BASE}`

  return {
    ...createExpander({ catalog, rules, planOf }),
    list: <C extends AnyCollection>(tx: SqlReader, collection: C, request: ListRequest) => {
      const {
        requestInfo,
        page,
        perPage,
        skipTotal,
        without = [],
        maxBytes = Number.POSITIVE_INFINITY,
      } = request
      const rule = assertAllowed(rules.access(collection, request.rule, requestInfo))
      const filter = clientFilter(catalog, collection, request.filter ?? '', requestInfo)
      const order = clientSort(catalog, collection, request.sort ?? '', requestInfo)
      const { where, params } = joinedConditions([rule, filter, order], requestInfo, tx.now)
      const source = `FROM ${from(collection)}${where}`
      return withCallerErrors(() => {
        const own = joinedConditions([rule], requestInfo, tx.now).terms
        refuseCostly(tx, [...(filter ? [filter.load] : []), order.load], {
          from: from(collection),
          where: own,
          params,
        })
        // Selects ids first, since sorting whole rows would copy their payloads.
        const ids = tx.all<{ id: string }>(
          `SELECT ${BASE}."id" ${source} ORDER BY ${order.orderBy} LIMIT $page_limit OFFSET $page_offset`,
          { ...params, page_limit: perPage, page_offset: (page - 1) * perPage },
        )
        const remedy = 'ask for fewer with perPage, or leave them out with fields'
        assertFits(tx, collection, ids, { without, maxBytes, remedy })
        const count = { sql: `SELECT count(*) AS n ${source}`, params }
        return {
          page,
          perPage,
          ...(skipTotal ? NO_TOTALS : totals(tx, collection, { page, perPage, length: ids.length, count })),
          // The plan decodes exactly the declared fields; see createRecordReader.
          items: recordsOf(tx, collection, ids, without) as RecordOf<C>[],
        }
      })
    },
    view: <C extends AnyCollection>(
      tx: SqlReader,
      collection: C,
      id: string,
      { rule, requestInfo }: Permission,
    ) => {
      const access = assertAllowed(rules.access(collection, rule, requestInfo))
      const { where, params } = joinedConditions([BY_ID, access], requestInfo, tx.now)
      const row = tx.one<Record<string, unknown>>(`${planOf(collection).select} AS ${BASE}${where}`, {
        ...params,
        id,
      })
      return row && (planOf(collection).record(row) as RecordOf<C>)
    },
    test(collection, { rule, requestInfo: compiledFor, filter = '' }) {
      const access = rules.access(collection, rule, compiledFor)
      if (access === 'nobody') return { stored: () => false, values: () => false }
      const wanted = clientFilter(catalog, collection, filter, compiledFor)
      if (wanted && followsBack(wanted.load) && !isSuperuser(compiledFor)) {
        // The test runs for every change and subscriber, so its cost must not grow with the data.
        throw badFilter(
          'A subscription cannot filter by records that name the changed one; use its own fields',
        )
      }
      const holds = (
        tx: SqlReader,
        source: string,
        conditions: Conditions,
        requestInfo: RequestInfo,
        own: Params,
      ) => {
        if (requestInfo.auth?.collection !== compiledFor.auth?.collection) {
          throw new TypeError(
            'a record test must be called with the kind of account that it was compiled for',
          )
        }
        const { where, params } = joinedConditions(conditions, requestInfo, tx.now)
        const sql = `SELECT 1 AS found FROM ${source}${where} LIMIT 1`
        return withCallerErrors(() => tx.one(sql, { ...params, ...own }) !== undefined)
      }
      return {
        stored: (tx, id, requestInfo) =>
          holds(tx, from(collection), [BY_ID, access, wanted], requestInfo, { id }),
        values(tx, values, requestInfo) {
          const row = candidateRow(collection, values)
          return holds(tx, `${row.sql} AS ${BASE}`, [access, wanted], requestInfo, row.params)
        },
      }
    },
  }

  function recordsOf(
    tx: SqlReader,
    collection: AnyCollection,
    ids: readonly { id: string }[],
    without: readonly string[],
  ) {
    const plan = planOf(collection)
    const rows = tx.all<Record<string, unknown>>(
      `${plan.selectWithout(without)} WHERE "id" IN ${jsonValues('$ids')}`,
      { ids: JSON.stringify(ids.map(({ id }) => id)) },
    )
    const byId = new Map(rows.map((row) => [row['id'], row]))
    return ids.flatMap(({ id }) => {
      const row = byId.get(id)
      return row ? [plan.record(row)] : []
    })
  }
}

type Conditions = readonly (Pick<Condition, 'sql' | 'bind'> | 'everybody' | undefined)[]

const BY_ID = { sql: `${BASE}."id" = $id`, bind: () => ({}) }

function joinedConditions(conditions: Conditions, requestInfo: RequestInfo, now: number) {
  const terms: string[] = []
  const params: Params[] = []
  for (const condition of conditions) {
    if (condition === undefined || condition === 'everybody') continue
    if (condition.sql !== '') terms.push(`(${condition.sql})`)
    params.push(condition.bind(requestInfo, now))
  }
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`
  return { terms, where, params: Object.fromEntries(params.flatMap((each) => Object.entries(each))) }
}

function assertAllowed(access: Access): Exclude<Access, 'nobody'> {
  if (access === 'nobody') throw new AppError('forbidden', 'Only superusers can perform this action')
  return access
}
