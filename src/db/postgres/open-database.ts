import { COLLECTIONS } from '../collections.ts'
import { type CommonOptions, openDatabaseOn, type Schema } from '../open-database.ts'
import type { Database } from '../records/database.ts'
import { MIGRATIONS } from '../schema/migrations/index.ts'
import { openServerEngine, type ServerOptions } from './open-engine.ts'

type ServerDatabaseOptions = ServerOptions & CommonOptions

/**
 * Opens the database of a server of PostgreSQL and brings it to `schema`.
 * @throws AppError that states a remedy, as `openServerEngine` does, and `database_newer`,
 *   `migration_missing` or others.
 */
export function openServerDatabase(
  options: ServerDatabaseOptions,
  schema: Schema = { collections: COLLECTIONS, migrations: MIGRATIONS },
): Promise<Database> {
  return openDatabaseOn((prepare) => openServerEngine(options, prepare), options, schema)
}
