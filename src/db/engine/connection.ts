import { toTimestamp } from '../../base/index.ts'
import type { Dialect } from './dialect.ts'
import { readAll } from './query.ts'
import type { Params, SqlReader, Statement } from './sql.ts'

type Row = Record<string, unknown>

/** A transaction that may write, or one that reads a single snapshot. */
export type TransactionMode = 'write' | 'read'

/**
 * One connection to the database. Its functions throw StatementError for a statement that cannot run, and
 * AppError when the storage fails.
 */
export interface Connection {
  readonly dialect: Dialect
  /** The first row of a statement; the caller asserts the row type for the selected columns. */
  one<T>(sql: string, params?: Params): T | undefined
  all<T>(sql: string, params?: Params): T[]
  /** See `SqlReader`. */
  explain(sql: string, params?: Params): string[]
  /** Runs statements in one round trip, and returns the rows of each. */
  batch(statements: readonly Statement[]): Row[][]
  /** Returns the number of changed rows. */
  run(sql: string, params?: Params): number
  /** See `SqlWriter`. */
  attempt(sql: string, params?: Params): number
  /**
   * See `SqlWriter`. Returns the number of changed rows, 1 as long as it is not known. `onRows` gets the rows
   * that it returns, at the latest when `settle` has run.
   */
  post(sql: string, params?: Params, onRows?: (rows: Row[]) => void): number
  /** Runs what was posted and not sent yet. @throws what one of these statements throws. */
  settle(): void
  /** Whether statements were posted that have not been sent. */
  hasPosted(): boolean
  /** Starts a transaction, which `commit` or `rollback` ends. */
  begin(mode: TransactionMode): void
  commit(): void
  rollback(): void
  /** Begins work inside the transaction that can be undone alone. */
  savepoint(): void
  releaseSavepoint(): void
  /** Undoes the work since the savepoint, which exists no more. */
  rollbackToSavepoint(): void
  /** Runs `work` between the start of a transaction and COMMIT; any throw rolls everything back. */
  transaction<T>(mode: TransactionMode, work: () => T): T
  /** Whether a transaction is open; the database may end one on its own, as when the disk is full. */
  inTransaction(): boolean
  /** A number that changes when another connection has committed; the same one within a transaction. */
  version(): number
  close(): void
}

/** `Connection.transaction` of any connection. */
export function runTransaction<T>(connection: Connection, mode: TransactionMode, work: () => T): T {
  if (connection.inTransaction()) throw new TypeError('a transaction is open already; use its tx')
  connection.begin(mode)
  try {
    const result = work()
    connection.commit()
    return result
  } catch (error) {
    // When the disk is full, SQLite rolls back on its own.
    if (connection.inTransaction()) connection.rollback()
    throw error
  }
}

/** Reads on a connection inside its transaction, at `now` in ms since the epoch. */
export function readerAt(connection: Connection, now: number): SqlReader {
  const at = toTimestamp(now)
  const { dialect } = connection
  return {
    now,
    at,
    dialect,
    one: (sql, params) => connection.one(sql, params),
    all: (sql, params) => connection.all(sql, params),
    explain: (sql, params) => connection.explain(sql, params),
    read: (reads) => readAll({ dialect, at, batch: (each) => connection.batch(each) }, reads),
    version: () => connection.version(),
    hasWritten: () => false,
  }
}
