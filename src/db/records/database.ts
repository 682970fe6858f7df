import type { Dialect } from '../engine/dialect.ts'
import type { DatabaseFiles, SharedDatabase } from '../engine/engine.ts'
import type { ExportedPage, ExportPage } from '../engine/export-page.ts'
import type { Reading } from '../engine/reading.ts'
import type { Selected, Selection } from '../engine/selection.ts'
import type { Statement } from '../engine/sql.ts'
import type { StorageWatch } from '../engine/storage-watch.ts'
import type { CollectionNames } from '../schema/names.ts'
import type { ChangeFeed } from './changes.ts'
import type { ReadTx, Tx } from './tx.ts'

/** How much a write stores, and for whom. */
export interface WriteSize {
  readonly bytes: number
  readonly account?: string
}

/**
 * The time for which one write of many rows occupies the database: other writers wait at most 5 ms for it,
 * half of them for its commit.
 */
export const WRITE_SLICE_MS = 2.5

/** The database of the service, written by one process. */
export interface Database {
  /**
   * Runs one intent as a unit, immediately or after the last pass of a checkpoint: if `work` throws, all its
   * writes are undone. `work` is synchronous. Intents of one turn of the event loop share a commit; changes
   * are published after it, before the promise resolves. `size` says what a write of more than a few values
   * stores: large ones reach the disk one after the other, accounts in turn, so that no other write waits
   * for two of them.
   * @throws AppError `storage_full` when the disk rejects the write; nothing was written then.
   */
  write<T>(intent: string, work: (tx: Tx) => T, size?: WriteSize): Promise<T>
  /** Runs `work` now, on a consistent snapshot of the committed data; resolves when that is on disk. */
  read<T>(work: (tx: ReadTx) => T): Promise<T>
  /**
   * What a selection finds, read by a separate process, for selections that may read a large part of the
   * database. It reflects at least the data committed before the call.
   * @throws AppError as `Readers.select` does.
   */
  select(selection: Selection, reading: Reading): Promise<Selected>
  /**
   * A page of an export as text, read and written by such a process. It reflects at least the data committed
   * before the call.
   * @throws AppError as `Readers.select` does.
   */
  exportPage(page: ExportPage, reading: Reading): Promise<ExportedPage>
  /**
   * The rows of a statement, read by another thread, for statements of the service itself that take long.
   * They reflect the data committed when the statement starts.
   * @throws StatementError when the statement cannot run; AppError `unavailable` after `close`.
   */
  readApart<Row>(statement: Statement): Promise<Row[]>
  readonly changes: ChangeFeed
  /**
   * Changes that are about to be committed with the current group, or not at all; those of `Tx.withCommit` at
   * their commit, unless another intent joins the group. For listeners that write in response: a write made
   * immediately shares the commit.
   */
  readonly upcoming: ChangeFeed
  /** Changes that `upcoming` published, but whose commit failed. */
  readonly withdrawn: ChangeFeed
  readonly storage: StorageWatch
  readonly names: CollectionNames
  /** Its SQL. */
  readonly dialect: Dialect
  /** Undefined for a database that a server of its own keeps. */
  readonly files: DatabaseFiles | undefined
  /** Undefined for a database that no other server can use. */
  readonly shared: SharedDatabase | undefined
  /** Closes the engine; safe to call twice. */
  close(): Promise<void>
}
