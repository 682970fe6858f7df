import { homedir } from 'node:os'
import { createLog, type LogFormat, type LogLevel, systemClock } from '../../base/index.ts'
import { DRIVER_SETTINGS, readDriverSettings, startDriver } from '../../driver/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { untilStopped } from '../command-line/signals.ts'
import { version } from '../version.ts'
import { programFolder } from './program-folder.ts'

export const startCommand = defineCommand({
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
