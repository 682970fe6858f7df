import { type Connection, readerAt } from './engine/connection.ts'
import type { ServerAddress } from './engine/server-address.ts'
import type { SqlReader } from './engine/sql.ts'
import type { StoredTable } from './engine/stored-schema.ts'
import { openServerForReading } from './postgres/open-engine.ts'
import { assertInUse, storedTables as tablesOnServer } from './postgres/stored-schema.ts'
import { openConnection } from './sqlite/connection.ts'
import { existingDatabase } from './sqlite/database-file.ts'
import { storedTables } from './sqlite/stored-schema.ts'

/** Where a database is: in a data folder, or on a server of its own. */
export type DatabasePlace = { readonly dir: string } | { readonly server: ServerAddress }

/**
 * A connection that reads a database, even while a server uses it, and the tables that it has.
 * @throws AppError `not_found` (`no_database`) and others that state a remedy, as `existingDatabase` and
 *   `openServerForReading` do.
 */
export function openForReading(place: DatabasePlace): {
  connection: Connection
  tables: () => StoredTable[]
} {
  if ('dir' in place) {
    const connection = openConnection(existingDatabase(place.dir), 'read')
    return { connection, tables: () => storedTables(connection) }
  }
  const { connection } = openServerForReading(place.server)
  try {
    assertInUse(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  return { connection, tables: () => tablesOnServer(connection) }
}

/**
 * Reads a consistent snapshot of a database, even while a server uses it; `now` in ms since the epoch.
 * @throws AppError as `openForReading` does.
 */
export function readDatabase<T>(place: DatabasePlace, now: number, work: (tx: SqlReader) => T): T {
  const { connection } = openForReading(place)
  try {
    return connection.transaction('read', () => work(readerAt(connection, now)))
  } finally {
    connection.close()
  }
}
