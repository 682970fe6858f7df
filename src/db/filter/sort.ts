import { type CompileOptions, type Condition, createContext } from './compile.ts'
import { badFilter, MAX_SORT_KEY_CHARACTERS, MAX_SORT_KEYS, shortened } from './language/limits.ts'
import type { Context } from './resolve/context.ts'
import { fieldOperand } from './resolve/resolve-operand.ts'
import { type Fan, fromJoins } from './sql/scope.ts'

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
}

/**
 * Compiles sort keys. Insertion order breaks ties, in the direction of the last key, so that pages do not
 * overlap. `sql` is '' when the order hides no rows.
 * @throws AppError `invalid` for unknown fields, those that the caller may not use, and large ones.
 */
export function compileSort(keys: readonly SortKey[], options: CompileOptions): Order {
  const context = createContext(options)
  const conditions: string[] = []
  const terms = keys.map(({ name, descending }) => {
    const { sql, condition, fans } = sortTerm(context, name)
    context.every.push({ fans, perShared: false })
    if (condition !== undefined) conditions.push(condition)
    return descending ? `${sql} DESC` : sql
  })
  // In the direction of the last key, so that the index that serves the key serves the whole order.
  const lastTerm = `${context.alias}."seq"${keys.at(-1)?.descending ? ' DESC' : ''}`
  return {
    sql: conditions.join(' AND '),
    orderBy: [...terms, lastTerm].join(', '),
    load: { before: '', shared: [], every: context.every },
    terms: [],
    otherTerms: conditions.length,
    effort: context.effort,
    bind: context.binder.bind,
  }
}

interface SortTerm {
  sql: string
  fans: readonly Fan[]
  condition?: string
}

function sortTerm(context: Context, name: string): SortTerm {
  if (name === '@random') return { sql: 'random()', fans: [] }
  if (name === '@rowid') return { sql: `${context.alias}."seq"`, fans: [] }
  const scope = context.newScope()
  const { sql, guard, isLarge } = fieldOperand(context, scope, name)
  // Sorting copies the values, which may have megabytes each.
  if (isLarge) throw badFilter(`Records cannot be sorted by ${shortened(name)}; sort by created instead`)
  // Sorting by hidden addresses would reveal them.
  const value = guard === undefined ? sql : `CASE WHEN ${guard} THEN ${sql} END`
  if (scope.joins.length === 0) return { sql: value, fans: [] }
  const from = fromJoins(scope)
  if (scope.guards.length === 0) return { sql: `(SELECT ${value} FROM ${from} LIMIT 1)`, fans: [] }
  const visible = scope.guards.join(' AND ')
  return {
    sql: `(SELECT ${value} FROM ${from} WHERE ${visible} LIMIT 1)`,
    // The first visible row may be the last of many.
    fans: scope.fans,
    condition: `EXISTS (SELECT 1 FROM ${from} WHERE ${visible})`,
  }
}
