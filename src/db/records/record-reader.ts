import type { Dialect } from '../engine/dialect.ts'
import { type Bindable, quoted, type SqlReader } from '../engine/sql.ts'
import type { AnyCollection, RecordOf } from '../schema/collection.ts'
import type { Unread } from '../schema/large-values.ts'
import type { AnyRecord, Plan } from '../schema/plan.ts'
import { loader } from './stored-values.ts'

/** The records that `list` returns, and their order; insertion order by default. */
interface ListQuery<C extends AnyCollection> {
  /** Only these records, in this order; without sort, limit and offset. */
  ids?: readonly string[]
  where?: Partial<RecordOf<C>>
  /**
   * Comma-separated field names, descending with a leading `-`: `-created,name`; `seq` is the insertion
   * order.
   */
  sort?: string
  limit?: number
  offset?: number
  /** Large fields to leave out, which are null in the records. */
  without?: Unread
  /** Large values of more bytes stay in the database, see `StoredJson`; none by default. */
  most?: number | undefined
}

/** Typed reads of records inside a transaction. */
export interface RecordReader {
  /** `most`: large values of more bytes stay in the database, see `StoredJson`; none by default. */
  find<C extends AnyCollection>(collection: C, id: string, most?: number): RecordOf<C> | undefined
  /** The first record in insertion order whose fields equal all those in `where`. */
  findBy<C extends AnyCollection>(collection: C, where: Partial<RecordOf<C>>): RecordOf<C> | undefined
  list<C extends AnyCollection>(collection: C, query?: ListQuery<C>): RecordOf<C>[]
  /** States that this record was read by another query, so that a reference to it is not looked up. */
  noteFound(collection: AnyCollection, id: string): void
  /** Whether a record with this id was found before, and not forgotten since. */
  hasFound(collection: string, id: unknown): boolean
  /** A record is removed. */
  forget(collection: string, id: string): void
}

/**
 * Typed reads on top of SQL. All methods throw TypeError for undeclared names. The plan of a collection
 * decodes exactly its declared fields, so its records have the type derived from the same declaration; `as`
 * states that where the declaration is known only as a type parameter.
 */
export function createRecordReader(
  sql: SqlReader,
  planOf: (collection: AnyCollection) => Plan,
): RecordReader {
  const found: { name: string; records: readonly { id: string }[] }[] = []
  const rows = (
    collection: AnyCollection,
    tail: string,
    params: Record<string, Bindable>,
    { without = {}, most }: Pick<ListQuery<AnyCollection>, 'without' | 'most'> = {},
  ): AnyRecord[] => {
    const plan = planOf(collection)
    const select = plan.selectShort(without, most)
    const load = loader(sql, collection)
    const selected = sql.all<Record<string, unknown>>(`${select}${tail}`, params)
    const records = selected.map((row) => plan.record(row, load))
    found.push({ name: collection.name, records })
    return records
  }
  return {
    noteFound: ({ name }, id) => void found.push({ name, records: [{ id }] }),
    hasFound: (collection, id) =>
      found.some(({ name, records }) => name === collection && records.some((each) => each.id === id)),
    forget(collection, id) {
      for (const { name, records } of found.splice(0)) {
        if (name !== collection || records.every((each) => each.id !== id)) found.push({ name, records })
      }
    },
    find: <C extends AnyCollection>(collection: C, id: string, most?: number) =>
      rows(collection, ' WHERE id = $id', { id }, { most })[0] as RecordOf<C> | undefined,
    findBy: <C extends AnyCollection>(collection: C, where: Partial<RecordOf<C>>) => {
      const { condition, params } = conditionOf(sql.dialect, planOf(collection), where)
      return rows(collection, `${condition} ORDER BY seq LIMIT 1`, params)[0] as RecordOf<C> | undefined
    },
    list: <C extends AnyCollection>(collection: C, query: ListQuery<C> = {}) => {
      const plan = planOf(collection)
      const { ids } = query
      if (!ids) {
        const { condition, params } = conditionOf(sql.dialect, plan, query.where ?? {})
        const order = orderOf(plan, query.sort ?? '')
        const page = pageOf(query)
        const tail = `${condition} ORDER BY ${order}${page.sql}`
        return rows(collection, tail, { ...params, ...page.params }, query) as RecordOf<C>[]
      }
      // An index of another column would read, say, all records of a user to find the few with these ids.
      const { condition, params } = conditionOf(sql.dialect, plan, query.where ?? {}, { usesIndexes: false })
      const among = `${condition === '' ? ' WHERE' : `${condition} AND`} "id" IN ${sql.dialect.jsonTexts('$ids')}`
      const listed = rows(collection, among, { ...params, ids: JSON.stringify(ids) }, query)
      const byId = new Map(listed.map((record) => [record.id, record]))
      return ids.flatMap((id) => byId.get(id) ?? []) as RecordOf<C>[]
    },
  }
}

/** SQLite has an offset only behind a limit. */
function pageOf({ limit, offset }: Pick<ListQuery<AnyCollection>, 'limit' | 'offset'>) {
  if (limit === undefined && offset === undefined) return { sql: '', params: {} }
  const params = { page_limit: limit ?? Number.MAX_SAFE_INTEGER, page_offset: offset ?? 0 }
  return { sql: ' LIMIT $page_limit OFFSET $page_offset', params }
}

/** `usesIndexes`: whether the database may use the indexes of these columns. */
function conditionOf(
  { unindexed }: Dialect,
  plan: Plan,
  where: Record<string, unknown>,
  { usesIndexes = true } = {},
) {
  const params: Record<string, Bindable> = {}
  const terms: string[] = []
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) continue
    const named = quoted(plan.column(name))
    const column = usesIndexes ? named : unindexed(named)
    const field = plan.fields.find(([each]) => each === name)?.[1]
    const stored = field ? (field.kind.encode(value) ?? null) : String(value)
    params[`where_${name}`] = stored
    // An unset JSON value is NULL.
    terms.push(`${column} ${field?.kind.isDocument ? 'IS NOT DISTINCT FROM' : '='} $where_${name}`)
    // Lets SQLite use the partial index of unique values, which excludes ''.
    if (field?.unique && stored !== '') terms.push(`${column} <> ''`)
  }
  return { condition: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, params }
}

function orderOf(plan: Plan, sort: string): string {
  const keys = sort.split(',').filter((key) => key.trim() !== '')
  const terms = keys.map((key) => {
    const name = key.trim().replace(/^[-+]/, '')
    return `${quoted(plan.column(name))}${key.trim().startsWith('-') ? ' DESC' : ''}`
  })
  // Insertion order breaks ties, in the direction of the last key, so that pages do not overlap.
  const isDescending = keys.at(-1)?.trim().startsWith('-') === true
  return [...terms, isDescending ? 'seq DESC' : 'seq'].join(', ')
}
