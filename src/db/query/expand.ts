import { BASE, type Catalog, type RequestInfo } from '../filter/index.ts'
import { type BackRelation, backRelation } from '../filter/resolve/back-relation.ts'
import { collectionOf, fieldOf } from '../filter/resolve/context.ts'
import { fitting, lengthOf } from '../records/page-size.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import { largeFieldsOf } from '../schema/large-values.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import { jsonValues } from '../sqlite/dialect.ts'
import { type Params, quoted, type SqlReader } from '../sqlite/sql.ts'
import { callerOf } from './client-filter.ts'
import type { RuleBook } from './rules.ts'

/** A record with the related records that the request selected. */
export interface Expanded {
  readonly collection: AnyCollection
  readonly record: AnyRecord
  /** Related records by relation name; absent when none may be expanded. */
  readonly expand?: Readonly<Record<string, Expanded | readonly Expanded[]>>
}

/** Adds related records to records. */
export interface Expander {
  /**
   * Follows the relations that `text` names (`user,qpu.drivers_via_qpu`), up to 6 levels deep. Related
   * records are included if their view rule allows it; unknown names are ignored. Never throws for invalid
   * names.
   */
  expand<C extends AnyCollection>(
    tx: SqlReader,
    collection: C,
    records: readonly RecordOf<C>[],
    text: string,
    requestInfo: RequestInfo,
    limits?: ExpandLimits,
  ): Expanded[]
}

/** Bounds of one expansion. */
export interface ExpandLimits {
  /** Records that refer to one of the expanded ones, in total. */
  readonly backRecords: number
  /** Whether the large fields of related records are left out: they are not read, and null. */
  readonly isSlim: boolean
}

interface ExpandDependencies {
  readonly catalog: Catalog
  readonly rules: RuleBook
  readonly planOf: (collection: AnyCollection) => Plan
}

const MAX_DEPTH = 6
const MAX_CHARACTERS = 3_500
/** Limited because each name is a query. */
const MAX_NAMES = 50
const DEFAULT_LIMITS: ExpandLimits = { backRecords: 1_000, isSlim: false }
/** In SQLite, a negative LIMIT means no limit. */
const NO_LIMIT = -1

/** The names to expand, each with the names to expand below it. */
type Tree = Map<string, Tree>

/** An expander that applies the view rules of `rules`. */
export function createExpander(dependencies: ExpandDependencies): Expander {
  return {
    expand: <C extends AnyCollection>(
      tx: SqlReader,
      collection: C,
      records: readonly RecordOf<C>[],
      text: string,
      requestInfo: RequestInfo,
      limits: ExpandLimits = DEFAULT_LIMITS,
    ) => {
      const request: Request = {
        ...dependencies,
        tx,
        limits,
        requestInfo: { ...requestInfo, context: 'expand' },
      }
      // Generic code reads fields by declared name; see createRecordReader.
      return expandLevel(request, collection, records as readonly AnyRecord[], parsePaths(text))
    },
  }
}

interface Request extends ExpandDependencies {
  readonly tx: SqlReader
  readonly requestInfo: RequestInfo
  readonly limits: ExpandLimits
}

function parsePaths(text: string): Tree {
  const root: Tree = new Map()
  if (text.length > MAX_CHARACTERS) return root
  let names = 0
  for (const path of text.split(',')) {
    let level = root
    for (const name of path.trim().split('.').slice(0, MAX_DEPTH)) {
      const next: Tree = level.get(name) ?? new Map()
      if (!level.has(name) && ++names > MAX_NAMES) return root
      level.set(name, next)
      level = next
    }
  }
  return root
}

function expandLevel(
  request: Request,
  collection: AnyCollection,
  records: readonly AnyRecord[],
  tree: Tree,
): Expanded[] {
  const steps =
    records.length === 0
      ? []
      : [...tree].flatMap(([name, below]) => step(request, collection, records, name, below) ?? [])
  return records.map((record) => {
    if (steps.length === 0) return { collection, record }
    const found = steps.flatMap(({ name, of }) => {
      const related = of(record)
      return related === undefined ? [] : [[name, related] as const]
    })
    return { collection, record, expand: Object.fromEntries(found) }
  })
}

/** One relation to expand, and its related records for a given record. */
interface Step {
  readonly name: string
  of(record: AnyRecord): Expanded | readonly Expanded[] | undefined
}

function step(
  request: Request,
  collection: AnyCollection,
  records: readonly AnyRecord[],
  name: string,
  below: Tree,
): Step | undefined {
  const { catalog, requestInfo } = request
  const caller = callerOf(requestInfo)
  const found = fieldOf({ caller }, collection, name)
  if (found === undefined) {
    const back = backRelation({ catalog, caller }, collection, name)
    return back && backStep(request, records, name, back, below)
  }
  if (found === 'hidden' || !found.field.reference) return undefined
  const { to, isList } = found.field.reference
  const target = collectionOf(catalog, to)
  const ids = new Set(records.flatMap((record) => idsOf(record[name])))
  const related = target && visible(request, target, ids, below, `${BASE}."id" IN ${IDS}`, NO_LIMIT)
  if (!related) return undefined
  const byId = new Map(related.map((each) => [each.record.id, each]))
  return {
    name,
    of: (record) =>
      oneOrMany(
        idsOf(record[name]).flatMap((id) => byId.get(id) ?? []),
        isList,
      ),
  }
}

const IDS = jsonValues('$ids')

function backStep(
  request: Request,
  records: readonly AnyRecord[],
  name: string,
  { collection, name: fieldName, reference, single }: BackRelation,
  below: Tree,
): Step | undefined {
  const condition = reference.holds(`${BASE}.${quoted(fieldName)}`, `IN ${IDS}`)
  const ids = new Set(records.map(({ id }) => id))
  const related = visible(request, collection, ids, below, condition, request.limits.backRecords)
  if (!related) return undefined
  const byTarget = new Map<string, Expanded[]>()
  for (const each of related) {
    for (const id of idsOf(each.record[fieldName])) {
      const before = byTarget.get(id)
      if (before) before.push(each)
      else byTarget.set(id, [each])
    }
  }
  return { name, of: (record) => oneOrMany(byTarget.get(record.id) ?? [], !single) }
}

/**
 * The related records that the caller may view, themselves expanded; undefined when only superusers may view
 * any.
 */
function visible(
  request: Request,
  collection: AnyCollection,
  ids: ReadonlySet<string>,
  below: Tree,
  condition: string,
  limit: number,
): Expanded[] | undefined {
  const { tx, requestInfo, rules, planOf, catalog } = request
  const access = rules.access(collection, catalog.rulesOf(collection).view, requestInfo)
  if (access === 'nobody') return undefined
  const rule = access === 'everybody' ? { sql: '1', bind: () => ({}) } : access
  const plan = planOf(collection)
  const suffix = `AS ${BASE} WHERE ${condition} AND (${rule.sql}) ORDER BY ${BASE}."seq" LIMIT $limit`
  const params = { ...rule.bind(requestInfo, tx.now), ids: JSON.stringify([...ids]), limit }
  const rows = tx.all<Record<string, unknown>>(...bounded(request, collection, suffix, params))
  return expandLevel(
    request,
    collection,
    rows.map((row) => plan.record(row)),
    below,
  )
}

/**
 * The statement for these records, or for as many of them as fit into one response where they may be large.
 */
function bounded(
  { tx, planOf, limits }: Request,
  collection: AnyCollection,
  suffix: string,
  params: Params,
): [sql: string, params: Params] {
  const large = largeFieldsOf(collection)
  const plan = planOf(collection)
  const select = limits.isSlim ? plan.selectWithout(large) : plan.select
  if (large.length === 0 || limits.isSlim) return [`${select} ${suffix}`, params]
  const sized = tx.all<{ id: string; bytes: number }>(
    `SELECT ${BASE}."id", ${lengthOf(collection, large)} AS bytes FROM ${quoted(collection.name)} ${suffix}`,
    params,
  )
  const sql = `${select} AS ${BASE} WHERE ${BASE}."id" IN ${IDS} ORDER BY ${BASE}."seq"`
  return [sql, { ids: JSON.stringify(fitting(sized)) }]
}

function idsOf(value: unknown): string[] {
  const ids = Array.isArray(value) ? value : [value]
  return ids.filter((id): id is string => typeof id === 'string' && id !== '')
}

function oneOrMany(
  related: readonly Expanded[],
  isMany: boolean,
): Expanded | readonly Expanded[] | undefined {
  return isMany && related.length > 0 ? related : related[0]
}
