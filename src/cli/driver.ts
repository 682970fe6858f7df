import { homedir } from 'node:os'
import { createLog, flag, kinds, type LogFormat, type LogLevel, systemClock } from '../base/index.ts'
import {
  DRIVER_SETTINGS,
  listDevices,
  readDriverSettings,
  runDeviceHost,
  startDriver,
} from '../driver/index.ts'
import { OPERATIONS } from '../protocol/index.ts'
import { defineCommand, defineGroup } from './command-line/command.ts'
import { untilStopped } from './command-line/signals.ts'
import { version } from './version.ts'

const startCommand = defineCommand({
  summary: 'Run a driver next to lab equipment',
  settings: DRIVER_SETTINGS,
  async run({ given }) {
    const settings = readDriverSettings({ flags: given, env: process.env })
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
