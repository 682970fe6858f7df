import { AppError, describeBytes, MIB } from '../../base/index.ts'
import { type Params, quoted, type SqlReader } from '../engine/sql.ts'
import { BASE, type Catalog, type RequestInfo } from '../filter/index.ts'
import { type BackRelation, backRelation } from '../filter/resolve/back-relation.ts'
import { collectionOf, fieldOf } from '../filter/resolve/context.ts'
import { fitting, lengthOf, MAX_LARGE_BYTES, unreadFields } from '../records/page-size.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import { indexOrderOf } from '../schema/tables.ts'
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
   * @throws AppError `invalid`, reason `expand_too_large`, when this would read or return too many records.
   */
  expand<C extends AnyCollection>(
    tx: SqlReader,
    collection: C,
    records: readonly RecordOf<C>[],
    text: string,
    requestInfo: RequestInfo,
    limits?: Partial<ExpandLimits>,
  ): Expanded[]
}

/** Bounds of one expansion. */
export interface ExpandLimits {
  /** Records that refer to one of the expanded ones, in total. */
  readonly backRecords: number
  /** Whether the large fields of related records are left out: they are not read, and null. */
  readonly isSlim: boolean
  /** Shared by the calls for one response; a new one for each call by default. */
  readonly budget?: ExpandBudget
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
/** Related records that one call reads; reading and presenting them takes some 30 ms. */
const MAX_READ = 2_000
/** Related records in a response, each counted as often as it appears. */
const MAX_SHOWN = 10_000
/** Bytes of the large fields of related records that one call reads; a single record is always read. */
const MAX_READ_BYTES = 2 * MIB
/** Rows of a table in which a relation without an index may be searched. */
const MAX_SCANNED = 5_000

/**
 * What is left of the limits of a response whose records are expanded by several calls: related records, and
 * bytes of their large fields, each counted as often as it appears. A sum of one response, for which nothing
 * waits and to which nothing returns, and thus no `Budget`. The attack `expand-deep` needs it: 1,000 records
 * are expanded in ten calls, each within the limits of a call.
 */
interface ExpandBudget {
  records: number
  bytes: number
}

/** The budget of one response. */
export function createExpandBudget(): ExpandBudget {
  return { records: MAX_SHOWN, bytes: MAX_LARGE_BYTES }
}

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
      given: Partial<ExpandLimits> = {},
    ) => {
      const limits = { ...DEFAULT_LIMITS, ...given }
      const request: Request = {
        ...dependencies,
        tx,
        limits,
        budget: limits.budget ?? createExpandBudget(),
        requestInfo: { ...requestInfo, context: 'expand' },
        read: { records: 0, bytes: 0, sizes: new Map() },
      }
      // Generic code reads fields by declared name; see createRecordReader.
      const roots = expandLevel(request, collection, records as readonly AnyRecord[], parsePaths(text))
      charge(request, roots)
      return roots
    },
  }
}

interface Request extends ExpandDependencies {
  readonly tx: SqlReader
  readonly requestInfo: RequestInfo
  readonly limits: ExpandLimits
  readonly budget: ExpandBudget
  /** The records that were read, and the bytes of their large fields. */
  readonly read: { records: number; bytes: number; readonly sizes: Map<AnyRecord, number> }
}

function tooLarge(): AppError {
  return new AppError(
    'invalid',
    `expand would return more than ${MAX_SHOWN} related records or ${describeBytes(MAX_LARGE_BYTES)} of their programs, results and reports, ` +
      `or ${MAX_READ} different ones per 100 records; name fewer relations, or request fewer records with perPage`,
    { reason: 'expand_too_large' },
  )
}

/** Takes all related records from the budget, each as often as it will appear. */
function charge({ budget, read }: Request, roots: readonly Expanded[]): void {
  const known = new Map<Expanded, ExpandBudget>()
  function below(each: Expanded): ExpandBudget {
    const before = known.get(each)
    if (before) return before
    const sum = { records: 0, bytes: 0 }
    for (const child of Object.values(each.expand ?? {}).flat()) {
      const { records, bytes } = below(child)
      sum.records += records + 1
      sum.bytes += bytes + (read.sizes.get(child.record) ?? 0)
    }
    known.set(each, sum)
    return sum
  }
  for (const root of roots) {
    const { records, bytes } = below(root)
    budget.records -= records
    budget.bytes -= bytes
  }
  if (budget.records < 0 || budget.bytes < 0) throw tooLarge()
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
  const related = target && visible(request, target, below, () => [...ids])
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

function backStep(
  request: Request,
  records: readonly AnyRecord[],
  name: string,
  back: BackRelation,
  below: Tree,
): Step | undefined {
  const { collection, name: fieldName, single } = back
  const ids = new Set(records.map(({ id }) => id))
  const related = visible(request, collection, below, (rule) => referring(request, name, back, ids, rule))
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

/** A view rule as SQL, with its parameters. */
interface ViewRule {
  readonly sql: string
  readonly params: Params
}

/**
 * The ids of the visible records that refer to one of `ids`: the first ones of each, in the order of the
 * index that finds them, up to the limit together.
 * @throws AppError `invalid` when no index finds them in a large table.
 */
function referring(
  { tx, limits }: Request,
  name: string,
  { collection, name: fieldName, reference }: BackRelation,
  ids: ReadonlySet<string>,
  rule: ViewRule,
): string[] {
  const column = `${BASE}.${quoted(fieldName)}`
  const order = indexOrderOf(collection, fieldName)
  const orderBy = (order ?? ['seq']).map((each) => `${BASE}.${quoted(each)}`).join(', ')
  const select = (condition: string) =>
    `SELECT ${BASE}."id" FROM ${quoted(collection.name)} AS ${BASE} WHERE ${condition} AND (${rule.sql})
      ORDER BY ${orderBy} LIMIT $limit`
  const found: string[] = []
  const add = (sql: string, params: Params) => {
    const limit = limits.backRecords - found.length
    if (limit <= 0) return
    for (const { id } of tx.all<{ id: string }>(sql, { ...rule.params, ...params, limit })) found.push(id)
  }
  if (order) {
    // One by one and in the order of the index: otherwise SQLite would sort all records before the limit.
    const sql = select(reference.holds(tx.dialect, column, '= $target'))
    for (const target of ids) add(sql, { target })
    return found
  }
  assertScannable(tx, name, collection)
  add(select(reference.holds(tx.dialect, column, `IN ${tx.dialect.jsonTexts('$ids')}`)), {
    ids: JSON.stringify([...ids]),
  })
  return found
}

function assertScannable(tx: SqlReader, name: string, { name: table }: AnyCollection): void {
  const span = tx.one<{ rows: number | null }>(
    `SELECT (SELECT max(seq) FROM ${quoted(table)}) - (SELECT min(seq) FROM ${quoted(table)}) AS rows`,
  )
  if ((span?.rows ?? 0) < MAX_SCANNED) return
  throw new AppError(
    'invalid',
    `${name} has no index and cannot be expanded; list these records with a filter`,
    {
      reason: 'expand_too_large',
    },
  )
}

/**
 * The related records that the caller may view, themselves expanded; undefined when only superusers may view
 * any. `find` returns their ids.
 */
function visible(
  request: Request,
  collection: AnyCollection,
  below: Tree,
  find: (rule: ViewRule) => readonly string[],
): Expanded[] | undefined {
  const { tx, requestInfo, rules, planOf, catalog, read, limits } = request
  const access = rules.access(collection, catalog.rulesOf(collection).view, requestInfo)
  if (access === 'nobody') return undefined
  const rule =
    access === 'everybody'
      ? { sql: 'TRUE', params: {} }
      : { sql: access.sql, params: access.bind(requestInfo, tx.now) }
  const ids = find(rule)
  read.records += ids.length
  if (read.records > MAX_READ) throw tooLarge()
  const sizes = sizesOf(request, collection, ids)
  const plan = planOf(collection)
  const select = plan.selectShort(limits.isSlim ? unreadFields(collection, 'id') : {})
  const rows = tx.all<Record<string, unknown>>(
    `${select} AS ${BASE} WHERE ${BASE}."id" IN ${tx.dialect.jsonTexts('$ids')} AND (${rule.sql}) ORDER BY ${BASE}."seq"`,
    { ...rule.params, ids: JSON.stringify(sizes ? fitting(sizes, MAX_READ_BYTES - read.bytes) : ids) },
  )
  const bytesOf = new Map(sizes?.map(({ id, bytes }) => [id, bytes]))
  const related = rows.map((row) => {
    const record = plan.record(row)
    const bytes = bytesOf.get(record.id)
    if (bytes !== undefined) read.sizes.set(record, bytes)
    read.bytes += bytes ?? 0
    return record
  })
  return expandLevel(request, collection, related, below)
}

/** The bytes of the large fields of records; undefined where there are none. */
function sizesOf(
  { tx, limits }: Request,
  collection: AnyCollection,
  ids: readonly string[],
): { id: string; bytes: number }[] | undefined {
  const length = lengthOf(collection)
  if (length === '' || limits.isSlim) return undefined
  return tx.all(
    `SELECT "id", ${length} AS bytes FROM ${quoted(collection.name)}
      WHERE "id" IN ${tx.dialect.jsonTexts('$ids')} ORDER BY "seq"`,
    { ids: JSON.stringify(ids) },
  )
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
