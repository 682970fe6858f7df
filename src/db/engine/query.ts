import type { Params, SqlReader, Statement } from './sql.ts'

/** A read as a value: a statement, in which `$at` is the time of the transaction, and what its rows mean. */
export interface Query<T> extends Statement {
  result(rows: Row[]): T
}

type Row = Record<string, unknown>

/** The first row of a statement; the caller asserts the row type for the selected columns. */
export function firstOf<T>(sql: string, params: Params): Query<T | undefined> {
  return { sql, params, result: ([row]) => row as T | undefined }
}

/** Queries by name, and what each of them returns. */
export type Queries = Readonly<Record<string, Query<unknown>>>
export type Results<Q extends Queries> = { [Name in keyof Q]: Q[Name] extends Query<infer T> ? T : never }

/** Runs all queries, in one round trip where the database is a server. */
export function readAll<Q extends Queries>(tx: SqlReader, queries: Q): Results<Q> {
  const begun = Object.entries(queries).map(([name, { sql, params, result }]) => {
    const rows = tx.ahead<Row>(sql, /\$at\b/.test(sql) ? { at: tx.at, ...params } : params)
    return { name, read: () => result(rows()) }
  })
  return Object.fromEntries(begun.map(({ name, read }) => [name, read()])) as Results<Q>
}
