import { silentLog, systemClock } from '../../base/index.ts'
import {
  type Database,
  type DatabaseOptions,
  type DatabasePlace,
  openDatabase,
  openServerDatabase,
} from '../../db/index.ts'
import { type Config, databaseServer, SETTINGS } from '../../server/index.ts'
import { DIR_SETTINGS } from './server-config.ts'
import { UsageError } from './usage-error.ts'

/** The settings of commands that use the server's database only. */
export const DATABASE_SETTINGS = {
  ...DIR_SETTINGS,
  database: { ...SETTINGS.database, group: 'Options' },
  databasePasswordFile: { ...SETTINGS.databasePasswordFile, group: 'Options' },
  databaseRootCert: { ...SETTINGS.databaseRootCert, group: 'Options' },
}

/** Nobody else waits for a command: a statement of it may take an hour. */
const PATIENCE_MS = 3_600_000

/** Where the configured database is. @throws AppError as `databaseServer` does. */
export function placeOf(config: Config): DatabasePlace {
  const server = databaseServer(config)
  return server ? { server } : { dir: config.dir }
}

/** What commands call the place of the database in their results. */
export function namePlace(config: Config): { dir: string } | { database: string } {
  return config.database === '' ? { dir: config.dir } : { database: config.database }
}

/**
 * Opens the configured database for this process alone: a running server refuses it.
 * @throws AppError that states a remedy, as `openDatabase` and `openServerDatabase` do.
 */
export async function openConfigured(
  config: Config,
  { onLogLoss, ...options }: Pick<DatabaseOptions, 'create' | 'names' | 'onLogLoss'> = {},
): Promise<Database> {
  const place = placeOf(config)
  const common = { clock: systemClock, log: silentLog, ...options }
  if ('dir' in place) return openDatabase({ ...common, ...place, ...(onLogLoss && { onLogLoss }) })
  if (onLogLoss) throw new UsageError('--accept-loss applies to a database in a file, not to PostgreSQL')
  return openServerDatabase({ ...common, ...place, patienceMs: PATIENCE_MS })
}
