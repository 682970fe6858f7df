import { AppError } from '../../base/index.ts'
import { COLLECTIONS } from '../collections/index.ts'
import {
  BASE,
  badFilter,
  type Catalogue,
  type Condition,
  followsBack,
  isSuperuser,
  type RequestFacts,
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

/** What a caller may see, and who that is. */
export interface Permission {
  /** Text of the rule; `null` = superusers only, `''` = everybody. */
  readonly rule: string | null
  readonly facts: RequestFacts
}

/** A list request. */
export interface ListRequest extends Permission, Paging {
  readonly filter?: string
  readonly sort?: string
  /** Large fields that nobody will look at: they are not read, and null in the records. */
  readonly without?: readonly string[]
  /** What the large fields of the page may take together, in bytes; a single record may always be read. */
  readonly maxBytes?: number
}

/** A question about single records, compiled once: for a realtime subscription or one write. */
export interface RecordTest {
  /** Whether the stored record `id` satisfies it; false when there is none. */
  stored(tx: SqlReader, id: string, facts: RequestFacts): boolean
  /** Whether values that are not stored satisfy it: a record to be created, or one that was just deleted. */
  values(tx: SqlReader, values: Readonly<Record<string, unknown>>, facts: RequestFacts): boolean
}

/** Reading records the way requests ask for them: by rule, filter and sort. */
export interface RecordQueries extends Expander {
  /**
   * The records that the rule shows and the filter wants. Rule and filter must both hold. `counted` adds the total
   * that a large table lacks here.
   * @throws AppError `forbidden` when the rule is for superusers only, `invalid` for a bad filter or sort,
   *   `too_large` for more than `maxBytes`.
   */
  list<C extends AnyCollection>(tx: SqlReader, collection: C, request: ListRequest): ReadPage<RecordOf<C>>
  /**
   * The record when it exists and the rule shows it.
   * @throws AppError `forbidden` when the rule is for superusers only.
   */
  view<C extends AnyCollection>(
    tx: SqlReader,
    collection: C,
    id: string,
    permission: Permission,
  ): RecordOf<C> | undefined
  /**
   * Compiles a rule, with a filter of the caller if there is one, for the kind of account in `facts`; ask with
   * facts of the same kind.
   * @throws AppError as `list` does for a bad filter; filters by back relations are for superusers only.
   */
  test(collection: AnyCollection, permission: Permission & { readonly filter?: string }): RecordTest
}

/** What queries are about. */
export interface QueryOptions {
  /** Configured public names: `database.names`. */
  readonly names: CollectionNames
  /** All of the service's when not said. */
  readonly collections?: readonly AnyCollection[]
  /** The rules in force where joins and expands ask for them; the declared ones when not said. */
  readonly rulesOf?: (collection: AnyCollection) => Rules
}

/** Queries over collections. Keeps compiled rules, so make it once. */
export function createRecordQueries({
  names,
  collections = COLLECTIONS,
  rulesOf = ({ rules }) => rules,
}: QueryOptions): RecordQueries {
  const catalogue: Catalogue = { names, collections, rulesOf }
  const rules = createRuleBook(catalogue)
  const planOf = createPlans()
  const from = (collection: AnyCollection) => `${quoted(collection.name)} AS ${BASE}`

  return {
    ...createExpander({ catalogue, rules, planOf }),
    list: <C extends AnyCollection>(tx: SqlReader, collection: C, request: ListRequest) => {
      const { facts, page, perPage, skipTotal, without = [], maxBytes = Number.POSITIVE_INFINITY } = request
      const rule = assertAllowed(rules.access(collection, request.rule, facts))
      const filter = clientFilter(catalogue, collection, request.filter ?? '', facts)
      const order = clientSort(catalogue, collection, request.sort ?? '', facts)
      const { where, params } = joinedConditions([rule, filter, order], facts, tx.now)
      const source = `FROM ${from(collection)}${where}`
      return withCallerErrors(() => {
        const own = joinedConditions([rule], facts, tx.now).terms
        refuseCostly(tx, [...(filter ? [filter.load] : []), order.load], {
          from: from(collection),
          where: own,
          params,
        })
        // Ids first: sorting whole rows would carry their payloads along.
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
      { rule, facts }: Permission,
    ) => {
      const access = assertAllowed(rules.access(collection, rule, facts))
      const { where, params } = joinedConditions([BY_ID, access], facts, tx.now)
      const row = tx.one<Record<string, unknown>>(`${planOf(collection).select} AS ${BASE}${where}`, {
        ...params,
        id,
      })
      return row && (planOf(collection).record(row) as RecordOf<C>)
    },
    test(collection, { rule, facts: compiledFor, filter = '' }) {
      const access = rules.access(collection, rule, compiledFor)
      if (access === 'nobody') return { stored: () => false, values: () => false }
      const wanted = clientFilter(catalogue, collection, filter, compiledFor)
      if (wanted && followsBack(wanted.load) && !isSuperuser(compiledFor)) {
        // It is asked for every change and subscriber, so its cost must not grow with the data.
        throw badFilter(
          'A subscription cannot filter by records that name the changed one; use its own fields',
        )
      }
      const holds = (
        tx: SqlReader,
        source: string,
        conditions: Conditions,
        facts: RequestFacts,
        own: Params,
      ) => {
        if (facts.auth?.collection !== compiledFor.auth?.collection) {
          throw new TypeError('a record test must be asked by the kind of account that it was compiled for')
        }
        const { where, params } = joinedConditions(conditions, facts, tx.now)
        const sql = `SELECT 1 AS found FROM ${source}${where} LIMIT 1`
        return withCallerErrors(() => tx.one(sql, { ...params, ...own }) !== undefined)
      }
      return {
        stored: (tx, id, facts) => holds(tx, from(collection), [BY_ID, access, wanted], facts, { id }),
        values(tx, values, facts) {
          const row = candidateRow(collection, values)
          return holds(tx, `${row.sql} AS ${BASE}`, [access, wanted], facts, row.params)
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

function joinedConditions(conditions: Conditions, facts: RequestFacts, now: number) {
  const terms: string[] = []
  const params: Params[] = []
  for (const condition of conditions) {
    if (condition === undefined || condition === 'everybody') continue
    if (condition.sql !== '') terms.push(`(${condition.sql})`)
    params.push(condition.bind(facts, now))
  }
  const where = terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`
  return { terms, where, params: Object.fromEntries(params.flatMap((each) => Object.entries(each))) }
}

function assertAllowed(access: Access): Exclude<Access, 'nobody'> {
  if (access === 'nobody') throw new AppError('forbidden', 'Only superusers can perform this action')
  return access
}
