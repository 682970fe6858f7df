import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLParseError } from 'yaml'
import {
  AppError,
  describeProblem,
  type GivenFlags,
  nearest,
  readSettings,
  type SettingSource,
  whatContent,
} from '../../base/index.ts'
import { databaseUrlOf } from './database-server.ts'
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
  /** The text of the config file; empty when there is none. */
  fileText: string
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
  return { config: values, sources, places, fileText: file?.text ?? '' }
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
  if (config.database !== '') checkDatabase(config, places)
  if (config.smtpHost !== '' && config.smtpFrom === '') {
    throw badConfig('--smtp-from: missing; with --smtp-host mails need a sender such as svc@example.org')
  }
}

/** Settings of a database in a file do not apply to one on a server. */
function checkDatabase(config: Config, places: Record<SettingName, string>): void {
  const isOfFile = config.checkpoints === 'external' || config.acknowledge === 'replicated'
  if (isOfFile) {
    const place = config.checkpoints === 'external' ? places.checkpoints : places.acknowledge
    throw badConfig(`${place}: not with ${places.database}; PostgreSQL replicates by its own means`)
  }
  if (config.backupEvery > 0)
    throw badConfig(
      `${places.backupEvery}: not with ${places.database}; back PostgreSQL up with pg_dump or the backups of its provider`,
    )
  const { hostname } = databaseUrlOf(config.database)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (!isHere && config.databaseRootCert === '') {
    throw badConfig(
      `--database-root-cert: missing; the connection to ${hostname} is encrypted, so name the certificates that sign the one of the server`,
    )
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

/** A value of the config file and where it stands. */
interface ConfigFileEntry {
  value: unknown
  /** File, line and key, for errors. */
  place: string
}

/**
 * Values by setting name. One parser reads YAML and JSON, because JSON is YAML, and it knows the line of each
 * key.
 * @throws AppError `invalid` for an unreadable file and for an unknown key.
 */
function readConfigFile({ path, text }: { path: string; text: string }): Map<string, ConfigFileEntry> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  assertReadable(path, text, document.errors[0])
  const { contents } = document
  const entries = new Map<string, ConfigFileEntry>()
  if (contents === null) return entries
  if (!isMap(contents)) throw badConfig(`${path}: expected keys with values such as serverPort: 8090`)
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const line = `${path}, line ${lines.linePos(start).line}`
    if (!Object.hasOwn(SETTINGS, name)) throw badConfig(`${line}: unknown key ${name}; ${keyLike(name)}`)
    entries.set(name, { value: isNode(value) ? value.toJS(document) : value, place: `${line}: ${name}` })
  }
  return entries
}

/** @throws AppError for a file that is not YAML, without the words of the parser, which are about grammar. */
function assertReadable(path: string, text: string, error: YAMLParseError | undefined): void {
  const what = whatContent(Buffer.from(text))
  if (!error && !/binary|program/.test(what)) return
  const line = error?.linePos ? ` with an error at line ${error.linePos[0].line}` : ''
  throw badConfig(`${path}: not readable as YAML or JSON; the file is ${what}${line}`)
}

/** A key of flags, of the environment, or with a typing error is one of the file in another writing. */
function keyLike(name: string): string {
  const words = name.replace(/^(--|SVC_)/i, '')
  const written = words.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
  const meant = Object.hasOwn(SETTINGS, written) ? written : nearest(words, Object.keys(SETTINGS))
  return meant === undefined ? 'see svc serve --help' : `did you mean ${meant}?`
}

/** The error of a wrong configuration: the program exits with status 2. */
function badConfig(message: string): AppError {
  return new AppError('invalid', message, { reason: 'bad_config' })
}
