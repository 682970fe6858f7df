import type { AnyCollection } from '../schema/collection.ts'
import { quoted } from '../sqlite/sql.ts'
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
   * The same terms as columns of the row that are never NULL, so that a page can begin after any record;
   * undefined when some are not, or differ in direction.
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
    const { sql, condition } = sortTerm(context, name)
    if (condition !== undefined) conditions.push(condition)
    return { sql, descending }
  })
  const descending = keys.at(-1)?.descending ?? false
  const [only = '', ...others] = keys.map(({ name }) => name)
  const rest = others.length === 0 ? restOfIndex(options.collection, only) : []
  const lastTerms = [...rest, 'seq'].map((column) => columnSql(context, column))
  const isKeyset =
    keys.every(({ name }) => isStoredValue(options.collection, name)) &&
    terms.every((term) => PLAIN.test(term.sql) && term.descending === descending)
  const all = [...terms, ...lastTerms.map((sql) => ({ sql, descending }))]
  return {
    sql: conditions.join(' AND '),
    orderBy: all.map((term) => (term.descending ? `${term.sql} DESC` : term.sql)).join(', '),
    keyset: isKeyset ? { columns: all.map(({ sql }) => sql), descending } : undefined,
    terms: [],
    otherTerms: conditions.length,
    reads: context.reads,
    bind: context.binder.bind,
  }
}

/** A column of the row itself. */
const PLAIN = /^\w+\."\w+"$/

function columnSql({ alias }: Context, column: string): string {
  return `${alias}.${quoted(column)}`
}

/** Whether the column of a field is NOT NULL: all are but those of documents. */
function isStoredValue({ fields }: AnyCollection, name: string): boolean {
  return !fields[name]?.kind.isDocument
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
  condition?: string
}

function sortTerm(context: Context, name: string): SortTerm {
  if (name === '@random') return { sql: 'random()' }
  if (name === '@rowid') return { sql: `${context.alias}."seq"` }
  const scope = context.newScope()
  const { sql, guard, isLarge } = fieldOperand(context, scope, name)
  // Sorting copies the values, which may have megabytes each.
  if (isLarge) throw badFilter(`Records cannot be sorted by ${shortened(name)}; sort by created instead`)
  // Sorting by hidden addresses would reveal them.
  const value = guard === undefined ? sql : `CASE WHEN ${guard} THEN ${sql} END`
  if (scope.joins.length === 0) return { sql: value }
  const from = fromJoins(scope)
  if (scope.guards.length === 0) return { sql: `(SELECT ${value} FROM ${from} LIMIT 1)` }
  const visible = scope.guards.join(' AND ')
  return {
    sql: `(SELECT ${value} FROM ${from} WHERE ${visible} LIMIT 1)`,
    condition: `EXISTS (SELECT 1 FROM ${from} WHERE ${visible})`,
  }
}
