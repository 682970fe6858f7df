import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  AppError,
  expected,
  group,
  kinds,
  readSettings,
  reasonOf,
  repeatableFlag,
  requiredSetting,
  type SettingProblem,
  type SettingsInput,
  type SettingsReading,
  type SettingsTable,
  setting,
  ValueError,
  type ValueKind,
  variableOf,
} from '../base/index.ts'
import { checkSafePath, listDevices, notSafe, type PathContext } from '../devices/index.ts'
import { OPERATIONS, type Operation, parseFingerprint } from '../protocol/index.ts'

const { choice, nonEmptyText, secret, text } = kinds

/**
 * Every setting of `driver start`, declared once: flag, environment variable, default, `--help` and
 * docs/reference/settings.md follow from the declaration.
 */
export const DRIVER_SETTINGS = {
  ...group('Device', {
    operation: requiredSetting(choice(OPERATIONS), 'Operation that the driver provides', { variable: '' }),
    device: requiredSetting(
      nonEmptyText('device'),
      'Built-in or installed device name, ./module.js#export, or module:attr of Python',
      { short: 'd' },
    ),
    python: setting(
      text('path'),
      '',
      'Python of devices in Python: interpreter or folder of a virtual environment; if unset, the python3 beside svc-driver or on the PATH',
    ),
    option: repeatableFlag(text('key=value'), 'Device option; may be repeated', { short: 'o' }),
    dataDir: setting(text('path'), './bin/data', 'Data folder of the driver; -o data_dir= overrides it'),
  }),
  ...group('Server', {
    svcAddr: setting(
      kinds.nonEmptyList(serverAddress()),
      'http://127.0.0.1:8090',
      'Address of the server, or those of all its machines',
      { short: 'a', variable: 'SVC_ADDR' },
    ),
    token: requiredSetting(
      secret(text('token')),
      'Access token of the driver; --token-file and the variable hide it from other users',
      { short: 't', variable: 'SVC_ACCESS_TOKEN' },
    ),
    tokenFile: setting(text('path'), '', 'File that contains the access token; - reads standard input', {
      variable: 'SVC_ACCESS_TOKEN_FILE',
    }),
    caFingerprint: requiredSetting(
      fingerprint(),
      'SHA-256 fingerprint of the root CA, which the server prints at start',
    ),
    caFile: setting(
      text('path'),
      './bin/svc.ca.pem',
      'File in which the driver stores the root CA of the server',
    ),
  }),
  ...group('Logging', {
    logLevel: setting(choice(['debug', 'info', 'warn', 'error']), 'info', 'Minimum level of logged messages'),
    logFormat: setting(choice(['auto', 'pretty', 'json']), 'auto', 'Log format'),
  }),
} satisfies SettingsTable

/** The settings of a driver as they were given, with the problems found while reading them. */
export type DriverSettings = SettingsReading<typeof DRIVER_SETTINGS>

/** Reads flags (by setting name) and environment; the caller decides what to do about problems. */
export function readDriverSettings(input: Pick<SettingsInput, 'flags' | 'env'>): DriverSettings {
  return readSettings(DRIVER_SETTINGS, input)
}

/** How to reach the server, checked. */
export interface ServerAccess {
  /** Each without trailing slash, and once; of them one server leads. */
  addresses: string[]
  token: string
  /** Absolute. */
  caFile: string
  /** 64 hexadecimal digits. */
  pin: string
}

/**
 * The settings that concern the server, and every error of the settings, one per line. The access is complete
 * only without errors.
 */
export function checkAccess(
  settings: DriverSettings,
  place: PathContext,
): ServerAccess & { reasons: string[] } {
  const { values, places, problems } = settings
  const stored = readToken(settings, place)
  const reasons = problems
    .filter(({ name }) => !(stored && name === 'token'))
    .map((problem) => describe(problem, values.operation))
  if (stored?.reason !== undefined) reasons.push(stored.reason)
  const caFile = checkSafePath(values.caFile, place)
  if (caFile === undefined) {
    reasons.push(`bad value for ${places.caFile}: ${notSafe(values.caFile)}`)
  }
  return {
    addresses: [...new Set(values.svcAddr)],
    token: stored ? stored.token : values.token,
    caFile: caFile ?? '',
    pin: values.caFingerprint,
    reasons,
  }
}

/** As `--token-file`: the token comes from standard input. */
export const STANDARD_INPUT = '-'

/**
 * The token in the file; undefined when none is named, or when a token on the command line takes precedence.
 * The file may be anywhere: service managers mount credentials outside of the folders for data.
 */
function readToken(
  { values, sources, places }: DriverSettings,
  { cwd }: PathContext,
): { token: string; reason?: string } | undefined {
  if (values.tokenFile === '' || sources.token === 'flag') return undefined
  try {
    const { tokenFile } = values
    // Opened by its number: the file behind it may be closed to this user, who cannot open it by a name.
    const source = tokenFile === STANDARD_INPUT ? 0 : resolve(cwd, tokenFile)
    const token = readFileSync(source, 'utf8').trim()
    if (/^\S+$/.test(token)) return { token }
    return {
      token: '',
      reason: `bad value for ${places.tokenFile}: ${values.tokenFile} does not contain a token`,
    }
  } catch (error) {
    const reason = `bad value for ${places.tokenFile}: cannot read ${values.tokenFile}; ${reasonOf(error)}`
    return { token: '', reason }
  }
}

function describe(problem: SettingProblem, operation: Operation | undefined): string {
  const { name, place, isMissing, shownValue, reason } = problem
  if (!isMissing) return `bad value for ${place}: ${shownValue === '' ? '' : `${shownValue}; `}${reason}`
  const variable = variableOf(name, (DRIVER_SETTINGS as SettingsTable)[name])
  const what = `missing required option ${place}${variable === '' ? '' : ` (or ${variable})`}: ${reason}`
  if (name === 'operation') return `${what}, one of ${OPERATIONS.join(', ')}`
  const builtIn = name === 'device' && operation ? listDevices(operation) : []
  return builtIn.length === 0 ? what : `${what}; built-in ${operation} devices: ${builtIn.join(', ')}`
}

function serverAddress(): ValueKind<string> {
  return {
    hint: 'url',
    parse(value) {
      const url = URL.canParse(value) ? new URL(value) : undefined
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
        throw expected('an http or https address such as http://127.0.0.1:8090')
      }
      if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
        throw new ValueError('use only scheme, host, port and path')
      }
      return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
    },
    format: (value) => value,
  }
}

function fingerprint(): ValueKind<string> {
  return {
    hint: 'sha256',
    parse(value) {
      try {
        return parseFingerprint(value)
      } catch (error) {
        throw error instanceof AppError ? new ValueError(error.message) : error
      }
    },
    format: (value) => value,
  }
}
