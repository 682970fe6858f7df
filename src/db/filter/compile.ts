import type { AnyCollection } from '../collection.ts'
import type { Params } from '../sql.ts'
import type { FilterAst } from './ast.ts'
import { comparison } from './compare.ts'
import type { Caller, Catalogue, Context } from './context.ts'
import type { RequestFacts } from './facts.ts'
import { parseFilter } from './parser.ts'
import { resolveOperand } from './resolve.ts'
import { type Binder, createBinder, createScope, fromJoins, type Scope } from './scope.ts'

/** Alias of the table (or of the values) that a condition is about. */
export const BASE = 'b'

/** An SQL condition about the row `b`; its text does not depend on values, which are bound. */
export interface Condition {
  readonly sql: string
  /** The parameters for a request at `now`, ms since the epoch. */
  bind(facts: RequestFacts, now: number): Params
}

/** Whose text is compiled, and for which collection. */
export interface CompileOptions extends Catalogue {
  readonly collection: AnyCollection
  readonly caller: Caller
  /** The collection of the caller's account; undefined for guests. */
  readonly authCollection: AnyCollection | undefined
  /** Begins the names of the parameters, so that several conditions fit into one statement. */
  readonly prefix: string
}

/**
 * Compiles a filter or a rule.
 * @throws AppError `invalid`, reason `bad_filter`, when it cannot be understood.
 */
export function compileFilter(ast: FilterAst, options: CompileOptions): Condition {
  const context = createContext(options)
  return { sql: conditionOf(context, ast), bind: context.binder.bind }
}

/** A fresh context for the row `b`. */
export function createContext(options: CompileOptions): Context {
  let aliases = 0
  const newAlias = () => `j${aliases++}`
  const binder: Binder = createBinder(options.prefix)
  const context: Context = {
    catalogue: options,
    caller: options.caller,
    binder,
    collection: options.collection,
    alias: BASE,
    authCollection: options.authCollection,
    newAlias,
    newScope: () => createScope(newAlias),
    visible: (collection, rule, alias) =>
      conditionOf({ ...context, caller: 'rule', collection, alias }, parseFilter(rule)),
  }
  return context
}

/**
 * A condition about `context.alias`. Terms about the row itself stay outside the joins, so that its indexes
 * serve them; the joins run inside EXISTS, so that a row never appears twice.
 */
function conditionOf(context: Context, ast: FilterAst): string {
  const scope = context.newScope()
  const plain: string[] = []
  const overJoins: string[] = []
  for (const term of ast.kind === 'and' ? ast.terms : [ast]) {
    const sql = expression(context, scope, term)
    if (scope.wasUsed()) overJoins.push(sql)
    else plain.push(sql)
  }
  if (overJoins.length === 0) return plain.join(' AND ')
  const where = [...overJoins, ...scope.guards].join(' AND ')
  return [...plain, `EXISTS (SELECT 1 FROM ${fromJoins(scope)} WHERE ${where})`].join(' AND ')
}

function expression(context: Context, scope: Scope, ast: FilterAst): string {
  if (ast.kind === 'compare') return compared(context, scope, ast)
  const terms = ast.terms.map((term) => expression(context, scope, term))
  return `(${terms.join(ast.kind === 'and' ? ' AND ' : ' OR ')})`
}

function compared(context: Context, scope: Scope, ast: Extract<FilterAst, { kind: 'compare' }>): string {
  const { binder } = context
  const left = resolveOperand(context, scope, ast.left)
  const right = resolveOperand(context, scope, ast.right)
  const terms = [comparison(binder, left, ast.operator, right)]
  if (!ast.any && (left.many || right.many)) {
    // Every value of every side, each in joins of its own; rows that the caller may not see do not count.
    const leftScope = context.newScope()
    const rightScope = context.newScope()
    const eachLeft = left.many?.(leftScope) ?? left
    const eachRight = right.many?.(rightScope) ?? right
    const unmet = `NOT (${comparison(binder, eachLeft, ast.operator, eachRight)})`
    const guards = [eachLeft.guard, eachRight.guard, ...leftScope.guards, ...rightScope.guards]
    const where = [...guards.filter((guard) => guard !== undefined), unmet].join(' AND ')
    terms.push(`NOT EXISTS (SELECT 1 FROM ${fromJoins(leftScope, rightScope)} WHERE ${where})`)
  }
  for (const { guard } of [left, right]) if (guard !== undefined) terms.push(guard)
  return terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' AND ')})`
}
