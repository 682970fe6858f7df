import type { Bindable, Params } from '../sql.ts'
import type { FactSource, RequestFacts } from './facts.ts'
import { badFilter, MAX_JOINS } from './limits.ts'

/** Collects what a statement binds; hands out the parameter's name in SQL. */
export interface Binder {
  literal(value: Bindable): string
  fact(source: FactSource): string
  /** The parameters for a request at `now`, ms since the epoch. */
  bind(facts: RequestFacts, now: number): Params
}

/** A binder whose parameters are called `<prefix>0`, `<prefix>1` and so on. */
export function createBinder(prefix: string): Binder {
  const sources: FactSource[] = []
  const fact = (source: FactSource) => `$${prefix}${sources.push(source) - 1}`
  return {
    fact,
    literal: (value) => fact(() => value),
    bind: (facts, now) =>
      Object.fromEntries(sources.map((source, index) => [`${prefix}${index}`, source(facts, now)])),
  }
}

/** The joins that the comparisons of one condition share, so that two terms about a path mean one row. */
export interface Scope {
  readonly joins: readonly string[]
  readonly guards: readonly string[]
  /** Alias of the join `key`; `make` says it when it is new: its SQL, and what must hold for its rows. */
  join(key: string, make: (alias: string) => { sql: string; guard?: string | undefined }): string
  /** Whether `join` was called since the last question. */
  wasUsed(): boolean
}

/** An empty scope; `newAlias` hands out names that no other scope of the statement has. */
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
