import { homedir } from 'node:os'
import { createLog, type LogFormat, type LogLevel, messageOf, systemClock } from '../../base/index.ts'
import { StartupError } from '../../devices/index.ts'
import { DRIVER_SETTINGS, readDriverSettings, startDriver } from '../../driver/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { surviveFailingOutput } from '../command-line/output.ts'
import { programFolder } from '../command-line/program-folder.ts'
import { eraseArgument, protectMemory } from '../command-line/protect-memory.ts'
import { untilStopped } from '../command-line/signals.ts'
import { ExitError, exitStatus } from '../command-line/usage-error.ts'
import { version } from '../version.ts'

/**
 * Exit status when the device, the data dir or the server cannot be used now; another start may succeed. As
 * EX_UNAVAILABLE of sysexits(3).
 */
const UNAVAILABLE = 69

export const startCommand = defineCommand({
  summary: 'Run a driver next to lab equipment',
  settings: DRIVER_SETTINGS,
  async run({ given }) {
    surviveFailingOutput()
    const settings = readDriverSettings({ flags: given, env: process.env })
    const level: LogLevel = settings.values.logLevel
    const format: LogFormat = settings.values.logFormat
    const log = createLog({ level, format })
    // Before the device is loaded: its code must not read the token.
    protectMemory(log)
    if (settings.sources.token === 'flag' && settings.values.token) eraseArgument(settings.values.token)
    // Before the device is opened: a signal meanwhile stops the driver in order once it is open.
    const stopped = untilStopped(log, 'driver')
    try {
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
    } catch (error) {
      throw isLasting(error) ? error : new ExitError(UNAVAILABLE, messageOf(error))
    }
    process.exit(0)
  },
})

/** Whether a service manager need not start the driver again: its options or files are wrong. */
function isLasting(error: unknown): boolean {
  return (error instanceof StartupError && !error.mayPass) || exitStatus(error) === 2
}
