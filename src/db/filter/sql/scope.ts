import type { Bindable, Params } from '../../sqlite/sql.ts'
import { badFilter, MAX_JOINS } from '../language/limits.ts'
import type { RequestInfo, ValueSource } from './request-info.ts'

/** Collects what a statement binds; hands out the parameter's name in SQL. */
export interface Binder {
  literal(value: Bindable): string
  deferred(source: ValueSource): string
  /** The parameters for a request at `now`, ms since the epoch. */
  bind(requestInfo: RequestInfo, now: number): Params
}

/** A binder whose parameters are called `<prefix>0`, `<prefix>1` and so on. */
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

/**
 * How many rows a join may add per row: the ids of a list, those of `table` whose `column` names the row, or all
 * of `table`.
 */
export type Fan =
  | { kind: 'list' }
  | { kind: 'relation'; table: string; column: string }
  | { kind: 'table'; table: string }

/** A join: its SQL behind LEFT JOIN, what must hold for its rows, and how many there may be if not one. */
export interface Join {
  sql: string
  guard?: string | undefined
  fan?: Fan | undefined
}

/** The joins that the comparisons of one condition share, so that two terms about a path mean one row. */
export interface Scope {
  readonly joins: readonly string[]
  readonly guards: readonly string[]
  readonly fans: readonly Fan[]
  /** Alias of the join `key`; `make` says it when it is new. */
  join(key: string, make: (alias: string) => Join): string
  /** Whether `join` or `use` was called since the last question. */
  wasUsed(): boolean
  use(): void
}

/** An empty scope; `newAlias` hands out names that no other scope of the statement has. */
export function createScope(newAlias: () => string): Scope {
  const aliases = new Map<string, string>()
  const joins: string[] = []
  const guards: string[] = []
  const fans: Fan[] = []
  let used = false
  return {
    joins,
    guards,
    fans,
    join(key, make) {
      used = true
      const known = aliases.get(key)
      if (known !== undefined) return known
      if (joins.length >= MAX_JOINS)
        throw badFilter(`The filter follows too many relations; use at most ${MAX_JOINS}`)
      const alias = newAlias()
      const { sql, guard, fan } = make(alias)
      aliases.set(key, alias)
      joins.push(`LEFT JOIN ${sql}`)
      if (guard !== undefined) guards.push(guard)
      if (fan) fans.push(fan)
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

/** SQL that runs over the joined rows of `scopes`, of which there is always at least one. */
export function fromJoins(...scopes: readonly Scope[]): string {
  return ['(SELECT 1)', ...scopes.flatMap((scope) => scope.joins)].join(' ')
}
