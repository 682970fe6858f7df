import { SQLiteError, Database as Sqlite, type Statement } from 'bun:sqlite'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { AppError } from '../../base/index.ts'
import { type Connection, runTransaction, type TransactionMode } from '../engine/connection.ts'
import { StatementError, storageFull, unflushed } from '../engine/failure.ts'
import type { Statement as BoundStatement, Params } from '../engine/sql.ts'
import { SQLITE } from './sql/dialect.ts'

/** In this order: with the time-out set first, the switch to WAL waits for a lock too. */
const PRAGMAS = [
  ['busy_timeout', 5_000],
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['trusted_schema', 0],
  ['cell_size_check', 1],
  ['journal_size_limit', 67_108_864],
  // Savepoint journals stay in memory: temporary files cost more than the writes themselves.
  ['temp_store', 2],
] as const

const OF_WRITERS: ReadonlySet<string> = new Set(['journal_mode', 'journal_size_limit', 'temp_store'])

/** The pragmas of a connection that never writes; the others apply to the file or to writes. */
export const READER_PRAGMAS = PRAGMAS.filter(([name]) => !OF_WRITERS.has(name))

const STATEMENT_CACHE = 500

const BEGIN = { write: 'BEGIN IMMEDIATE', read: 'BEGIN DEFERRED' } as const satisfies Record<
  TransactionMode,
  string
>

type Row = Record<string, unknown>

/** A connection to a database file. */
export interface FileConnection extends Connection {
  readonly path: string
}

/**
 * Opens `path` for writing (creates it if it is missing) or read-only, and verifies that every pragma took
 * effect.
 * @throws AppError `internal`: `database_damaged` when the file is not an intact database,
 *   `database_unsupported` when a pragma did not take effect.
 */
export function openConnection(path: string, access: TransactionMode): FileConnection {
  if (access === 'write') refuseOrphanedLog(path)
  return withStorageErrors(path, () => {
    const sqlite = new Sqlite(
      path,
      access === 'write' ? { strict: true, create: true } : { strict: true, readonly: true },
    )
    try {
      for (const [name, value] of access === 'write' ? PRAGMAS : READER_PRAGMAS)
        setPragma(sqlite, name, value)
    } catch (error) {
      sqlite.close()
      throw error
    }
    return new SqliteConnection(sqlite, path)
  })
}

/** SQLite treats an empty file as a new database and deletes the log next to it. */
function refuseOrphanedLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 && existsSync(`${path}-wal`))
    throw damaged(path, 'it is empty or missing, but its log exists')
}

function setPragma(sqlite: Sqlite, name: string, value: string | number): void {
  sqlite.run(`PRAGMA ${name} = ${value}`)
  const actual = Object.values(sqlite.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0]
  if (actual !== value) {
    throw new AppError(
      'internal',
      `SQLite returned ${String(actual)} for ${name} = ${value}; put the data folder on a local file system`,
      { reason: 'database_unsupported' },
    )
  }
}

class SqliteConnection implements FileConnection {
  readonly dialect = SQLITE
  readonly path: string
  readonly #sqlite: Sqlite
  readonly #prepared = new Map<string, Statement<unknown, [Params]>>()

  constructor(sqlite: Sqlite, path: string) {
    this.#sqlite = sqlite
    this.path = path
  }

  one<T>(sql: string, params: Params = {}): T | undefined {
    // The callers of `one` and `all` state the shape of the rows that their SQL selects.
    return withStorageErrors(this.path, () => (this.#prepare(sql).get(params) ?? undefined) as T | undefined)
  }

  all<T>(sql: string, params: Params = {}): T[] {
    return withStorageErrors(this.path, () => this.#prepare(sql).all(params) as T[])
  }

  explain(sql: string, params: Params = {}): string[] {
    return withStorageErrors(this.path, () => {
      // Not kept: at its end such a statement still counts as running, and would keep the snapshot open.
      const statement = this.#sqlite.prepare<{ detail: string }, [Params]>(`EXPLAIN QUERY PLAN ${sql}`)
      try {
        return statement.all(params).map(({ detail }) => detail)
      } finally {
        statement.finalize()
      }
    })
  }

  batch(statements: readonly BoundStatement[]): Row[][] {
    return statements.map(({ sql, params }) => this.all(sql, params))
  }

  run(sql: string, params: Params = {}): number {
    return withStorageErrors(this.path, () => this.#prepare(sql).run(params).changes)
  }

  /** A statement that fails is undone alone. */
  attempt(sql: string, params?: Params): number {
    return this.run(sql, params)
  }

  post(sql: string, params?: Params, onRows?: (rows: Row[]) => void): number {
    if (!onRows) return this.run(sql, params)
    const rows = this.all<Row>(sql, params)
    onRows(rows)
    return rows.length
  }

  settle(): void {
    // What was posted has run.
  }

  hasPosted(): boolean {
    return false
  }

  begin(mode: TransactionMode): void {
    this.run(BEGIN[mode])
  }

  commit(): void {
    this.run('COMMIT')
  }

  rollback(): void {
    this.run('ROLLBACK')
  }

  savepoint(): void {
    this.run('SAVEPOINT work')
  }

  releaseSavepoint(): void {
    this.run('RELEASE work')
  }

  rollbackToSavepoint(): void {
    this.run('ROLLBACK TO work')
    this.run('RELEASE work')
  }

  transaction<T>(mode: TransactionMode, work: () => T): T {
    return runTransaction(this, mode, work)
  }

  inTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  version(): number {
    return this.one<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
  }

  close(): void {
    for (const statement of this.#prepared.values()) statement.finalize()
    this.#prepared.clear()
    this.#sqlite.close(true)
  }

  #prepare(sql: string): Statement<unknown, [Params]> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#sqlite.prepare<unknown, [Params]>(sql)
    this.#prepared.set(sql, statement)
    if (this.#prepared.size > STATEMENT_CACHE) dropOldest(this.#prepared)
    return statement
  }
}

function dropOldest(cache: Map<string, Statement<unknown, [Params]>>): void {
  const [oldest] = cache.entries()
  if (!oldest) return
  cache.delete(oldest[0])
  oldest[1].finalize()
}

function withStorageErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof SQLiteError ? (appErrorOf(path, error) ?? statementError(error)) : error
  }
}

/** Storage failures below SQLite as errors that state a remedy; undefined for errors in statements. */
export function appErrorOf(path: string, error: { code?: string; message: string }): AppError | undefined {
  const code = error.code ?? ''
  if (code === 'SQLITE_FULL') {
    return storageFull('The disk with the database is full; free some space', 'storage_full', error)
  }
  if (code === 'SQLITE_IOERR_FSYNC' || code === 'SQLITE_IOERR_DIR_FSYNC') {
    return unflushed(error)
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return storageFull('The disk with the database failed; check it and the system log', 'storage_io', error)
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return storageFull(
      'The database cannot be written; check owner, permissions and mount of its folder',
      'storage_read_only',
      error,
    )
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new AppError('unavailable', `Another program is writing to ${path}; close it`, {
      reason: 'database_busy',
      retryAfter: 1,
      cause: error,
    })
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return damaged(path, error.message, error)
  if (code.startsWith('SQLITE_CANTOPEN')) {
    const closed = closedFile(path)
    const remedy = closed
      ? `this account may not read and write ${closed}; a command run as root may have left it: give it the owner of the folder`
      : 'check that the folder exists and may be written'
    return new AppError('internal', `Cannot open ${path}; ${remedy}`, {
      reason: 'database_unreadable',
      cause: error,
    })
  }
  return undefined
}

/** The database file, or one that SQLite keeps with it, that this process may not use. */
function closedFile(path: string): string | undefined {
  return [path, `${path}-wal`, `${path}-shm`].find((each) => {
    try {
      accessSync(each, constants.R_OK | constants.W_OK)
      return false
    } catch {
      return existsSync(each)
    }
  })
}

/** SQLite reports the columns: `UNIQUE constraint failed: drivers.token`. */
function statementError(cause: SQLiteError): StatementError {
  const { code = '', message } = cause
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    const columns = message.slice(message.indexOf(': ') + 2).split(', ')
    return new StatementError(message, { kind: 'unique', columns, cause })
  }
  const kind = code.startsWith('SQLITE_CONSTRAINT') ? 'constraint' : 'statement'
  return new StatementError(message, { kind, cause })
}

/** The error of a file that is not an intact database; its message names the recovery. */
function damaged(path: string, detail: string, cause?: unknown): AppError {
  return new AppError(
    'internal',
    `The database ${path} is damaged (${detail}); stop svc and restore a backup: svc restore BACKUP`,
    { reason: 'database_damaged', cause },
  )
}

/**
 * Reads every page of the file and checks the structure of every table.
 * @throws AppError `internal`, reason `database_damaged`.
 */
export function quickCheck(connection: FileConnection): void {
  const rows = connection.all<{ quick_check: string }>(QUICK_CHECK)
  assertIntact(
    connection.path,
    rows.map((row) => row.quick_check),
  )
}

export const QUICK_CHECK = 'PRAGMA quick_check(5)'

/**
 * Checks the result rows of `QUICK_CHECK`.
 * @throws AppError `internal`, reason `database_damaged`.
 */
export function assertIntact(path: string, rows: readonly string[]): void {
  if (rows[0] !== 'ok') throw damaged(path, rows.join('; ').replaceAll('\n', ' '))
}
