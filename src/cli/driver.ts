import { homedir } from 'node:os'
import { basename, dirname } from 'node:path'
import { createLog, flag, kinds, type LogFormat, type LogLevel, systemClock } from '../base/index.ts'
import {
  type DeviceSchema,
  DRIVER_SETTINGS,
  describeDevices,
  listDevices,
  listInstalled,
  type OptionSchema,
  readDriverSettings,
  runDeviceHost,
  startDriver,
} from '../driver/index.ts'
import { OPERATIONS } from '../protocol/index.ts'
import { calibrateCommand } from './calibrate/calibrate.ts'
import { checkCommand } from './check/check.ts'
import { defineCommand, defineGroup } from './command-line/command.ts'
import { untilStopped } from './command-line/signals.ts'
import { UsageError } from './command-line/usage-error.ts'
import { restoreDeviceFileCommand } from './device-file/restore-device-file.ts'
import { version } from './version.ts'

const startCommand = defineCommand({
  summary: 'Run a driver next to lab equipment',
  settings: DRIVER_SETTINGS,
  async run({ given }) {
    const settings = readDriverSettings({ flags: given, env: process.env })
    const level: LogLevel = settings.values.logLevel
    const format: LogFormat = settings.values.logFormat
    const log = createLog({ level, format })
    // Before the device is opened: a signal meanwhile stops the driver in order once it is open.
    const stopped = untilStopped(log, 'driver')
    const driver = await startDriver(settings, {
      clock: systemClock,
      log,
      version,
      cwd: process.cwd(),
      home: homedir(),
      programFolder: programFolder(),
      env: process.env,
    })
    await Promise.race([stopped.then(() => driver.stop()), driver.finished])
    process.exit(0)
  },
})

/** The folder that contains `svc-driver` as it was started, before links are followed; empty when unknown. */
function programFolder(): string {
  const program = Bun.which(process.argv0)
  return program === null || basename(program) !== 'svc-driver' ? '' : dirname(program)
}

const devicesCommand = defineCommand({
  summary: 'List the devices that this version can run, or the options of one',
  flags: {
    operation: flag(kinds.choice(OPERATIONS), 'Only devices of this operation'),
    device: flag(kinds.nonEmptyText('name'), 'List the -o options of this device'),
    python: flag(kinds.nonEmptyText('path'), 'Python whose packages have devices, as for start'),
  },
  async run({ flags: { operation, device, python } }) {
    const { devices: installed, skipped } = await listInstalled({
      given: python ?? process.env['SVC_PYTHON'] ?? '',
      ...{ beside: programFolder(), cwd: process.cwd(), env: process.env, clock: systemClock },
    })
    for (const line of skipped) console.error(line)
    if (device !== undefined) return optionsOf(device, describeDevices(installed))
    const operations = operation ? [operation] : OPERATIONS
    return operations.map((each) => {
      const own = installed.filter((one) => one.operation === each).map(({ name }) => name)
      return { operation: each, devices: [...listDevices(each), ...own] }
    })
  },
  print(listed, { flags }) {
    if (!Array.isArray(listed)) return printOptions(listed)
    for (const { operation, devices } of listed) {
      if (flags.operation) for (const name of devices) console.log(name)
      else console.log(`${operation}: ${devices.join(' ')}`.trimEnd())
    }
  },
})

/** @throws UsageError for a device that this version does not have. */
function optionsOf(device: string, devices: readonly DeviceSchema[]): DeviceSchema {
  const found = devices.find(({ name }) => name === device.replaceAll('-', '_'))
  if (found) return found
  throw new UsageError(
    `There is no device ${device}; choose one of ${devices.map(({ name }) => name).join(', ')}`,
  )
}

function printOptions({ name, operation, options }: DeviceSchema): void {
  console.log(`${name} (${operation})`)
  for (const each of options) {
    const prefix = each.source === 'option' ? '-o ' : ''
    console.log(`\n  ${prefix}${each.key}=${placeholderOf(each)}\n    ${each.help}${remarkOn(each)}`)
  }
}

function placeholderOf({ form, choices }: OptionSchema): string {
  if (form === 'choice') return choices.join('|')
  return form === 'boolean' ? 'true|false' : `<${form}>`
}

function remarkOn({ required, default: initial, example, source }: OptionSchema): string {
  const facts = [
    ...(required ? ['required'] : []),
    ...(initial === null ? [] : [`default ${initial}`]),
    ...(example === null ? [] : [`for example ${example}`]),
    ...(source === 'environment' ? ['environment variable'] : []),
  ]
  return facts.length > 0 ? ` (${facts.join('; ')})` : ''
}

const workerCommand = defineCommand({
  summary: 'Run the device for its driver',
  isHidden: true,
  run: () => runDeviceHost({ env: process.env }),
})

export const driverCommand = defineGroup(
  'Run drivers and single routines, check instruments, list devices, restore their files',
  {
    start: () => startCommand,
    devices: () => devicesCommand,
    calibrate: () => calibrateCommand,
    check: () => checkCommand,
    'restore-device-file': () => restoreDeviceFileCommand,
    worker: () => workerCommand,
  },
)
