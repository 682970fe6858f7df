import { COLLECTIONS } from '../collections.ts'
import { type CommonOptions, openDatabaseOn, type Schema } from '../open-database.ts'
import type { Database } from '../records/database.ts'
import { MIGRATIONS } from '../schema/migrations/index.ts'
import { type FileOptions, openEngine } from './open-engine.ts'

/** Options and dependencies of `openDatabase`. */
export type DatabaseOptions = FileOptions & CommonOptions

/**
 * Locks the folder, opens (or creates) the database in `dir`, checks it and brings it to `schema`.
 * @throws AppError that states a remedy, with the reason `folder_in_use`, `database_damaged`, `log_lost`,
 *   `database_newer`, `migration_missing` or others.
 */
export function openDatabase(
  options: DatabaseOptions,
  schema: Schema = { collections: COLLECTIONS, migrations: MIGRATIONS },
): Promise<Database> {
  return openDatabaseOn((prepare) => openEngine(options, prepare), options, schema)
}
