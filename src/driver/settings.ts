import {
  AppError,
  expected,
  group,
  kinds,
  readSettings,
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
import { checkSafePath, type PathContext } from '../devices/index.ts'
import { OPERATIONS, parseFingerprint } from '../protocol/index.ts'

const { choice, nonEmptyText, secret, text } = kinds

/**
 * Every setting of `driver start`, declared once: flag, environment variable, default, `--help` and
 * docs/reference/settings.md follow from the declaration.
 */
export const DRIVER_SETTINGS = {
  ...group('Device', {
    operation: requiredSetting(choice(OPERATIONS), 'Operation that the driver provides', { variable: '' }),
    device: requiredSetting(nonEmptyText('device'), 'Built-in device name or ./module.js#export', {
      short: 'd',
    }),
    option: repeatableFlag(text('key=value'), 'Device option; may be repeated', { short: 'o' }),
    dataDir: setting(text('path'), './bin/data', 'Data folder of the driver; -o data_dir= overrides it'),
  }),
  ...group('Server', {
    svcAddr: setting(serverAddress(), 'http://127.0.0.1:8090', 'Server address', {
      short: 'a',
      variable: 'SVC_ADDR',
    }),
    token: requiredSetting(secret(text('token')), 'Access token of the driver', {
      short: 't',
      variable: 'SVC_ACCESS_TOKEN',
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
  /** Without trailing slash. */
  svcAddr: string
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
  { values, places, problems }: DriverSettings,
  place: PathContext,
): ServerAccess & { reasons: string[] } {
  const reasons = problems.map(describe)
  const caFile = checkSafePath(values.caFile, place)
  if (caFile === undefined) {
    reasons.push(`bad value for ${places.caFile}: ${values.caFile} is not in a safe location`)
  }
  return {
    svcAddr: values.svcAddr,
    token: values.token,
    caFile: caFile ?? '',
    pin: values.caFingerprint,
    reasons,
  }
}

function describe({ name, place, isMissing, shownValue, reason }: SettingProblem): string {
  if (!isMissing) return `bad value for ${place}: ${shownValue === '' ? '' : `${shownValue}; `}${reason}`
  const variable = variableOf(name, (DRIVER_SETTINGS as SettingsTable)[name])
  return `missing required option ${place}${variable === '' ? '' : ` (or ${variable})`}: ${reason}`
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
