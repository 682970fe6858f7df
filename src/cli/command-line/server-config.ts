import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  AppError,
  becomeOwner,
  type CallerPaths,
  flushFolder,
  type GivenFlags,
  reasonOf,
} from '../../base/index.ts'
import {
  type Config,
  type ConfigSource,
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
  return configSource(flags).read()
}

/** Where the server of these flags reads its settings, and writes those that are changed while it runs. */
export function configSource(flags: GivenFlags): ConfigSource {
  const flag = flags['configFile']
  const given = typeof flag === 'string' ? flag : process.env['SVC_CONFIG_FILE'] || undefined
  const path = given ?? SETTINGS.configFile.defaultText
  const textOfFile = () => (given === undefined && !existsSync(path) ? undefined : readConfigFile(path))
  return {
    read(changed) {
      const text = changed ?? textOfFile()
      return readConfig({ flags, env: process.env, file: text === undefined ? undefined : { path, text } })
    },
    write: (text, before) => replaceConfigFile(path, text, () => (textOfFile() ?? '') === before),
  }
}

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AppError('invalid', `--config-file: cannot read ${path}; ${reasonOf(error)}`, {
      reason: 'bad_config',
    })
  }
}

/**
 * Through a link, so that it stays one; with the permissions of the file. Returns false if the file has
 * changed meanwhile.
 */
async function replaceConfigFile(path: string, text: string, isUnchanged: () => boolean): Promise<boolean> {
  try {
    const target = existsSync(path) ? realpathSync(path) : resolve(path)
    const next = `${target}.next`
    const file = await open(next, 'w', existsSync(target) ? statSync(target).mode : 0o600)
    await file.writeFile(text)
    await file.sync().finally(() => file.close())
    // Read last, and in the same turn, so that what an editor saves during the flush is not overwritten.
    const isReplaced = isUnchanged()
    if (isReplaced) renameSync(next, target)
    else rmSync(next)
    await flushFolder(dirname(target))
    return isReplaced
  } catch (error) {
    const message = `${path} is not changed: ${reasonOf(error)}; change it on the machine of the server, and reload it`
    throw new AppError('conflict', message, { reason: 'config_not_writable', cause: error })
  }
}
