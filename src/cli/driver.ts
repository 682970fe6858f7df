import { homedir } from 'node:os'
import { type ArgsDef, defineCommand } from 'citty'
import { createLog, type LogFormat, type LogLevel, systemClock } from '../base/index.ts'
import { type DriverSettings, listDevices, runDeviceHost, startDriver } from '../driver/index.ts'
import { OPERATIONS, type Operation } from '../protocol/index.ts'
import { type Flags, readFlags, UsageError } from './command-line/flags.ts'
import { untilStopped } from './command-line/signals.ts'
import { version } from './version.ts'

const operationArg = {
  type: 'string',
  valueHint: OPERATIONS.join('|'),
  description: 'What the driver does',
} as const

const startArgs: ArgsDef = {
  operation: operationArg,
  device: {
    type: 'string',
    alias: 'd',
    valueHint: 'device',
    description: 'Device: a built-in name or ./module.js#export (SVC_DEVICE)',
  },
  'svc-addr': {
    type: 'string',
    alias: 'a',
    valueHint: 'url',
    description: 'Server address (SVC_ADDR, default http://127.0.0.1:8090)',
  },
  token: {
    type: 'string',
    alias: 't',
    valueHint: 'token',
    description: 'Driver access token, required (SVC_ACCESS_TOKEN)',
  },
  'ca-file': {
    type: 'string',
    valueHint: 'path',
    description: "Where the server's root CA is kept (SVC_CA_FILE, default ./bin/svc.ca.pem)",
  },
  'ca-fingerprint': {
    type: 'string',
    valueHint: 'sha256',
    description: "Fingerprint of the server's root CA, required (SVC_CA_FINGERPRINT)",
  },
  'data-dir': {
    type: 'string',
    valueHint: 'path',
    description: 'Where the driver writes data (SVC_DATA_DIR, default ./bin/data)',
  },
  option: {
    type: 'string',
    alias: 'o',
    valueHint: 'key=value',
    description: 'Option of the device; may be repeated',
  },
  'log-level': { type: 'string', valueHint: 'debug|info|warn|error', description: 'Default info' },
  'log-format': { type: 'string', valueHint: 'auto|pretty|json', description: 'Default auto' },
}

function readOperation(flags: Flags, command: string): Operation | undefined {
  const given = flags['operation']
  const found = OPERATIONS.find((each) => each === given)
  if (given !== undefined && !found) {
    throw new UsageError(
      `${command}: unknown operation ${String(given)}; use one of ${OPERATIONS.join(', ')}`,
    )
  }
  return found
}

/** Flag, else variable, else default. */
function textOf(flags: Flags, name: string, variable: string, fallback: string): string {
  const given = flags[name]
  return typeof given === 'string' ? given : (process.env[variable] ?? fallback)
}

function readSettings(flags: Flags): DriverSettings {
  const operation = readOperation(flags, 'svc driver start')
  if (!operation) {
    throw new UsageError(`svc driver start: missing --operation; use one of ${OPERATIONS.join(', ')}`)
  }
  const device = textOf(flags, 'device', 'SVC_DEVICE', '')
  if (device === '') {
    const known = listDevices(operation).join(', ') || 'none built in'
    throw new UsageError(`svc driver start: missing --device; known ${operation} devices: ${known}`)
  }
  const options = flags['option']
  return {
    operation,
    device,
    svcAddr: textOf(flags, 'svc-addr', 'SVC_ADDR', 'http://127.0.0.1:8090'),
    token: textOf(flags, 'token', 'SVC_ACCESS_TOKEN', ''),
    caFile: textOf(flags, 'ca-file', 'SVC_CA_FILE', './bin/svc.ca.pem'),
    caFingerprint: textOf(flags, 'ca-fingerprint', 'SVC_CA_FINGERPRINT', ''),
    dataDir: textOf(flags, 'data-dir', 'SVC_DATA_DIR', './bin/data'),
    optionPairs: Array.isArray(options) ? options : [],
  }
}

function oneOf<const T extends string>(flags: Flags, name: string, options: readonly T[], fallback: T): T {
  const given = flags[name]
  if (given === undefined) return fallback
  const found = options.find((each) => each === given)
  if (!found) throw new UsageError(`--${name}: bad value ${String(given)}; use one of ${options.join(', ')}`)
  return found
}

const startCommand = defineCommand({
  meta: { name: 'start', description: 'Run a driver beside lab equipment' },
  args: startArgs,
  async run({ rawArgs }) {
    const flags = readFlags('svc driver start', rawArgs, startArgs)
    const settings = readSettings(flags)
    const log = createLog({
      level: oneOf<LogLevel>(flags, 'log-level', ['debug', 'info', 'warn', 'error'], 'info'),
      format: oneOf<LogFormat>(flags, 'log-format', ['auto', 'pretty', 'json'], 'auto'),
    })
    const driver = await startDriver(settings, {
      clock: systemClock,
      log,
      version,
      cwd: process.cwd(),
      home: homedir(),
      env: process.env,
    })
    await Promise.race([untilStopped(log, 'driver').then(() => driver.stop()), driver.finished])
    process.exit(0)
  },
})

const devicesArgs: ArgsDef = { operation: operationArg }

const devicesCommand = defineCommand({
  meta: { name: 'devices', description: 'List the devices this build can run' },
  args: devicesArgs,
  run({ rawArgs }) {
    const operation = readOperation(
      readFlags('svc driver devices', rawArgs, devicesArgs),
      'svc driver devices',
    )
    if (operation) {
      for (const name of listDevices(operation)) console.log(name)
      return
    }
    for (const each of OPERATIONS) console.log(`${each}: ${listDevices(each).join(' ')}`.trimEnd())
  },
})

const workerCommand = defineCommand({
  meta: { name: 'worker', description: 'Runs the device for its driver', hidden: true },
  run: () => runDeviceHost({ env: process.env }),
})

export const driverCommand = defineCommand({
  meta: { name: 'driver', description: 'Run drivers and list devices' },
  subCommands: { start: startCommand, devices: devicesCommand, worker: workerCommand },
})
