import { existsSync, readFileSync } from 'node:fs'
import { AppError, becomeOwner, type CallerPaths, type GivenFlags, reasonOf } from '../../base/index.ts'
import {
  type Config,
  type EffectiveConfig,
  notWithPostgres,
  readConfig,
  SETTINGS,
} from '../../server/index.ts'

/** The settings of commands that use the server's data folder only. */
export const DIR_SETTINGS = {
  dir: { ...SETTINGS.dir, group: 'Options' },
  configFile: { ...SETTINGS.configFile, group: 'Options' },
}

/**
 * The effective configuration of this process.
 * @throws AppError naming source, key, value and remedy.
 */
export function loadConfig(flags: GivenFlags): Config {
  return loadEffectiveConfig(flags).config
}

/**
 * The same for commands that work on the data folder, as whose owner they go on.
 * @throws AppError as `becomeOwner` does.
 */
export function loadDataConfig(flags: GivenFlags, paths: CallerPaths = {}): Config {
  const config = loadConfig(flags)
  becomeOwner(config.dir, paths)
  return config
}

/**
 * The same for commands that work on the file of the database.
 * @throws AppError `conflict` (`not_with_postgres`) when a server of PostgreSQL keeps it.
 */
export function loadFileConfig(flags: GivenFlags, paths: CallerPaths = {}): Config {
  const config = loadConfig(flags)
  if (config.database !== '') throw notWithPostgres()
  becomeOwner(config.dir, paths)
  return config
}

/** The same as `loadConfig`, with the place of each value. @throws AppError as `loadConfig` does. */
export function loadEffectiveConfig(flags: GivenFlags): EffectiveConfig {
  return readConfig({ flags, env: process.env, file: configFile(flags['configFile']) })
}

function configFile(flag: GivenFlags[string]): { path: string; text: string } | undefined {
  const given = typeof flag === 'string' ? flag : process.env['SVC_CONFIG_FILE'] || undefined
  const path = given ?? SETTINGS.configFile.defaultText
  if (given === undefined && !existsSync(path)) return undefined
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new AppError('invalid', `--config-file: cannot read ${path}; ${reasonOf(error)}`, {
      reason: 'bad_config',
    })
  }
}
