import { describeProblem, type GivenFlags, readSettings, type SettingSource } from '../../base/index.ts'
import { badConfig } from './bad-config.ts'
import { readConfigFile } from './config-file.ts'
import { type Config, SETTINGS, type SettingName } from './settings.ts'

interface ConfigInput {
  flags: GivenFlags
  env: Readonly<Record<string, string | undefined>>
  /** The config file, when there is one. */
  file?: { path: string; text: string } | undefined
}

/** The effective configuration, and where each value was given. */
export interface EffectiveConfig {
  config: Config
  sources: Record<SettingName, SettingSource>
  /** Flag, variable, or line and key of the config file; the flag for defaults. */
  places: Record<SettingName, string>
}

/**
 * Reads the effective configuration. Precedence: flag, environment, file, default.
 * @throws AppError `invalid` that names source, key, value and remedy.
 */
export function readConfig({ flags, env, file }: ConfigInput): EffectiveConfig {
  const { values, sources, places, problems } = readSettings(SETTINGS, {
    flags,
    env,
    file: file && readConfigFile(file),
  })
  const [problem] = problems
  if (problem) throw badConfig(describeProblem(problem))
  checkTogether(values, places)
  return { config: values, sources, places }
}

/** Checks settings against each other; `places` says where each was given. */
function checkTogether(config: Config, places: Record<SettingName, string>): void {
  if (config.portRangeEnd <= config.portRangeStart) {
    throw badConfig(
      `${places.portRangeEnd}: bad value ${config.portRangeEnd}; expected more than ${places.portRangeStart} (${config.portRangeStart})`,
    )
  }
  checkCollectionNames(config, places)
  if (config.acknowledge === 'replicated') checkReplicator(config, places)
  if (config.smtpHost !== '' && config.smtpFrom === '') {
    throw badConfig('--smtp-from: missing; with --smtp-host mails need a sender such as svc@example.org')
  }
}

function checkReplicator(
  { checkpoints, replicatorSocket }: Config,
  places: Record<SettingName, string>,
): void {
  if (checkpoints === 'server')
    throw badConfig(`${places.acknowledge}: replicated needs a replicator; add --checkpoints external`)
  if (replicatorSocket === '')
    throw badConfig(
      '--replicator-socket: missing; with --acknowledge replicated name the control socket of Litestream, such as /var/run/litestream.sock',
    )
}

function checkCollectionNames(config: Config, places: Record<SettingName, string>): void {
  const owners = new Map<unknown, string>()
  for (const [setting, place] of Object.entries(places)) {
    if (!setting.endsWith('Collection')) continue
    const name = config[setting as SettingName]
    const other = owners.get(name)
    if (other !== undefined) throw badConfig(`${place}: bad value ${name}; ${other} has the same name`)
    owners.set(name, place)
  }
}
