import { statSync } from 'node:fs'
import type { Connection } from './connection.ts'

/** As `journal_size_limit`: what is left of the log when SQLite begins it anew. */
const MAX_LOG_BYTES = 67_108_864

/** The write-ahead log of a database, for its writing connection. */
export interface WriteAheadLog {
  /** Tells that somebody writes, so that the next `trim` leaves the log alone. */
  recordWrite(): void
  /** Empties the log when it is large and nobody has written since the last call; returns its bytes. */
  trim(): number
}

/**
 * SQLite copies the log into the database by itself and begins it anew, but not while somebody reads from it: after
 * a long backup or export it is large, and its pages slow every reader down until it is emptied.
 */
export function createWriteAheadLog(writer: Connection): WriteAheadLog {
  let isIdle = false
  const bytes = () => statSync(`${writer.path}-wal`, { throwIfNoEntry: false })?.size ?? 0

  /** Does not wait for readers: the next time will do. */
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
      if (bytes() > MAX_LOG_BYTES && isIdle && !writer.inTransaction()) empty()
      isIdle = true
      return bytes()
    },
  }
}
