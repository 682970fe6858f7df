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

/** What was begun to be read, on the call. */
export type Ahead<T> = () => T

/** The same, made once however often it is asked for. */
export function once<T>(make: Ahead<T>): Ahead<T> {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** SQL reads inside one transaction. */
export interface SqlReader {
  /** Wall clock of the transaction, in ms since the epoch; the same for all its statements. */
  readonly now: number
  /** `now` as stored text, `2026-01-31 09:05:00.000Z`. */
  readonly at: string
  /** The first row of a statement. The caller asserts the row type `T` for the selected columns. */
  one<T>(sql: string, params?: Params): T | undefined
  /** All rows of a statement. */
  all<T>(sql: string, params?: Params): T[]
  /**
   * Begins a statement and returns how to get its rows. A server runs those that are begun before the first
   * of them is asked for its rows in one round trip. A failure is thrown there, or by the next statement.
   */
  ahead<T>(sql: string, params?: Params): Ahead<T[]>
  /** A number that changes when another connection has committed. */
  version(): number
  /** Whether the transaction may have changed rows. */
  hasWritten(): boolean
  /** The SQL of this database. */
  readonly dialect: Dialect
}

/** SQL reads and writes inside one transaction. */
export interface SqlWriter extends SqlReader {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, params?: Params): number
  /** Runs a statement whose error the caller may catch: the transaction can go on after it. */
  attempt(sql: string, params?: Params): number
  /** Runs a statement whose result nobody needs, at the latest with the next one, which throws its error. */
  post(sql: string, params?: Params): void
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Text as an SQL literal, for statements that cannot have parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
