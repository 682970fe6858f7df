import { toTimestamp } from '../../base/index.ts'
import type { SqlReader } from '../engine/sql.ts'
import { openConnection } from './connection.ts'
import { existingDatabase } from './database-file.ts'

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
