import { BASE, type Condition, type Effort, followsBack, type Term } from '../filter/index.ts'
import { lengthOf } from '../records/page-size.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { MAX_ROW_BYTES } from '../schema/fields/index.ts'
import { lengthSql } from '../schema/large-values.ts'
import { RECORD_BYTES } from '../schema/stored-bytes.ts'
import { type Params, quoted, type SqlReader, type Statement } from '../sqlite/sql.ts'
import type { CompiledList } from './compiled-list.ts'
import { KnownNumbers } from './known-numbers.ts'

/**
 * A step is about a microsecond of the event loop: reading one row through an index. A list of more steps is
 * read by a reader process, which costs about a millisecond more but delays nobody.
 */
const MAX_STEPS = 5_000
/** Rows that an estimate counts at most; each takes less than a step. */
const MAX_COUNTED_ROWS = 5_000
/** Comparisons of columns per step. */
const COMPARISONS = 4
/** Steps of following one relation. */
const JOIN_STEPS = 2
/** Bytes of JSON parsed per step. */
const DOCUMENT_BYTES = 100
/** Comparisons of a character of a text with one of a pattern, per step. */
const MATCHED_CHARACTERS = 200
/** Bytes of a row read past, because its columns follow them, per step. */
const PASSED_BYTES = 1_000
/** Rows counted without a condition, per step. */
const PLAIN_ROWS = 10
/** Length assumed for a text or a pattern of another record. */
const UNKNOWN_CHARACTERS = 5_000

/** Plans of SQLite that are kept: clients choose the filters. */
const MAX_PLANS = 500

interface Estimate {
  isCostly(tx: SqlReader): boolean
  isCountCostly(tx: SqlReader): boolean
}

/** Estimates of the cost of lists. */
export type ListCosts = (
  list: CompiledList & { readonly ids: Statement; readonly params: Params },
) => Estimate

/** Creates the estimates, with a cache of SQLite's plans and of what was counted. */
export function createListCosts(): ListCosts {
  const plans = new Map<string, Access>()
  const counts = new KnownNumbers()

  function accessOf(tx: SqlReader, { sql, params }: Statement): Access {
    const known = plans.get(sql)
    if (known) return known
    const access = readAccess(tx.planOf(sql, params))
    if (plans.size >= MAX_PLANS) plans.clear()
    plans.set(sql, access)
    return access
  }

  return (list) => {
    const { collection, rule, filter, order, ids, params, page, perPage } = list
    const conditions = [rule, filter, order].filter((each) => each !== undefined && each !== 'everybody')
    const isUnbounded = conditions.some(
      ({ load, effort }) => followsBack(load) || effort.readsForeignDocuments,
    )
    const perRow = stepsPerRow(conditions)
    let steps: number | undefined
    const counted = (tx: SqlReader, { used }: Served) => {
      steps ??= counts.get(tx, { sql: ids.sql, params }, () =>
        countSteps(tx, { collection, params, used, perRow, conditions }),
      )
      return steps
    }
    return {
      isCostly(tx) {
        if (isUnbounded) return true
        const served = servedBy(accessOf(tx, ids), conditions)
        const steps = served.inOrder ? page * perPage * perRow : counted(tx, served)
        return steps > MAX_STEPS
      },
      isCountCostly(tx) {
        const isPlain = conditions.every(
          ({ terms, otherTerms }) => otherTerms === 0 && terms.every(({ column }) => column === undefined),
        )
        if (isPlain) return spanOf(tx, collection) / PLAIN_ROWS > MAX_STEPS
        return counted(tx, servedBy(accessOf(tx, ids), conditions)) > MAX_STEPS
      },
    }
  }
}

/**
 * Whether a test of values that are not stored takes longer than the event loop can wait; `lengthOf` =
 * characters of a field.
 */
export function isTestCostly({ documents, matches }: Effort, lengthOf: (field: string) => number): boolean {
  const parsed = [...documents].reduce((sum, name) => sum + lengthOf(name) / DOCUMENT_BYTES, 0)
  const matched = matches.reduce((sum, { field, characters = UNKNOWN_CHARACTERS }) => {
    const length = field === undefined ? UNKNOWN_CHARACTERS : lengthOf(field)
    return sum + (characters * length) / MATCHED_CHARACTERS
  }, 0)
  return parsed + matched > MAX_STEPS
}

/** How SQLite reads the table of a list. */
interface Access {
  /** What the used index compares: `user_id=`, `created>`; empty for a scan. */
  readonly constraints: readonly string[]
  readonly isSorted: boolean
}

function readAccess(details: readonly string[]): Access {
  const own = details.find((detail) => new RegExp(`^(?:SEARCH|SCAN) ${BASE}\\b`).test(detail)) ?? ''
  // `SEARCH b USING INDEX name (type=? AND (ts,id)<(?,?))`
  const compared = /^SEARCH [^(]*\((.*)\)$/.exec(own)?.[1] ?? ''
  return {
    constraints: compared === '' ? [] : compared.split(' AND ').map((each) => each.replace(/\?$/, '')),
    isSorted: details.some((detail) => detail.startsWith('USE TEMP B-TREE')),
  }
}

/** Which terms the index serves. */
interface Served {
  readonly used: readonly Term[]
  /** Whether the rows that the index finds are the list, in its order: then a page reads no others. */
  readonly inOrder: boolean
}

function servedBy({ constraints, isSorted }: Access, conditions: readonly Condition[]): Served {
  const open = [...constraints]
  const used: Term[] = []
  let others = conditions.reduce((sum, { otherTerms }) => sum + otherTerms, 0)
  for (const term of conditions.flatMap(({ terms }) => terms)) {
    if (term.column === undefined) continue
    // SQLite shows >= as >.
    const at = open.indexOf(`${term.column}${term.operator.replace(/^([<>])=$/, '$1')}`)
    if (at < 0) others += 1
    else used.push(...open.splice(at, 1).map(() => term))
  }
  return { used, inOrder: !isSorted && others === 0 }
}

/** Steps of testing any row. */
function stepsPerRow(conditions: readonly Condition[]): number {
  const comparisons = conditions.reduce((sum, { effort }) => sum + effort.comparisons, 0)
  const joins = conditions.reduce((sum, { sql }) => sum + sql.split('JOIN ').length - 1, 0)
  return 1 + comparisons / COMPARISONS + joins * JOIN_STEPS
}

/** The further steps that depend on the sizes in a row. */
interface SizeSteps {
  /** SQL for the steps of reading past the documents in a row; undefined when there are none. */
  readonly passing: string | undefined
  /** SQL for the steps of reading documents and searching texts. */
  readonly reading: readonly string[]
}

function sizeSteps(collection: AnyCollection, conditions: readonly Condition[]): SizeSteps {
  const efforts = conditions.map(({ effort }) => effort)
  const documents = [...new Set(efforts.flatMap((effort) => [...effort.documents]))]
  const inline = Object.entries(collection.fields).flatMap(([name, { kind }]) =>
    kind.isDocument ? [`coalesce(octet_length(${BASE}.${quoted(name)}), 0)`] : [],
  )
  const matches = efforts
    .flatMap((effort) => effort.matches)
    .map(({ field, characters = UNKNOWN_CHARACTERS }) => {
      const text = field === undefined ? UNKNOWN_CHARACTERS : `coalesce(${lengthSql(collection, field)}, 0)`
      return `${characters} * ${text} / ${MATCHED_CHARACTERS}`
    })
  const parsed = documents.length > 0 ? [`(${lengthOf(collection, documents)}) / ${DOCUMENT_BYTES}`] : []
  return {
    passing: inline.length > 0 ? `(${inline.join(' + ')}) / ${PASSED_BYTES}` : undefined,
    reading: [...parsed, ...matches],
  }
}

/** What is counted for an estimate. */
interface Counting {
  readonly collection: AnyCollection
  readonly params: Params
  readonly used: readonly Term[]
  readonly perRow: number
  readonly conditions: readonly Condition[]
}

/**
 * Steps of testing all rows that the used terms leave; infinite when there are too many to count them. What
 * takes time is done only if the step before it shows too many steps: counting the rows, and reading their
 * sizes, which takes as long as the list itself.
 */
function countSteps(tx: SqlReader, counting: Counting): number {
  const { collection, params, used, perRow, conditions } = counting
  const bound = boundOf(tx, counting)
  if (used.length === 0 && bound.rows > MAX_COUNTED_ROWS) return Number.POSITIVE_INFINITY
  const { passing, reading } = sizeSteps(collection, conditions)
  const maxPassing = (rows: number, bytes: number) =>
    passing === undefined ? 0 : Math.min(bytes, rows * bound.rowBytes) / PASSED_BYTES
  const most = bound.rows * perRow + maxPassing(bound.rows, bound.bytes)
  if (reading.length === 0 && most <= MAX_STEPS) return most

  const where = used.length === 0 ? '' : ` WHERE ${used.map(({ sql }) => sql).join(' AND ')}`
  const rowsOf = (columns: string) =>
    `(SELECT ${columns} FROM ${quoted(collection.name)} AS ${BASE}${where} LIMIT $cost_limit)`
  const limited = { ...params, cost_limit: MAX_COUNTED_ROWS + 1 }
  const rows = tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${rowsOf('1')}`, limited)?.rows ?? 0
  if (rows > MAX_COUNTED_ROWS) return Number.POSITIVE_INFINITY
  const steps = rows * perRow
  if (steps > MAX_STEPS) return steps
  const counted = steps + maxPassing(rows, Math.max(0, bound.bytes - rows * RECORD_BYTES))
  if (reading.length === 0 && counted <= MAX_STEPS) return counted

  const ofSizes = [...(passing === undefined ? [] : [passing]), ...reading].join(' + ')
  const sizes = tx.one<{ steps: number }>(
    `SELECT total(steps) AS steps FROM ${rowsOf(`${ofSizes} AS steps`)}`,
    limited,
  )
  return steps + (sizes?.steps ?? 0)
}

/** Upper bounds that are known without reading the rows; infinite where nothing is known. */
interface Bound {
  readonly rows: number
  /** Of the documents in all the rows, and `RECORD_BYTES` for each. */
  readonly bytes: number
  /** Of the documents in one row. */
  readonly rowBytes: number
}

/** If all rows are of one owner, the bytes that are counted for the owner bound them. */
function boundOf(tx: SqlReader, { collection, params, used }: Counting): Bound {
  const { owner, fields } = collection
  const documents = Object.values(fields).filter(({ kind }) => kind.isDocument).length
  const rowBytes = documents * MAX_ROW_BYTES
  const term = used.find(({ column, operator }) => column === owner && operator === '=')
  if (owner !== undefined && term) {
    const sql =
      `SELECT ${BASE}.bytes FROM (SELECT "user" AS ${quoted(owner)}, bytes FROM user_bytes) AS ${BASE} ` +
      `WHERE ${term.sql}`
    const bytes = tx.one<{ bytes: number }>(sql, params)?.bytes ?? Number.POSITIVE_INFINITY
    return { rows: bytes / RECORD_BYTES, bytes, rowBytes }
  }
  const rows = used.length === 0 ? spanOf(tx, collection) : Number.POSITIVE_INFINITY
  return { rows, bytes: Number.POSITIVE_INFINITY, rowBytes }
}

/** An upper bound of the number of rows, known without counting them. */
function spanOf(tx: SqlReader, collection: AnyCollection): number {
  const table = quoted(collection.name)
  const span = tx.one<{ rows: number | null }>(
    `SELECT (SELECT max(seq) FROM ${table}) - (SELECT min(seq) FROM ${table}) AS rows`,
  )
  return (span?.rows ?? 0) + 1
}
