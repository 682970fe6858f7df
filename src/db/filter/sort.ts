import { quoted } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import { type CompileOptions, type Condition, createContext } from './compile.ts'
import { badFilter, MAX_SORT_KEY_CHARACTERS, MAX_SORT_KEYS, shortened } from './language/limits.ts'
import type { Context } from './resolve/context.ts'
import { fieldOperand } from './resolve/resolve-operand.ts'
import { fromJoins } from './sql/scope.ts'

/** One key of a sort. */
interface SortKey {
  readonly name: string
  readonly descending: boolean
}

const NAME = /^(?:@random|@rowid|[_A-Za-z][A-Za-z0-9_.:]*)$/

/**
 * Parses a sort such as `-created,user.name:lower`; blank = no keys.
 * @throws AppError `invalid`, reason `bad_filter`, for empty, too many or malformed keys.
 */
export function parseSort(text: string): SortKey[] {
  if (text.trim() === '') return []
  const keys = text.split(',').map((key) => key.trim())
  if (keys.length > MAX_SORT_KEYS) {
    throw badFilter(`The sort has ${keys.length} keys; at most ${MAX_SORT_KEYS} are allowed`)
  }
  return keys.map((key) => {
    const name = key.replace(/^[-+]/, '').trim()
    if (key.length > MAX_SORT_KEY_CHARACTERS || !NAME.test(name)) {
      throw badFilter(
        `"${shortened(key)}" is not a sort key; write field names, with - in front for descending order`,
      )
    }
    return { name, descending: key.startsWith('-') }
  })
}

/** An order of rows `b`, and the condition that it implies. */
export interface Order extends Condition {
  /** The terms of ORDER BY. */
  readonly orderBy: string
  /**
   * The columns of these terms, if all are columns of the row that are never NULL, so that a page can begin
   * after any record; undefined when some are not, or differ in direction.
   */
  readonly keyset: { readonly columns: readonly string[]; readonly descending: boolean } | undefined
}

/**
 * Compiles sort keys. The rest of the index that begins with the only key breaks ties, such as the time in
 * an index by status and time; then insertion order does, so that pages do not overlap. Both are in the
 * direction of the last key, so that one index serves the whole order. `sql` is '' when the order hides no
 * rows.
 * @throws AppError `invalid` for unknown fields, those that the caller may not use, and large ones.
 */
export function compileSort(keys: readonly SortKey[], options: CompileOptions): Order {
  const context = createContext(options)
  const conditions: string[] = []
  const terms = keys.map(({ name, descending }) => {
    const { condition, ...term } = sortTerm(context, name)
    if (condition !== undefined) conditions.push(condition)
    return { ...term, descending }
  })
  const descending = keys.at(-1)?.descending ?? false
  const [only = '', ...others] = keys.map(({ name }) => name)
  const rest = others.length === 0 ? restOfIndex(options.collection, only) : []
  const lastTerms = [...rest, 'seq'].map((column) => ({ ...columnTerm(context, column), descending }))
  const all: (SortTerm & { descending: boolean })[] = [...terms, ...lastTerms]
  const columns = all.flatMap((term) =>
    term.column !== undefined && term.descending === descending ? [term.column] : [],
  )
  return {
    sql: conditions.join(' AND '),
    orderBy: all.map(orderOf).join(', '),
    keyset: columns.length === all.length ? { columns, descending } : undefined,
    terms: [],
    otherTerms: conditions.length,
    reads: context.reads,
    bind: context.binder.bind,
  }
}

/** A term of ORDER BY; without a value, records come first, and last in descending order. */
function orderOf({ sql, column, descending }: SortTerm & { descending: boolean }): string {
  const nulls = column === undefined ? ` NULLS ${descending ? 'LAST' : 'FIRST'}` : ''
  return `${sql}${descending ? ' DESC' : ''}${nulls}`
}

/** The columns after `first` in the first index that begins with it and has all rows. */
function restOfIndex({ indexes }: AnyCollection, first: string): readonly string[] {
  for (const each of indexes) {
    if ('on' in each || each[0] !== first) continue
    const [, ...rest] = each
    const seq = rest.indexOf('seq')
    return seq < 0 ? rest : rest.slice(0, seq)
  }
  return []
}

interface SortTerm {
  sql: string
  /** The column of the row, never NULL, that the term is. */
  column?: string | undefined
  condition?: string
}

function columnTerm({ alias }: Context, column: string): SortTerm {
  return { sql: `${alias}.${quoted(column)}`, column }
}

function sortTerm(context: Context, name: string): SortTerm {
  if (name === '@random') return { sql: context.catalog.dialect.random }
  if (name === '@rowid') return columnTerm(context, 'seq')
  const scope = context.newScope()
  const operand = fieldOperand(context, scope, name)
  const { guard, isLarge, column } = operand
  const sql = context.catalog.dialect.sortKey(operand)
  // Sorting copies the values, which may have megabytes each.
  if (isLarge) throw badFilter(`Records cannot be sorted by ${shortened(name)}; sort by created instead`)
  // Sorting by hidden addresses would reveal them.
  const value = guard === undefined ? sql : `CASE WHEN ${guard} THEN ${sql} END`
  if (scope.joins.length === 0) return { sql: value, column }
  const from = fromJoins(scope)
  if (scope.guards.length === 0) return { sql: `(SELECT ${value} FROM ${from} LIMIT 1)` }
  const visible = scope.guards.join(' AND ')
  return {
    sql: `(SELECT ${value} FROM ${from} WHERE ${visible} LIMIT 1)`,
    condition: `EXISTS (SELECT 1 FROM ${from} WHERE ${visible})`,
  }
}
