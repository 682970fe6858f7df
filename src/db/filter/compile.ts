import { literal, type Params } from '../engine/sql.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { FilterAst } from './language/ast.ts'
import {
  badFilter,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS_CHARACTERS,
  MAX_WILDCARDS,
  MIN_PATTERN_CHARACTERS,
  shortened,
} from './language/limits.ts'
import { parseFilter } from './language/parser.ts'
import type { Caller, Catalog, Context } from './resolve/context.ts'
import { resolveOperand } from './resolve/resolve-operand.ts'
import { comparison } from './sql/compare.ts'
import { wildcardsIn } from './sql/like.ts'
import { BASE, type Operand } from './sql/operand.ts'
import { noReads, type Reads, type Term } from './sql/reads.ts'
import type { RequestInfo } from './sql/request-info.ts'
import { type Binder, createBinder, createScope, fromJoins, type Scope } from './sql/scope.ts'

/** An SQL condition on the row `b`. Its text does not depend on values, which are bound. */
export interface Condition {
  readonly sql: string
  /** Terms that all rows have to meet, as far as an index may serve them. */
  readonly terms: readonly Term[]
  /** Number of the other terms that all rows have to meet. */
  readonly otherTerms: number
  /** What testing a row reads beyond its columns. */
  readonly reads: Reads
  /** The parameters for a request at `now`, ms since the epoch. */
  bind(requestInfo: RequestInfo, now: number): Params
}

/** Whose filter or rule is compiled, and for which collection. */
export interface CompileOptions extends Catalog {
  readonly collection: AnyCollection
  readonly caller: Caller
  /** The collection of the caller's account; undefined for guests. */
  readonly authCollection: AnyCollection | undefined
  /** Prefix of the parameter names, so that one statement can contain several conditions. */
  readonly prefix: string
}

/**
 * Compiles a filter or a rule; see docs/decisions/0009-own-filter-compiler.md.
 * @throws AppError `invalid`, reason `bad_filter`, when a name or operator is not allowed.
 */
export function compileFilter(ast: FilterAst, options: CompileOptions): Condition {
  const context = createContext(options)
  const { sql, terms, otherTerms } = conditionSql(context, ast)
  assertPatterns(context)
  return { sql, terms, otherTerms, reads: context.reads, bind: context.binder.bind }
}

/** A fresh context for the row `b`. */
export function createContext(options: CompileOptions): Context {
  let aliases = 0
  const newAlias = () => `j${aliases++}`
  const binder: Binder = createBinder(options.prefix)
  const context: Context = {
    catalog: options,
    caller: options.caller,
    binder,
    collection: options.collection,
    alias: BASE,
    authCollection: options.authCollection,
    reads: noReads(),
    newAlias,
    newScope: () => createScope(newAlias),
    visible: (collection, rule, alias) =>
      conditionSql({ ...context, caller: 'rule', collection, alias }, parseFilter(rule)).sql,
  }
  return context
}

interface ConditionSql {
  sql: string
  terms: readonly Term[]
  otherTerms: number
}

/**
 * A condition on `context.alias`. Terms on the row itself stay outside the joins, so that they use its
 * indexes; the joins run inside EXISTS, so that no row appears twice.
 */
function conditionSql(context: Context, ast: FilterAst): ConditionSql {
  const scope = context.newScope()
  const plain: string[] = []
  const independent: string[] = []
  const overJoins: string[] = []
  const terms: Term[] = []
  let otherTerms = 0
  for (const term of ast.kind === 'and' ? ast.terms : [ast]) {
    const { some, every, isEveryIndependent, simple } = termSql(context, scope, term)
    if (simple) terms.push(simple)
    else otherTerms += 1
    if (scope.wasUsed()) overJoins.push(some)
    else plain.push(some)
    if (every !== undefined) (isEveryIndependent ? independent : overJoins).push(every)
  }
  if (overJoins.length === 0) return { sql: plain.join(' AND '), terms, otherTerms }
  const where = [...overJoins, ...scope.guards].join(' AND ')
  const exists = `EXISTS (SELECT 1 FROM ${fromJoins(scope)} WHERE ${where})`
  return { sql: [...plain, ...independent, exists].join(' AND '), terms, otherTerms }
}

/** A term: a condition on some joined row, and a condition on every related record. */
interface TermSql {
  some: string
  every?: string
  /** Whether `every` does not depend on the joined row, so that it is tested once instead of per row. */
  isEveryIndependent?: boolean
  simple?: Term | undefined
}

function termSql(context: Context, scope: Scope, ast: FilterAst): TermSql {
  if (ast.kind !== 'compare') return { some: nestedSql(context, scope, ast) }
  const { some, every, usesShared, simple } = comparisonSql(context, scope, ast)
  if (every === undefined) return { some, simple }
  return { some, every, isEveryIndependent: !usesShared }
}

function nestedSql(context: Context, scope: Scope, ast: FilterAst): string {
  if (ast.kind !== 'compare') {
    const terms = ast.terms.map((term) => nestedSql(context, scope, term))
    return `(${terms.join(ast.kind === 'and' ? ' AND ' : ' OR ')})`
  }
  const { some, every } = comparisonSql(context, scope, ast)
  return every === undefined ? some : `(${some} AND ${every})`
}

interface ComparisonSql {
  some: string
  every?: string
  /** Whether `every` refers to joins that the whole condition shares. */
  usesShared: boolean
  simple?: Term | undefined
}

function comparisonSql(
  context: Context,
  scope: Scope,
  ast: Extract<FilterAst, { kind: 'compare' }>,
): ComparisonSql {
  const target = { binder: context.binder, dialect: context.catalog.dialect }
  const wasUsed = scope.wasUsed()
  const left = resolveOperand(context, scope, ast.left)
  const leftUses = scope.wasUsed()
  const right = resolveOperand(context, scope, ast.right)
  const rightUses = scope.wasUsed()
  if (wasUsed || leftUses || rightUses) scope.use()
  const guards = [left, right].flatMap(({ guard }) => guard ?? [])
  const terms = [
    comparison(target, left, ast.operator, right),
    ...knownChoices(context, ast, left, right),
    ...guards,
  ]
  const some = terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' AND ')})`
  assertPattern(context, ast, right)
  noteMatch(context.reads, ast, left, right)
  if (ast.any || !(left.many || right.many)) {
    const isJoined = leftUses || rightUses
    return {
      some,
      usesShared: false,
      simple: isJoined ? undefined : simpleTerm(ast, left, right),
    }
  }
  // Each value of each side gets its own joins; rows that the caller may not see do not count.
  const scopes = [context.newScope(), context.newScope()] as const
  const eachLeft = left.many?.(scopes[0]) ?? left
  const eachRight = right.many?.(scopes[1]) ?? right
  const where = [
    ...[eachLeft, eachRight].flatMap(({ guard }) => guard ?? []),
    ...scopes.flatMap((each) => each.guards),
    `NOT (${comparison(target, eachLeft, ast.operator, eachRight)})`,
  ]
  return {
    some,
    every: `NOT EXISTS (SELECT 1 FROM ${fromJoins(...scopes)} WHERE ${where.join(' AND ')})`,
    usesShared: (leftUses && !left.many) || (rightUses && !right.many),
  }
}

/** The comparison of a column with one of its choices as SQL text: a partial index serves no parameters. */
function knownChoices(
  { collection }: Context,
  { operator }: Comparison,
  left: Operand,
  right: Operand,
): string[] {
  if (operator !== '=') return []
  const [column, value] = left.column === undefined ? [right, left] : [left, right]
  const field = column.column === undefined ? undefined : collection.fields[column.field ?? '']
  const text = literalOf(value)
  if (!field || !('choices' in field) || text === undefined) return []
  const isChoice = Array.isArray(field.choices) && field.choices.includes(text) && text !== ''
  return isChoice ? [`${column.sql} = ${literal(String(text))}`] : []
}

type Comparison = Extract<FilterAst, { kind: 'compare' }>

function noteMatch(reads: Reads, { operator }: Comparison, left: Operand, right: Operand): void {
  if (operator !== '~' && operator !== '!~') return
  const { bound } = right
  const isLiteral = bound !== undefined && 'literal' in bound
  const characters = isLiteral ? String(bound.literal ?? '').length : undefined
  reads.matches.push({ field: left.field, characters })
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** A comparison of a column with a value in a form that an index serves, or one without any column. */
function simpleTerm({ operator }: Comparison, left: Operand, right: Operand): Term | undefined {
  if (operator === '~' || operator === '!~') return undefined
  const [isLeftFixed, isRightFixed] = [isFixed(left), isFixed(right)]
  if (isLeftFixed && isRightFixed) return { column: undefined, operator }
  if (isRightFixed && isSearchable(operator, left, right))
    return { column: left.column, operator, literal: literalOf(right) }
  if (isLeftFixed && isSearchable(operator, right, left)) {
    return { column: right.column, operator: MIRRORED[operator] ?? operator, literal: literalOf(left) }
  }
  return undefined
}

function literalOf({ bound }: Operand): Term['literal'] {
  return bound && 'literal' in bound ? bound.literal : undefined
}

/** Whether the comparison is one of the bare column: those with values that may be empty have two cases. */
function isSearchable(operator: string, { column, nature }: Operand, fixed: Operand): boolean {
  if (column === undefined || nature === 'strict' || operator === '!=') return false
  return operator !== '=' || nature === 'never-null' || fixed.nature === 'value'
}

/** Whether the value is the same for all rows. */
function isFixed({ nature, guard }: Operand): boolean {
  return guard === undefined && (nature === 'value' || nature === 'empty' || nature === 'request')
}

/** @throws AppError `invalid` when a caller's pattern takes too long to search for. */
function assertPattern({ caller }: Context, { operator }: Comparison, { bound }: Operand): void {
  if (caller === 'rule' || (operator !== '~' && operator !== '!~')) return
  const text = bound && 'literal' in bound ? String(bound.literal ?? '') : ''
  if (text.length > MAX_PATTERN_CHARACTERS) {
    throw badFilter(
      `The text "${shortened(text)}" right of ~ has ${text.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed`,
    )
  }
  const wildcards = wildcardsIn(text)
  if (wildcards > MAX_WILDCARDS) {
    throw badFilter(
      `The text "${shortened(text)}" right of ~ has ${wildcards} wildcards %; at most ${MAX_WILDCARDS} are allowed`,
    )
  }
}

/** @throws AppError `invalid` when all patterns of a caller together take too long to search for. */
function assertPatterns({ caller, reads }: Context): void {
  if (caller === 'rule') return
  const sum = reads.matches.reduce(
    (characters, match) => characters + Math.max(MIN_PATTERN_CHARACTERS, match.characters ?? 0),
    0,
  )
  if (sum <= MAX_PATTERNS_CHARACTERS) return
  throw badFilter(
    `The ${reads.matches.length} texts right of ~ count as ${sum} characters together, each as at least ` +
      `${MIN_PATTERN_CHARACTERS}; at most ${MAX_PATTERNS_CHARACTERS} are allowed`,
  )
}
