import { toTimestamp } from '../../base/index.ts'
import type { Connection } from '../engine/connection.ts'
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
    const reader: SqlReader = {
      now,
      at: toTimestamp(now),
      one: connection.one,
      all: connection.all,
      version: connection.version,
    }
    return connection.transaction('read', () => work(reader))
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
