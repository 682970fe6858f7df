import type { Connection } from './connection.ts'
import type { ExportedPage, ExportPage } from './export-page.ts'
import type { Reading } from './reading.ts'
import type { Selected, Selection } from './selection.ts'
import type { Statement } from './sql.ts'
import type { StoredSchema } from './stored-schema.ts'

/** Reads beside those of the event loop. */
interface Readers {
  /**
   * What the selection finds in the data committed before the call.
   * @throws AppError `invalid`, which no repetition changes: `filter_too_costly` when it used the time that
   *   it may use, `bad_filter` when it cannot be evaluated; `limited` when the caller, and `unavailable` when
   *   all callers have too many reads waiting; `unavailable` (`reader_busy`) when the machine was too busy,
   *   after `close` and when the client has gone.
   */
  select(selection: Selection, reading: Reading): Promise<Selected>
  /** A page of an export as text, of the data committed before the call. @throws AppError as `select`. */
  exportPage(page: ExportPage, reading: Reading): Promise<ExportedPage>
  /**
   * The rows of a statement of the service itself that takes long, in the data committed when it starts.
   * @throws StatementError when it cannot run; AppError `unavailable` when too many wait and after `close`.
   */
  rows(statement: Statement): Promise<Record<string, unknown>[]>
  /** Ends all readers; what waits or runs is rejected. Safe to call twice. */
  close(): void
}

/** When commits are on disk. */
export interface CommitLog {
  /**
   * Called after each commit of the writer. Undefined when it is on disk; otherwise the promise resolves
   * then.
   * @throws AppError `storage_full`, reason `storage_unflushed`; the promise rejects with it too.
   */
  committed(): Promise<void> | undefined
  /** Resolves when all that was committed so far is on disk; undefined when it is. */
  readonly flushing: Promise<void> | undefined
  /** The end of a short time in which nothing is to be written; undefined when writes may go on. */
  pause(): Promise<void> | undefined
  /** Ends what runs, before the connections are closed. */
  finish(): Promise<void>
}

/** Sizes on the disk in bytes. */
export interface FileSizes {
  /** The file of the database, without its log. */
  databaseBytes: number
  /** Its write-ahead log. */
  logBytes: number
  /** Free space available to this account. */
  freeBytes: number
}

/** What there is of a database that this process keeps in files of its own. */
export interface DatabaseFiles {
  /**
   * Empties the write-ahead log when it is larger than 64 MiB and nothing was written since the last call,
   * unless a backup or export still reads from it. Returns its size in bytes.
   */
  trimLog(): Promise<number>
  /**
   * Time between the first and the last commit in the write-ahead log, in ms. It grows while nobody empties
   * the log.
   */
  readonly logSpanMs: number
  sizes(): FileSizes
  /** When the newest sound backup was begun, wherever it is, in ms since the epoch; undefined without one. */
  lastBackupAt(): number | undefined
  /** When the file of the database was made, in ms since the epoch; 0 where the file system does not say. */
  createdAt(): number
  /**
   * Resolves when all that was committed so far is on another machine, whenever that is; undefined when it
   * is, and without a replicator that confirms. Rejects with AppError `unavailable` (`not_replicated`) when
   * the database is closed first.
   */
  replicated(): Promise<void> | undefined
  /** Since when the replicator has not confirmed, in monotonic ms, and why; undefined while it does. */
  readonly replicationFailure: { readonly since: number; readonly reason: string } | undefined
  /** Time between the oldest and the newest change that Litestream keeps, in ms; 0 without Litestream. */
  replicatorBacklogMs(): Promise<number>
}

/** What there is of a database that several servers share, of which this one leads. */
export interface SharedDatabase {
  /** Counts the servers that have led, this one included. */
  readonly epoch: number
  /** Base URLs of the servers on standby, each cut to 51 characters; at most 100. */
  standbys(): Promise<string[]>
  /**
   * How many bytes of the log of PostgreSQL its slowest replica has not stored; undefined without replicas,
   * and for a role that may not see them.
   */
  replicaLagBytes(): Promise<number | undefined>
  /** How much the clock of the database is ahead of this machine's, in ms; negative = behind. */
  clockDifferenceMs(): Promise<number>
  /** Calls the listener after each wait of the event loop for the database, with its time in ms. */
  onWait(listener: (ms: number) => void): void
  /** The services run: from now on the connection is lost when the database does not respond within 2 s. */
  limitWaits(): void
}

/**
 * A database management system under the service: where rows are stored and how they reach the disk. All that
 * is above it, such as intents, groups of them, changes and sums, is the same for all.
 */
export interface Engine {
  /** The only connection that writes. */
  readonly writer: Connection
  /** Sees committed data only. */
  readonly reader: Connection
  readonly readers: Readers
  readonly schema: StoredSchema
  readonly log: CommitLog
  /**
   * Whether a transaction may start now: undefined, or the promise of its turn where its statements hold the
   * event loop for long.
   */
  enter(): Promise<void> | undefined
  /** Undefined for a database that a server of its own keeps. */
  readonly files: DatabaseFiles | undefined
  /** Undefined for a database that no other server can use. */
  readonly shared: SharedDatabase | undefined
  /** Closes the connections and lets another process write. */
  release(): void
}

/** The part of an engine that exists before the tables are as declared. */
export type NewEngine = Pick<Engine, 'writer' | 'schema'>

/**
 * Opens an engine for writing by this process alone. `prepare` brings the tables to their declared form, in
 * transactions of its own, before anything else uses them.
 */
export type OpenEngine = (prepare: (engine: NewEngine) => void) => Engine
