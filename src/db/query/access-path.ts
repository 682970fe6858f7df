import { MIB } from '../../base/index.ts'
import { quoted, type SqlReader } from '../engine/sql.ts'
import type { Condition, Order, Term } from '../filter/index.ts'
import { type AnyCollection, columnOf } from '../schema/collection.ts'
import { fullIndexesOf } from '../schema/tables.ts'
import type { CompiledList } from './compiled-list.ts'

/** Records from the beginning of a list up to the end of a page: the longest first page. */
export const MAX_PASSED = 1_000
/** Rows of a table that is small enough to be read as a whole for a page: a few ms. */
const MAX_SMALL_ROWS = 200
/** Stored bytes of a user whose records may all be read for a page; each record counts `RECORD_BYTES`. */
const MAX_SMALL_BYTES = 2 * MIB

/**
 * The rule that decides where a list is read. The event loop reads one whose rows an index of the collection
 * finds in the order of the list, because a page then reads no others; and any of a small table that compares
 * stored values only. A reader process reads every other one, with a limit of processor time.
 */
export interface AccessPath {
  /** Whether an index finds the rows in their order. */
  readonly isIndexed: boolean
  /** Whether testing a row takes microseconds. */
  readonly isLight: boolean
  /** Id of the user whose records an index finds, and no others are tested. */
  readonly owner?: string | undefined
}

/** Finds the access paths of lists. */
export type AccessPaths = (list: CompiledList) => AccessPath

/** Creates the rule, with a cache of the indexes of each collection. */
export function createAccessPaths(): AccessPaths {
  const known = new Map<AnyCollection, ReturnType<typeof fullIndexesOf>>()
  return (list) => {
    const indexes = known.get(list.collection) ?? fullIndexesOf(list.collection)
    known.set(list.collection, indexes)
    return accessPathOf(list, indexes)
  }
}

function accessPathOf(list: CompiledList, indexes: ReturnType<typeof fullIndexesOf>): AccessPath {
  const { collection, rule, filter, order, page, perPage } = list
  const conditions = [rule, filter, order].filter((each) => each !== undefined && each !== 'everybody')
  const isLight = conditions.every(isLightCondition)
  const terms = conditions.flatMap((condition) => condition.terms)
  const isOne = isLight && terms.some((term) => isEqual(term) && isUnique(collection, term.column))
  const isInOrder =
    page * perPage <= MAX_PASSED &&
    conditions.every(({ otherTerms }) => otherTerms === 0) &&
    indexes.some((columns) => serves(columns, { ...list, order, terms }))
  return { isIndexed: isOne || isInOrder, isLight, owner: ownerOf(list, indexes, terms) }
}

/** The one user whose records the list tests, in the order of an index that begins with them. */
function ownerOf(
  { collection, order, start }: CompiledList,
  indexes: ReturnType<typeof fullIndexesOf>,
  terms: readonly Term[],
): string | undefined {
  const { owner = '', fields } = collection
  const field = fields[owner]
  if (!field) return undefined
  const column = columnOf(owner, field)
  const own = terms.filter((term) => isEqual(term) && term.column === column)
  const [id] = own.flatMap(({ literal }) => (typeof literal === 'string' ? literal : []))
  return indexes.some((columns) => serves(columns, { order, terms: own, start })) ? id : undefined
}

/** Whether the rows that a list tests are few, and each takes microseconds. */
export function isSmall(
  tx: SqlReader,
  { collection, isLight, owner }: AccessPath & { readonly collection: AnyCollection },
): boolean {
  if (!isLight) return false
  if (owner !== undefined && isSmallOwner(tx, owner)) return true
  const table = quoted(collection.name)
  const span = tx.one<{ rows: number | null }>(
    `SELECT (SELECT max(seq) FROM ${table}) - (SELECT min(seq) FROM ${table}) AS rows`,
  )
  // Two look-ups, since removed rows count too.
  return (span?.rows ?? 0) < MAX_SMALL_ROWS
}

function isSmallOwner(tx: SqlReader, user: string): boolean {
  const stored = tx.one<{ bytes: number }>('SELECT job_bytes AS bytes FROM users WHERE id = $user', { user })
  return (stored?.bytes ?? Number.POSITIVE_INFINITY) <= MAX_SMALL_BYTES
}

function isLightCondition({ reads }: Condition): boolean {
  const { documents, readsForeignDocuments, followsBack, matches } = reads
  return documents.size === 0 && !readsForeignDocuments && !followsBack && matches.length === 0
}

type Compared = Term & { readonly column: string }

function isEqual(term: Term): term is Compared {
  return term.column !== undefined && term.operator === '='
}

function isUnique({ fields }: AnyCollection, column: string): boolean {
  return (
    column === 'id' ||
    Object.entries(fields).some(
      ([name, field]) => field.unique && field.required && columnOf(name, field) === column,
    )
  )
}

/**
 * Whether an index begins with the columns that have one value, continues with the columns of the order, and
 * is bounded at the first of those only.
 */
function serves(
  columns: readonly string[],
  { order, terms, start }: Pick<CompiledList, 'start'> & { order: Order; terms: readonly Term[] },
): boolean {
  const { keyset } = order
  if (!keyset) return false
  const fixed = new Set(terms.filter(isEqual).map(({ column }) => column))
  if (!columns.slice(0, fixed.size).every((column) => fixed.has(column)) || fixed.size > columns.length)
    return false
  const rest = [...columns.slice(fixed.size), 'seq']
  const sorted = keyset.columns.filter((column) => !fixed.has(column))
  if (rest.indexOf('seq') !== sorted.length - 1 || sorted.some((column, at) => column !== rest[at]))
    return false
  const ranges = terms.filter((term) => term.column !== undefined && !isEqual(term))
  if (ranges.some(({ column }) => column !== sorted[0])) return false
  if (!start) return true
  // SQLite searches for one bound in each direction, which has to be the record that the page follows.
  const from = keyset.descending ? '<' : '>'
  return sorted.length === keyset.columns.length && ranges.every(({ operator }) => !operator.startsWith(from))
}
