import type { FileConnection } from '../connection.ts'

/**
 * Keeps the log as it is when the process exits without closing the database, whatever ends it: the runtime
 * closes every connection then, which would put the log into the database and leave the mark of a log that no
 * longer exists. An open read transaction prevents that, and the next start goes on as after a kill. Returns
 * how to end the guard before the connections are closed in order.
 */
export function keepLogAtExit(reader: FileConnection): () => void {
  const hold = () => {
    try {
      if (!reader.inTransaction()) reader.begin('read')
      reader.one('SELECT count(*) FROM sqlite_schema')
    } catch {
      // Without the guard, the next start may ask for a decision about a log of which nothing is missing.
    }
  }
  process.on('exit', hold)
  return () => void process.off('exit', hold)
}
