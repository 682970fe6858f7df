import type { Dialect } from './dialect.ts'
import type { Params, Reads, Values } from './query.ts'

export type { Bindable, Params, Statement } from './query.ts'

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
  /** The steps by which the database would run a statement. */
  explain(sql: string, params?: Params): string[]
  /** The results of queries, of all in one round trip; a single one if `reads` is a query. */
  read<R extends Reads>(reads: R): Values<R>
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
