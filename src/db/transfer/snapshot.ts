import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../base/index.ts'
import type { AnyCollection } from '../collection.ts'
import { COLLECTIONS } from '../collections/index.ts'
import { type Connection, openConnection } from '../connection.ts'
import { DATABASE_FILE } from '../database.ts'
import { type AnyRecord, createPlans } from '../plan.ts'
import { tableOf } from '../tables.ts'
import { readPage } from './pages.ts'

/** What the database held at one moment, read without disturbing a server that runs on it. */
export interface Snapshot {
  /** Every record in the order of insertion; a page is in memory at a time. */
  records(collection: AnyCollection): Generator<AnyRecord, void, undefined>
  close(): void
}

/**
 * Opens the database in `dir` for reading only.
 * @throws AppError `not_found` (`no_database`); `conflict` (`database_other_version`) when its tables are not
 *   those of this version.
 */
export function openSnapshot(dir: string): Snapshot {
  const path = join(dir, DATABASE_FILE)
  if (!existsSync(path)) {
    throw new AppError('not_found', `There is no database in ${dir}; name its folder with --dir`, {
      reason: 'no_database',
    })
  }
  const connection = openConnection(path, 'read')
  const planOf = createPlans()
  try {
    // The first read fixes the moment that all later ones see.
    connection.run('BEGIN DEFERRED')
    for (const collection of COLLECTIONS) mustHaveColumns(connection, collection)
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    *records(collection) {
      for (let after = 0; ; ) {
        const page = readPage(connection, collection, planOf(collection), after)
        if (page.last === undefined) return
        yield* page.records
        after = page.last
      }
    },
    close() {
      connection.run('COMMIT')
      connection.close()
    },
  }
}

function mustHaveColumns(connection: Connection, collection: AnyCollection): void {
  const stored = connection.all<{ name: string }>('SELECT name FROM pragma_table_info($table)', {
    table: collection.name,
  })
  const missing = tableOf(collection).columns.find(({ name }) => !stored.some((each) => each.name === name))
  if (!missing) return
  throw new AppError(
    'conflict',
    `The database has no ${collection.name}.${missing.name}: another version wrote it; export with that version, or start svc serve of this one on it first`,
    { reason: 'database_other_version' },
  )
}
