import type { CollectionNames } from '../schema/names.ts'
import type { Statement } from '../sqlite/sql.ts'
import type { StorageWatch } from '../sqlite/storage-watch.ts'
import type { ChangeFeed } from './changes.ts'
import type { ReadTx, Tx } from './tx.ts'

/** The store of everything: one SQLite file, one writing process. */
export interface Database {
  /**
   * Runs one intent, at once and all or nothing: any throw undoes it whole. `work` is synchronous. Intents of one
   * turn of the event loop share a commit; changes are published after it, before the promise resolves.
   * @throws AppError `storage_full` when the disk refuses; nothing was written then.
   */
  write<T>(intent: string, work: (tx: Tx) => T): Promise<T>
  /** Runs `work` on a consistent snapshot of what is committed. */
  read<T>(work: (tx: ReadTx) => T): Promise<T>
  /**
   * The single number that `statement` selects as `n`, found by a thread of its own: for what reads a large part of
   * the database. It is what is committed when its turn comes.
   * @throws ReadFailure when the statement cannot be run; AppError `unavailable` when too many wait.
   */
  count(statement: Statement): Promise<number>
  readonly changes: ChangeFeed
  /**
   * Changes that will be committed with the current group, or not at all. For those who write because of them:
   * a write made at once shares the commit.
   */
  readonly upcoming: ChangeFeed
  readonly storage: StorageWatch
  readonly names: CollectionNames
  /**
   * Empties the write-ahead log when it is larger than 64 MiB and nobody has written since the last call, unless a
   * backup or export still reads from it. Returns the bytes that it has then.
   */
  trimLog(): Promise<number>
  /** Closes the file and gives the folder free; safe to call twice. */
  close(): Promise<void>
}
