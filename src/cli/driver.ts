import { homedir } from 'node:os'
import {
  createLog,
  describeProblem,
  flag,
  type GivenFlags,
  kinds,
  type LogFormat,
  type LogLevel,
  systemClock,
} from '../base/index.ts'
import {
  DRIVER_SETTINGS,
  type DriverSettings,
  listDevices,
  readDriverSettings,
  runDeviceHost,
  startDriver,
} from '../driver/index.ts'
import { OPERATIONS } from '../protocol/index.ts'
import { defineCommand, defineGroup } from './command-line/command.ts'
import { untilStopped } from './command-line/signals.ts'
import { UsageError } from './command-line/usage-error.ts'
import { version } from './version.ts'

/**
 * Problems of these settings are usage errors; the others are reported together with those of the device
 * options.
 */
const USAGE: readonly string[] = ['operation', 'device', 'logLevel', 'logFormat']

/** @throws UsageError when operation, device or log settings are missing or wrong. */
function readSettings(flags: GivenFlags): DriverSettings {
  const settings = readDriverSettings({ flags, env: process.env })
  const problem = settings.problems.find(({ name }) => USAGE.includes(name))
  if (!problem) return settings
  if (!problem.isMissing) throw new UsageError(describeProblem(problem))
  const known =
    problem.name === 'operation'
      ? `use one of ${OPERATIONS.join(', ')}`
      : `known ${settings.values.operation} devices: ${listDevices(settings.values.operation).join(', ') || 'none built in'}`
  throw new UsageError(`missing ${problem.place}; ${known}`)
}

const startCommand = defineCommand({
  summary: 'Run a driver next to lab equipment',
  settings: DRIVER_SETTINGS,
  async run({ given }) {
    const settings = readSettings(given)
    const level: LogLevel = settings.values.logLevel
    const format: LogFormat = settings.values.logFormat
    const log = createLog({ level, format })
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

const devicesCommand = defineCommand({
  summary: 'List the built-in devices of this version',
  flags: { operation: flag(kinds.choice(OPERATIONS), 'Only devices of this operation') },
  run({ flags: { operation } }) {
    const operations = operation ? [operation] : OPERATIONS
    return operations.map((each) => ({ operation: each, devices: listDevices(each) }))
  },
  print(listed, { flags }) {
    for (const { operation, devices } of listed) {
      if (flags.operation) for (const name of devices) console.log(name)
      else console.log(`${operation}: ${devices.join(' ')}`.trimEnd())
    }
  },
})

const workerCommand = defineCommand({
  summary: 'Run the device for its driver',
  isHidden: true,
  run: () => runDeviceHost({ env: process.env }),
})

export const driverCommand = defineGroup('Run drivers and list devices', {
  start: () => startCommand,
  devices: () => devicesCommand,
  worker: () => workerCommand,
})
