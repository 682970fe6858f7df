import { statSync } from 'node:fs'
import type { Clock } from '../../base/index.ts'
import type { Connection } from '../sqlite/connection.ts'

/** Equal to `journal_size_limit`, the size to which SQLite truncates the log when it restarts it. */
const MAX_LOG_BYTES = 67_108_864

/** A replicator that waits for the write lock looks for it every 100 ms. */
const WINDOW_MS = 120
const WINDOW_INTERVAL_MS = 2_000

/**
 * Who copies the log into the database and empties it: this process, or a replicator that has to read each
 * log before it is emptied.
 */
export type Checkpoints = 'server' | 'external'

/** The write-ahead log of a database, seen from the writing connection. */
export interface WriteAheadLog {
  /** Records a write, so that the next `trim` leaves the log alone. */
  recordWrite(): void
  /**
   * Empties the log if it is large, ours, and nothing was written since the last call; returns its size in
   * bytes.
   */
  trim(): number
  /**
   * Empties the log, if it is ours, before the connection is closed: SQLite does so by itself only when no
   * other process has the database open.
   */
  finish(): void
  /**
   * With a replicator and a large log: the end of a short time in which nothing is to be written, so that the
   * replicator gets the write lock, which it needs to empty the log. Undefined when writes may go on.
   */
  window(): Promise<void> | undefined
}

/**
 * SQLite copies the log into the database and restarts it on its own, but not while a reader uses it. After a
 * long backup or export the log is therefore large, and slows down every reader until it is emptied.
 */
export function createWriteAheadLog(
  writer: Connection,
  { checkpoints = 'server', clock }: { checkpoints?: Checkpoints; clock: Clock },
): WriteAheadLog {
  const isOwn = checkpoints === 'server'
  // In SQLite, 0 disables the checkpoints that a commit makes; the one of the last connection remains.
  if (!isOwn) writer.one('PRAGMA wal_autocheckpoint = 0')
  let isIdle = false
  let window: Promise<void> | undefined
  let lookedAt = clock.monotonic()
  const bytes = () => statSync(`${writer.path}-wal`, { throwIfNoEntry: false })?.size ?? 0

  /** Does not wait for readers; a later call tries again. */
  function empty(): void {
    writer.run('PRAGMA busy_timeout = 0')
    try {
      writer.one('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      writer.run('PRAGMA busy_timeout = 5000')
    }
  }

  return {
    recordWrite() {
      isIdle = false
    },
    trim() {
      if (isOwn && bytes() > MAX_LOG_BYTES && isIdle && !writer.inTransaction()) empty()
      isIdle = true
      return bytes()
    },
    finish() {
      if (isOwn && bytes() > 0) empty()
    },
    window() {
      if (isOwn || window !== undefined) return window
      if (clock.monotonic() - lookedAt < WINDOW_INTERVAL_MS) return undefined
      lookedAt = clock.monotonic()
      if (bytes() <= MAX_LOG_BYTES) return undefined
      window = clock.sleep(WINDOW_MS).then(() => {
        window = undefined
        lookedAt = clock.monotonic()
      })
      return window
    },
  }
}
