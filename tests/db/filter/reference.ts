import type { FilterAst, OperandAst } from '../../../src/db/filter/language/ast.ts'

/**
 * A second implementation of the filter language, for tests only: it evaluates the tree over records in
 * memory and shares no code with the compiler. It spells out SQL's rules for types and NULL.
 */

export type Row = Readonly<Record<string, unknown>>
export type World = Readonly<Record<string, readonly Row[]>>

/** `null` is SQL's NULL: neither true nor false. */
type Truth = boolean | null

interface Value {
  v: string | number | null
  affinity: 'text' | 'number' | 'none'
  nature: 'literal' | 'column' | 'strict'
  /** A whole number that SQLite writes with `.0`. */
  real?: boolean
}

type Kind = 'text' | 'integer' | 'real' | 'bool' | 'json' | { one: string } | { many: string }

const COMMON = { id: 'text', created: 'text', updated: 'text' } as const
const SCHEMA: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  authors: { ...COMMON, name: 'text', rank: 'real', emailVisibility: 'bool', friend: { one: 'authors' } },
  shops: {
    ...COMMON,
    title: 'text',
    owner: { one: 'authors' },
    staff: { many: 'authors' },
    stock: 'integer',
    rating: 'real',
    open: 'bool',
    opened: 'text',
    size: 'text',
    info: 'json',
    balance: 'real',
  },
  reviews: { ...COMMON, shop: { one: 'shops' }, by: { one: 'authors' }, stars: 'real', text: 'text' },
  passports: { ...COMMON, author: { one: 'authors' }, number: 'text', visited: { many: 'shops' } },
}
const UNIQUE = ['passports_via_author']

/** The values that the request of the random filters sends, as `@request.query`. */
export const SENT: Readonly<Record<string, string>> = {
  word: 'ab',
  digit: '5',
  blank: '',
  author: 'ann000000000000',
}

type Env = Readonly<Record<string, unknown>>

/** One join: the rows (or ids) under `key` once the row under `parent` is chosen. */
interface Step {
  key: string
  many: boolean
  rows(env: Env): readonly unknown[]
}

interface Path {
  steps: Step[]
  read(env: Env): Value
}

/** The rows of `table` for which the filter is true, by id. */
export function evaluate(ast: FilterAst, table: string, world: World): string[] {
  const paths = new Map<OperandAst, Path>()
  const steps = new Map<string, Step>()
  collect(ast, (operand) => {
    const path = pathOf(operand, table, world)
    paths.set(operand, path)
    for (const step of path.steps) steps.set(step.key, step)
  })
  const matches = (record: Row) =>
    environments([...steps.values()], record).some((env) => truth(ast, env, record, paths) === true)
  return (world[table] ?? []).filter(matches).map((record) => String(record['id']))
}

function collect(ast: FilterAst, visit: (operand: OperandAst) => void): void {
  if (ast.kind !== 'compare') for (const term of ast.terms) collect(term, visit)
  else for (const operand of [ast.left, ast.right]) visit(operand)
}

function environments(steps: readonly Step[], record: Row): Env[] {
  let envs: Env[] = [{ '': record }]
  for (const step of steps) {
    envs = envs.flatMap((env) => {
      const rows = step.rows(env)
      return (rows.length === 0 ? [undefined] : rows).map((row) => ({ ...env, [step.key]: row }))
    })
  }
  return envs
}

function truth(ast: FilterAst, env: Env, record: Row, paths: Map<OperandAst, Path>): Truth {
  if (ast.kind !== 'compare') {
    const truths = ast.terms.map((term) => truth(term, env, record, paths))
    const decisive = ast.kind === 'or'
    if (truths.includes(decisive)) return decisive
    return truths.includes(null) ? null : !decisive
  }
  const left = paths.get(ast.left)
  const right = paths.get(ast.right)
  if (!left || !right) throw new Error('unreachable')
  const some = compare(left.read(env), ast.operator, right.read(env))
  if (ast.any || ![...left.steps, ...right.steps].some((step) => step.many)) return some
  // A side with one value per record uses the value of the joined row.
  const valuesOf = (path: Path) =>
    path.steps.some((step) => step.many) ? environments(path.steps, record).map(path.read) : [path.read(env)]
  const every = valuesOf(left).every((l) =>
    valuesOf(right).every((r) => compare(l, ast.operator, r) !== false),
  )
  return every ? some : false
}

function pathOf(operand: OperandAst, table: string, world: World): Path {
  if (operand.kind === 'text') return literal(operand.value)
  if (operand.kind === 'number') {
    return { steps: [], read: () => ({ v: operand.value, affinity: 'none', nature: 'literal', real: true }) }
  }
  if (operand.kind === 'call') throw new Error('functions are tested one by one')
  const constant = { null: null, true: 1, false: 0 }[operand.name]
  if (constant !== undefined) return literal(constant)
  const sent = operand.name.startsWith('@request.query.') ? operand.name.slice(15) : undefined
  if (sent !== undefined) return literal(SENT[sent] ?? null)
  return fieldPath(operand.name.split('.'), table, world)
}

function literal(v: string | number | null): Path {
  return { steps: [], read: () => ({ v, affinity: 'none', nature: 'literal' }) }
}

function fieldPath(names: readonly string[], table: string, world: World): Path {
  const steps: Step[] = []
  let at = { key: '', table }
  for (const [index, prop] of names.entries()) {
    const [name = '', modifier] = prop.split(':')
    const kind = SCHEMA[at.table]?.[name]
    const parent = at.key
    const read = (env: Env) => rowAt(env, parent)?.[name]
    if (kind === 'json') return { steps, read: (env) => jsonValue(read(env), names.slice(index + 1)) }
    const isOwnId = isSingle(kind) && index === names.length - 2 && names.at(-1) === 'id'
    if (isOwnId || index === names.length - 1) return last(steps, parent, name, modifier, kind, read)
    at = joined(steps, parent, prop, kind, read, world)
  }
  throw new Error(`no path: ${names.join('.')}`)
}

function isSingle(kind: Kind | undefined): boolean {
  return typeof kind === 'object' && 'one' in kind
}

function joined(
  steps: Step[],
  parent: string,
  prop: string,
  kind: Kind | undefined,
  read: (env: Env) => unknown,
  world: World,
): { key: string; table: string } {
  const key = `${parent}/${prop}`
  if (typeof kind !== 'object') {
    const [from = '', via = ''] = prop.split('_via_')
    steps.push({
      key,
      many: !UNIQUE.includes(prop),
      rows: (env) =>
        (world[from] ?? []).filter((row) => ids(row[via]).includes(String(rowAt(env, parent)?.['id']))),
    })
    return { key, table: from }
  }
  const table = 'one' in kind ? kind.one : kind.many
  if ('many' in kind) steps.push({ key: `${key}:each`, many: true, rows: (env) => ids(read(env)) })
  const target = (env: Env) => ('many' in kind ? env[`${key}:each`] : read(env))
  steps.push({ key, many: false, rows: (env) => (world[table] ?? []).filter(({ id }) => id === target(env)) })
  return { key, table }
}

function last(
  steps: Step[],
  parent: string,
  name: string,
  modifier: string | undefined,
  kind: Kind | undefined,
  read: (env: Env) => unknown,
): Path {
  if (modifier === 'each') {
    const key = `${parent}/${name}:each`
    steps.push({ key, many: true, rows: (env) => ids(read(env)) })
    return { steps, read: (env) => column(env[key], 'none') }
  }
  if (modifier === 'length') return { steps, read: (env) => column(ids(read(env)).length, 'none') }
  const affinity = kind === 'integer' || kind === 'real' || kind === 'bool' ? 'number' : 'text'
  return {
    steps,
    read: (env) => {
      const value = column(read(env), affinity)
      if (kind === 'real') value.real = true
      return modifier === 'lower'
        ? { ...value, v: typeof value.v === 'string' ? value.v.toLowerCase() : value.v, affinity: 'none' }
        : value
    },
  }
}

function rowAt(env: Env, key: string): Row | undefined {
  const row = env[key]
  return typeof row === 'object' && row !== null ? { ...row } : undefined
}

function ids(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (id): id is string => typeof id === 'string' && id !== '',
  )
}

function column(value: unknown, affinity: Value['affinity']): Value {
  const v = Array.isArray(value) ? JSON.stringify(value) : value
  if (typeof v === 'boolean') return { v: v ? 1 : 0, affinity, nature: 'column' }
  return { v: typeof v === 'string' || typeof v === 'number' ? v : null, affinity, nature: 'column' }
}

function jsonValue(root: unknown, keys: readonly string[]): Value {
  let value = root
  for (const key of keys) {
    const isIndex = /^\d+$/.test(key)
    if (Array.isArray(value) && isIndex) value = value[Number(key)]
    else if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isIndex)
      value = Object.entries(value).find(([name]) => name === key)?.[1] ?? null
    else value = null
  }
  const flat = typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  const real = typeof flat === 'number' && !Number.isInteger(flat)
  return { ...column(flat, 'none'), nature: 'strict', real }
}

function compare(left: Value, operator: string, right: Value): Truth {
  switch (operator) {
    case '=':
      return equal(left, right, false)
    case '!=':
      return equal(left, right, true)
    case '~':
      return like(left, right)
    case '!~': {
      const is = like(left, right)
      return is === null ? null : !is
    }
    default: {
      const order = ordered(left, right)
      if (order === null) return null
      if (operator === '<') return order < 0
      if (operator === '<=') return order <= 0
      return operator === '>' ? order > 0 : order >= 0
    }
  }
}

function equal(left: Value, right: Value, negated: boolean): Truth {
  const same = (l: Value, r: Value) => (l.v === null || r.v === null ? l.v === r.v : ordered(l, r) === 0)
  if (left.nature === 'strict' || right.nature === 'strict') return same(left, right) !== negated
  const isEmpty = ({ v }: Value) => v === null || v === ''
  const isEmptyLiteral = (value: Value) => value.nature === 'literal' && isEmpty(value)
  if (isEmptyLiteral(left)) return isEmpty(right) !== negated
  if (isEmptyLiteral(right)) return isEmpty(left) !== negated
  if (left.nature === 'literal' || right.nature === 'literal') {
    if (negated) return !same(left, right)
    return left.v === null || right.v === null ? null : same(left, right)
  }
  const bare = (value: Value): Value => ({ ...value, v: value.v ?? '', affinity: 'none' })
  return same(bare(left), bare(right)) !== negated
}

/** Negative, 0 or positive; null when a side is NULL. Numbers come before texts. */
function ordered(left: Value, right: Value): number | null {
  const l = converted(left, right)
  const r = converted(right, left)
  if (l === null || r === null) return null
  if (typeof l !== typeof r) return typeof l === 'number' ? -1 : 1
  if (l === r) return 0
  return l < r ? -1 : 1
}

function converted(value: Value, other: Value): string | number | null {
  if (other.affinity === 'number' && typeof value.v === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value.v)) {
    return Number(value.v)
  }
  const becomesText = other.affinity === 'text' && value.affinity === 'none'
  return becomesText ? textOf(value) : value.v
}

function textOf({ v, real }: Value): string | null {
  if (typeof v !== 'number') return v
  return real && Number.isInteger(v) ? `${v}.0` : String(v)
}

function like(left: Value, right: Value): Truth {
  const text = textOf(left)
  // A literal pattern is used as written; the value of a column is its own text.
  const pattern = right.nature === 'literal' && typeof right.v === 'number' ? String(right.v) : textOf(right)
  if (text === null || pattern === null) return null
  const hasWildcard = right.nature === 'literal' && /^(?:[^\\%]|\\[\s\S])*%/.test(pattern)
  if (right.nature === 'literal' && !hasWildcard) return lower(text).includes(lower(unescaped(pattern)))
  return likeMatch(lower(text), lower(hasWildcard ? pattern : `%${pattern}%`))
}

/** LIKE with `\\` as its escape character, compared character by character. */
function likeMatch(text: string, pattern: string): boolean {
  const [first, second] = pattern
  if (first === undefined) return text === ''
  if (first === '%') {
    return Array.from({ length: text.length + 1 }, (_, at) => at).some((at) =>
      likeMatch(text.slice(at), pattern.slice(1)),
    )
  }
  if (text === '') return false
  if (first === '\\')
    return second !== undefined && text[0] === second && likeMatch(text.slice(1), pattern.slice(2))
  return (first === '_' || first === text[0]) && likeMatch(text.slice(1), pattern.slice(1))
}

function unescaped(text: string): string {
  return text.replace(/\\([\\%_])/g, '$1')
}

/** ASCII only, as LIKE does. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (capital) => capital.toLowerCase())
}
