import { silentLog, systemClock } from '../../base/index.ts'
import {
  acceptStateLoss,
  type Database,
  type DatabaseOptions,
  type DatabasePlace,
  type LogLoss,
  openDatabase,
  openServerDatabase,
} from '../../db/index.ts'
import { type Config, databaseServer, SETTINGS } from '../../server/index.ts'
import { DIR_SETTINGS } from './server-config.ts'

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
 * Opens the configured database for this process alone: a running server refuses it. With `onLoss`, changes
 * that are lost are accepted and reported.
 * @throws AppError that states a remedy, as `openDatabase` and `openServerDatabase` do.
 */
export async function openConfigured(
  config: Config,
  {
    onLoss,
    ...options
  }: Pick<DatabaseOptions, 'create' | 'names'> & { onLoss?: (loss: LogLoss) => void } = {},
): Promise<Database> {
  const place = placeOf(config)
  const common = { clock: systemClock, log: silentLog, ...options }
  if ('dir' in place) return openDatabase({ ...common, ...place, ...(onLoss && { onLogLoss: onLoss }) })
  const db = await openServerDatabase({ ...common, ...place, patienceMs: PATIENCE_MS })
  const loss = onLoss && (await db.write('accept loss', (tx) => acceptStateLoss(tx, config.dir)))
  if (loss) onLoss(loss)
  return db
}
