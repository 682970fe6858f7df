import type { Bindable, Params } from '../../engine/sql.ts'
import { badFilter, MAX_JOINS } from '../language/limits.ts'
import type { RequestInfo, ValueSource } from './request-info.ts'

/** Collects the values that a statement binds; each method returns the parameter's name in SQL. */
export interface Binder {
  literal(value: Bindable): string
  deferred(source: ValueSource): string
  /** The parameters for a request at `now`, ms since the epoch. */
  bind(requestInfo: RequestInfo, now: number): Params
}

/** A binder whose parameters are named `<prefix>0`, `<prefix>1` and so on. */
export function createBinder(prefix: string): Binder {
  const sources: ValueSource[] = []
  const deferred = (source: ValueSource) => `$${prefix}${sources.push(source) - 1}`
  return {
    deferred,
    literal: (value) => deferred(() => value),
    bind: (requestInfo, now) =>
      Object.fromEntries(sources.map((source, index) => [`${prefix}${index}`, source(requestInfo, now)])),
  }
}

/** A join: its SQL after LEFT JOIN, and the condition on its rows. */
interface Join {
  sql: string
  guard?: string | undefined
}

/**
 * The joins shared by the comparisons of one condition, so that two terms on the same path refer to one row.
 */
export interface Scope {
  readonly joins: readonly string[]
  readonly guards: readonly string[]
  /** The alias of the join `key`; `make` creates the join when it is new. */
  join(key: string, make: (alias: string) => Join): string
  /** Whether `join` or `use` was called since the last call. */
  wasUsed(): boolean
  use(): void
}

/** An empty scope; `newAlias` returns aliases that are unique within the statement. */
export function createScope(newAlias: () => string): Scope {
  const aliases = new Map<string, string>()
  const joins: string[] = []
  const guards: string[] = []
  let used = false
  return {
    joins,
    guards,
    join(key, make) {
      used = true
      const known = aliases.get(key)
      if (known !== undefined) return known
      if (joins.length >= MAX_JOINS)
        throw badFilter(`The filter follows too many relations; use at most ${MAX_JOINS}`)
      const alias = newAlias()
      const { sql, guard } = make(alias)
      aliases.set(key, alias)
      joins.push(`LEFT JOIN ${sql}`)
      if (guard !== undefined) guards.push(guard)
      return alias
    },
    use() {
      used = true
    },
    wasUsed() {
      const was = used
      used = false
      return was
    },
  }
}

/** SQL that selects the joined rows of `scopes`, at least one. */
export function fromJoins(...scopes: readonly Scope[]): string {
  return ['(SELECT 1) AS one', ...scopes.flatMap((scope) => scope.joins)].join(' ')
}
