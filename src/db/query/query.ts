import { AppError } from '../../base/index.ts'
import { COLLECTIONS } from '../collections.ts'
import { withCallerErrors } from '../engine/failure.ts'
import { type Params, quoted, type SqlReader } from '../engine/sql.ts'
import { BASE, badFilter, type Catalog, isSuperuser, type RequestInfo } from '../filter/index.ts'
import type { Database } from '../records/database.ts'
import { loader, MAX_HELD_BYTES } from '../records/stored-values.ts'
import type { AnyCollection, RecordOf, Rules } from '../schema/collection.ts'
import type { Unread } from '../schema/large-values.ts'
import { createPlans } from '../schema/plan.ts'
import { createAccessPaths } from './access-path.ts'
import { startAfter } from './after-record.ts'
import { candidateRow } from './candidate-row.ts'
import { createClientConditions } from './client-filter.ts'
import { type Conditions, joinedConditions } from './compiled-list.ts'
import { createExpander, type Expander } from './expand.ts'
import { type ListPlan, planList } from './list-plan.ts'
import type { Paging } from './paging.ts'
import { type Access, createRuleBook } from './rules.ts'

/** The rule that applies and the request that it applies to. */
interface Permission {
  /** Text of the rule; `null` = superusers only, `''` = everybody. */
  readonly rule: string | null
  readonly requestInfo: RequestInfo
}

/** A list request. */
export interface ListRequest extends Permission, Paging {
  readonly filter?: string
  readonly sort?: string
}

/** A test for single records, compiled once, for a realtime subscription or one write. */
export interface RecordTest {
  /** Whether the stored record `id` passes; false when it does not exist. */
  stored(tx: SqlReader, id: string, requestInfo: RequestInfo): boolean
  /**
   * Whether values that are not stored pass: a record to be created, or one that was just deleted. False when
   * the caller's filter would take too long to search their texts.
   */
  values(tx: SqlReader, values: Readonly<Record<string, unknown>>, requestInfo: RequestInfo): boolean
}

/**
 * Reads of records as requests describe them: by rule, filter and sort. Internal fields, which no client
 * reads, are not read. Large values of more than 64 KiB are handles, see `StoredJson`.
 */
export interface RecordQueries extends Expander {
  /**
   * How to read the ids of the records for which both the rule and the filter hold; see `readPage`.
   * @throws AppError `forbidden` when the rule is for superusers only, `invalid` for a bad filter or sort,
   *   and for a bad `after` as `startAfter`.
   */
  plan(tx: SqlReader, collection: AnyCollection, request: ListRequest): ListPlan
  /**
   * The records among `ids` for which the rule holds now, in the order of `ids`. `without` names large fields
   * that are not needed: they are not read, and null in the records.
   * @throws AppError `forbidden` when the rule is for superusers only.
   */
  records<C extends AnyCollection>(
    tx: SqlReader,
    collection: C,
    ids: readonly string[],
    request: Permission & { readonly without?: Unread },
  ): RecordOf<C>[]
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
  /** Its configured public names, and its SQL. */
  readonly db: Pick<Database, 'names' | 'dialect'>
  /** Defaults to all collections of the service. */
  readonly collections?: readonly AnyCollection[]
  /** The rules in force for joins and expands; the declared ones by default. */
  readonly rulesOf?: (collection: AnyCollection) => Rules
}

/** Queries over collections. Create one instance, since it caches compiled rules. */
export function createRecordQueries({
  db,
  collections = COLLECTIONS,
  rulesOf = ({ rules }) => rules,
}: QueryOptions): RecordQueries {
  const { names, dialect } = db
  const catalog: Catalog = { names, dialect, collections, rulesOf }
  const rules = createRuleBook(catalog)
  const client = createClientConditions(catalog)
  const planOf = createPlans(({ internal }) => !internal)
  const accessPathOf = createAccessPaths()
  const byIds = { sql: `${BASE}."id" IN ${dialect.jsonTexts('$ids')}`, bind: () => ({}) }
  const from = (collection: AnyCollection) => `${quoted(collection.name)} AS ${BASE}`

  return {
    ...createExpander({ catalog, rules, planOf }),
    plan(tx, collection, request) {
      const { requestInfo } = request
      const rule = assertAllowed(rules.access(collection, request.rule, requestInfo))
      const filter = client.filter(collection, request.filter ?? '', requestInfo)
      const order = client.sort(collection, request.sort ?? '', requestInfo)
      const { page, perPage, after } = request
      const start =
        after === undefined ? undefined : startAfter(tx, { collection, after, order, rule, requestInfo })
      const skipTotal = request.skipTotal || start !== undefined
      const list = { collection, rule, filter, order, start, requestInfo, now: tx.now }
      return planList({ ...list, page, perPage, skipTotal }, accessPathOf)
    },
    records: <C extends AnyCollection>(
      tx: SqlReader,
      collection: C,
      ids: readonly string[],
      { rule, requestInfo, without = {} }: Permission & { readonly without?: Unread },
    ) => {
      const access = assertAllowed(rules.access(collection, rule, requestInfo))
      const { where, params } = joinedConditions([byIds, access], requestInfo, tx.now)
      const { selectShort, record } = planOf(collection)
      const sql = `${selectShort(without, MAX_HELD_BYTES)} AS ${BASE}${where}`
      const load = loader(tx, collection)
      const rows = tx.all<Record<string, unknown>>(sql, { ...params, ids: JSON.stringify(ids) })
      const byId = new Map(rows.map((row) => [row['id'], row]))
      return ids.flatMap((id) => {
        const row = byId.get(id)
        // The plan decodes exactly the declared fields; see createRecordReader.
        return row ? [record(row, load) as RecordOf<C>] : []
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
      const { selectShort, record } = planOf(collection)
      const row = tx.one<Record<string, unknown>>(`${selectShort({}, MAX_HELD_BYTES)} AS ${BASE}${where}`, {
        ...params,
        id,
      })
      return row && (record(row, loader(tx, collection)) as RecordOf<C>)
    },
    test(collection, { rule, requestInfo: compiledFor, filter = '' }) {
      const access = rules.access(collection, rule, compiledFor)
      if (access === 'nobody') return { stored: () => false, values: () => false }
      const wanted = client.filter(collection, filter, compiledFor)
      if (wanted?.reads.followsBack && !isSuperuser(compiledFor)) {
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
          if (wanted && row.isTooLong(wanted.reads)) return false
          return holds(tx, `${row.sql} AS ${BASE}`, [access, wanted], requestInfo, row.params)
        },
      }
    },
  }
}

const BY_ID = { sql: `${BASE}."id" = $id`, bind: () => ({}) }

function assertAllowed(access: Access): Exclude<Access, 'nobody'> {
  if (access === 'nobody') throw new AppError('forbidden', 'Only superusers can perform this action')
  return access
}
