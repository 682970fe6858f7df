import type { Dialect } from './dialect.ts'

/** A value that can be bound to a `$name` in a statement. */
export type Bindable = string | number | bigint | boolean | null | Uint8Array

/** Named parameters without their prefix: `{ id }` for `$id`. */
export type Params = Readonly<Record<string, Bindable>>

/** A statement and the values bound to its names. */
export interface Statement {
  readonly sql: string
  readonly params: Params
}

/** A read as a value: a statement, in which `$at` is the time of the transaction, and what its rows mean. */
export interface Query<T> {
  readonly sql: string | ((dialect: Dialect) => string)
  readonly params: Params
  result(rows: Row[]): T
}

/** What is known already and need not be read. */
export interface Known<T> {
  readonly known: T
}

type Row = Record<string, unknown>

/** The rows of a statement; the caller asserts the row type for the selected columns. */
export function allOf<T>(sql: Query<T>['sql'], params: Params = {}): Query<T[]> {
  return { sql, params, result: (rows) => rows as T[] }
}

/** The first row of a statement, as `allOf`. */
export function firstOf<T>(sql: Query<T>['sql'], params: Params = {}): Query<T | undefined> {
  return { sql, params, result: ([row]) => row as T | undefined }
}

/** A query with another result, which is made of that of the first. */
export function mapped<T, U>(query: Query<T>, make: (value: T) => U): Query<U> {
  const { sql, params } = query
  return { sql, params, result: (rows) => make(query.result(rows)) }
}

/** Queries by name, in lists, and of these; what is undefined is not read. */
export type Reads =
  | Query<unknown>
  | Known<unknown>
  | undefined
  | readonly Reads[]
  | { readonly [name: string]: Reads }

/** What such reads return. */
export type Values<R> = R extends Known<infer T> | Query<infer T>
  ? T
  : R extends undefined
    ? undefined
    : ValuesOf<R>
type ValuesOf<R> = { -readonly [Name in keyof R]: Values<R[Name]> }

/** Where queries run. */
interface Source {
  readonly dialect: Dialect
  /** Time of the transaction. */
  readonly at: string
  /** Runs statements in one round trip, and returns the rows of each. */
  batch(statements: readonly Statement[]): Row[][]
}

/** Runs all queries, in one round trip where the database is a server. */
export function readAll<R extends Reads>({ dialect, at, batch }: Source, reads: R): Values<R> {
  const rows = batch(
    queriesIn(reads).map(({ sql, params }) => {
      const text = typeof sql === 'string' ? sql : sql(dialect)
      return { sql: text, params: /\$at\b/.test(text) ? { at, ...params } : params }
    }),
  ).values()
  return valuesOf(reads, () => rows.next().value ?? []) as Values<R>
}

function queriesIn(reads: Reads, found: Query<unknown>[] = []): Query<unknown>[] {
  if (reads === undefined || isKnown(reads)) return found
  if (isQuery(reads)) found.push(reads)
  else for (const each of isList(reads) ? reads : Object.values(reads)) queriesIn(each, found)
  return found
}

/** Takes the rows of the queries in the order of `queriesIn`. */
function valuesOf(reads: Reads, rows: () => Row[]): unknown {
  if (reads === undefined) return undefined
  if (isKnown(reads)) return reads.known
  if (isQuery(reads)) return reads.result(rows())
  if (isList(reads)) return reads.map((each) => valuesOf(each, rows))
  return Object.fromEntries(Object.entries(reads).map(([name, each]) => [name, valuesOf(each, rows)]))
}

function isKnown(reads: object): reads is Known<unknown> {
  return 'known' in reads
}

function isList(reads: object): reads is readonly Reads[] {
  return Array.isArray(reads)
}

function isQuery(reads: object): reads is Query<unknown> {
  return 'result' in reads && typeof reads.result === 'function'
}
