import { type Connection, readerAt } from '../engine/connection.ts'
import type { SqlReader } from '../engine/sql.ts'
import type { StoredTable } from '../engine/stored-schema.ts'
import { openConnection } from './connection.ts'
import { existingDatabase } from './database-file.ts'
import { storedTables } from './stored-schema.ts'

/**
 * Reads a consistent snapshot of the database in `dir`, even while a server uses it; `now` in ms since the
 * epoch.
 * @throws AppError as `existingDatabase` does.
 */
export function readDatabase<T>(dir: string, now: number, work: (tx: SqlReader) => T): T {
  const connection = openConnection(existingDatabase(dir), 'read')
  try {
    return connection.transaction('read', () => work(readerAt(connection, now)))
  } finally {
    connection.close()
  }
}

/**
 * A connection that reads the database in `dir`, even while a server uses it, and the tables that it has.
 * @throws AppError as `existingDatabase` does.
 */
export function openForReading(dir: string): { connection: Connection; tables: () => StoredTable[] } {
  const connection = openConnection(existingDatabase(dir), 'read')
  return { connection, tables: () => storedTables(connection) }
}
