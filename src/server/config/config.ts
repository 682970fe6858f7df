import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { AppError, messageOf } from '../../base/index.ts'
import { oauth2Providers } from './oauth2-providers.ts'
import {
  bool,
  choice,
  duration,
  integer,
  ipAddress,
  list,
  rate,
  type Setting,
  setting,
  text,
} from './setting.ts'

const collectionName = text('name', {
  pattern: /^[a-z][a-z0-9_]{0,62}$/,
  expected: 'a lower-case name of letters, digits and underscores that starts with a letter',
})

const publicUrl = text('url', {
  pattern: /^(https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?)?$/,
  expected: 'an address such as https://svc.example.org, without query',
})
const mailAddress = text('address', {
  pattern: /^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)?$/,
  expected: 'an e-mail address such as svc@example.org or Lab <svc@example.org>',
})

/**
 * Every setting of the server, declared once. The flag (`--idle-threshold`), the variable
 * (`SVC_IDLE_THRESHOLD`) and the config key (`idleThreshold`) follow from the name.
 */
export const SETTINGS = {
  configFile: setting(text('path'), 'svc.config.yml', 'Config file, JSON or YAML'),
  dir: setting(text('path'), 'svc_data', 'Folder of the database'),
  siteName: setting(
    text('name', { pattern: /^[^\p{Cc}]{1,60}$/u, expected: 'a name of at most 60 characters' }),
    'svc',
    'Name of the service on its pages',
  ),
  domain: setting(text('host'), '', 'Domain of the server, placed in its TLS certificate'),
  ipAddr: setting(ipAddress(), '127.0.0.1', 'Public IP of the server, placed in its TLS certificate'),
  listenAddr: setting(
    text('ip'),
    '',
    'Address to listen on; by default loopback while --ip-addr is loopback, otherwise every interface',
  ),
  serverPort: setting(integer(0, 65_535), '8090', 'HTTP port'),
  httpsPort: setting(integer(0, 65_535), '8443', 'HTTPS port; 0 switches HTTPS off'),
  tlsCaCertFile: setting(text('path'), '.svc.ca.pem', 'Root CA certificate'),
  tlsCaKeyFile: setting(text('path'), '.svc.ca.key', 'Root CA key'),
  tlsCertFile: setting(text('path'), '.svc.cert.pem', 'TLS certificate'),
  tlsKeyFile: setting(text('path'), '.svc.key', 'TLS key'),
  qpusCollection: setting(collectionName, 'qpus', 'Collection name of the QPUs'),
  timeslotsCollection: setting(collectionName, 'time_slots', 'Collection name of the bookings'),
  jobsCollection: setting(collectionName, 'quantum_jobs', 'Collection name of the jobs'),
  apiTokensCollection: setting(collectionName, 'api_tokens', 'Collection name of the API tokens'),
  notificationsCollection: setting(collectionName, 'notifications', 'Collection name of the notifications'),
  qpuTimeRequestsCollection: setting(
    collectionName,
    'qpu_time_requests',
    'Collection name of the QPU time requests',
  ),
  idleThreshold: setting(duration(), '5s', 'Wait before a job of another user may use a booked slot'),
  recoveryInterval: setting(duration(10), '10s', 'How often silent jobs are looked for'),
  jobTimeout: setting(duration(100), '20s', 'Silence of a running job after which it is queued again'),
  dispatchPollInterval: setting(duration(10), '1s', 'Longest pause between two looks at the queue'),
  maxAttempts: setting(integer(0, 1_000), '5', 'Attempts before a job fails; 0 means no limit'),
  jobsVisibility: setting(choice(['public', 'owner']), 'public', 'Who may read the jobs collection'),
  portRangeStart: setting(integer(1, 65_535), '6000', 'First message-socket port'),
  portRangeEnd: setting(integer(1, 65_535), '7000', 'Last message-socket port'),
  disableEmailPasswordAuth: setting(bool(), 'false', 'Switch password login of users off'),
  oauth2Providers: setting(oauth2Providers(), '', 'OAuth2 providers, a JSON array', true),
  allowSignup: setting(bool(), 'false', 'Let anybody create a user account'),
  publicUrl: setting(
    publicUrl,
    '',
    'Address of the server in links of mails; by default the one printed at start',
  ),
  smtpHost: setting(text('host'), '', 'Mail server; without it nobody gets mail'),
  smtpPort: setting(integer(1, 65_535), '587', 'Port of the mail server'),
  smtpTls: setting(
    choice(['starttls', 'tls', 'none']),
    'starttls',
    'How the connection to the mail server is encrypted',
  ),
  smtpCaFile: setting(
    text('path'),
    '',
    'Issuer of the certificate of the mail server, if it is not a public one',
  ),
  smtpUser: setting(text('name'), '', 'Login at the mail server; none when empty'),
  smtpPassword: setting(text('password'), '', 'Password at the mail server', true),
  smtpFrom: setting(mailAddress, '', 'Sender of mails, such as svc@example.org'),
  corsOrigins: setting(list(), '', 'Origins of browser pages that may call the API; * for all'),
  loginRate: setting(
    integer(0, 100_000),
    '10',
    'Login attempts a minute per account and address; 0 = no limit',
  ),
  anonymousRate: setting(rate(), '20:60', 'Requests per address without login'),
  signupRate: setting(rate(), '0.1:20', 'Accounts that people may create for themselves, per address'),
  userRate: setting(rate(), '100:200', 'Requests per user'),
  submitRate: setting(rate(), '20:100', 'Job submissions per user'),
  maxPendingJobs: setting(integer(1, 10_000_000), '1000', 'Pending jobs a user may have'),
  maxSlotLength: setting(duration(60_000), '24h', 'Longest booking'),
  maxSlotAhead: setting(duration(60_000), '1440h', 'How far ahead a booking may start'),
  maxOpenTimeRequests: setting(integer(1, 1_000), '1', 'Open QPU time requests a user may have'),
  eventsRetention: setting(duration(), '720h', 'Age at which an event is pruned; 0 = never'),
  eventsPruneInterval: setting(duration(100), '1h', 'How often pruning runs'),
  eventRateLimit: setting(integer(0, 1_000_000), '100', 'Inbound events per second per driver; 0 = no limit'),
  calibrationRequestRetention: setting(
    duration(),
    '720h',
    'Age at which a finished calibration request is pruned; 0 = never',
  ),
  calibrationResultRetention: setting(
    duration(),
    '0',
    'Age at which a calibration report is pruned; 0 = never',
  ),
  calibrationFitRetention: setting(
    duration(),
    '720h',
    'Age at which traces are stripped from calibration reports; 0 = never',
  ),
  logFormat: setting(choice(['auto', 'pretty', 'json']), 'auto', 'Form of the log lines'),
  logLevel: setting(
    choice(['debug', 'info', 'warn', 'error']),
    'info',
    'Least important level that is logged',
  ),
} satisfies Record<string, Setting<never> | Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer T> ? T : never
/** The effective configuration: read once at start, then handed down. */
export type Config = Readonly<{ [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> }>
export type ConfigSource = 'flag' | 'environment' | 'file' | 'default'

/** Command-line flag of a setting: `idleThreshold` → `--idle-threshold`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Environment variable of a setting: `idleThreshold` → `SVC_IDLE_THRESHOLD`. */
export function variableOf(name: string): string {
  return `SVC_${flagOf(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

function badConfig(message: string): AppError {
  return new AppError('invalid', message, { reason: 'bad_config' })
}

interface ConfigInput {
  /** Flag values by setting name; `true` for a bare switch. */
  flags: Readonly<Record<string, string | boolean | undefined>>
  env: Readonly<Record<string, string | undefined>>
  /** The config file, when there is one. */
  file?: { path: string; text: string } | undefined
}

/**
 * The effective configuration and where each value came from. Precedence: flag, environment, file, default.
 * @throws AppError `invalid` naming source, key, value and remedy.
 */
export function readConfig(input: ConfigInput): {
  config: Config
  sources: Record<SettingName, ConfigSource>
} {
  const fromFile = input.file ? readConfigFile(input.file) : new Map<string, FileEntry>()
  const values: Record<string, unknown> = {}
  const sources: Record<string, ConfigSource> = {}
  const places: Record<string, string> = {}
  for (const [name, declared] of Object.entries(SETTINGS)) {
    const given = (
      [
        ['flag', flagOf(name), input.flags[name]],
        ['environment', variableOf(name), input.env[variableOf(name)]],
        ['file', fromFile.get(name)?.place ?? '', fromFile.get(name)?.value],
      ] as const
    ).find(([, , value]) => value !== undefined)
    sources[name] = given ? given[0] : 'default'
    places[name] = given ? given[1] : flagOf(name)
    values[name] = given ? parseValue(declared, given[1], given[2]) : declared.default
  }
  const config = Object.freeze(values) as Config
  checkTogether(config, places as Record<SettingName, string>)
  return { config, sources: sources as Record<SettingName, ConfigSource> }
}

function parseValue(declared: Setting<unknown>, source: string, value: unknown): unknown {
  const raw = typeof value === 'string' ? value : JSON.stringify(value)
  try {
    return declared.kind.parse(raw)
  } catch (error) {
    const shown = declared.secret ? '' : ` ${JSON.stringify(value)}`
    throw badConfig(`${source}: bad value${shown}; ${messageOf(error)}`)
  }
}

/** A value of the config file and where it stands. */
interface FileEntry {
  value: unknown
  /** File, line and key, for errors. */
  place: string
}

/** JSON is YAML too, so one parser reads both and knows the line of each key. */
function readConfigFile({ path, text }: { path: string; text: string }): Map<string, FileEntry> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error) throw badConfig(`${path}: not readable as YAML or JSON; ${error.message.split(':\n')[0]}`)
  const { contents } = document
  const entries = new Map<string, FileEntry>()
  if (contents === null) return entries
  if (!isMap(contents)) throw badConfig(`${path}: expected keys with values such as serverPort: 8090`)
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const line = `${path}, line ${lines.linePos(start).line}`
    if (!Object.hasOwn(SETTINGS, name)) throw badConfig(`${line}: unknown key ${name}; see svc serve --help`)
    entries.set(name, { value: isNode(value) ? value.toJS(document) : value, place: `${line}: ${name}` })
  }
  return entries
}

/** Settings that fit only together; `places` says where each was given. */
function checkTogether(config: Config, places: Record<SettingName, string>): void {
  if (config.portRangeEnd <= config.portRangeStart) {
    throw badConfig(
      `${places.portRangeEnd}: bad value ${config.portRangeEnd}; expected more than ${places.portRangeStart} (${config.portRangeStart})`,
    )
  }
  checkCollectionNames(config, places)
  if (config.smtpHost !== '' && config.smtpFrom === '') {
    throw badConfig('--smtp-from: missing; with --smtp-host mails need a sender such as svc@example.org')
  }
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
