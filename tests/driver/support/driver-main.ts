import { createLog, systemClock } from '../../../src/base/index.ts'
import { readDriverSettings, runDeviceHost, startDriver } from '../../../src/driver/index.ts'

// The two commands of the real program: `driver worker`, and `start` with the flags as JSON.
const [, , verb, settings = '{}'] = process.argv
if (verb === 'driver') {
  runDeviceHost({ env: process.env })
} else {
  const driver = await startDriver(readDriverSettings({ flags: JSON.parse(settings), env: {} }), {
    clock: systemClock,
    log: createLog({ format: 'json', level: 'error' }),
    version: '2026.11.0',
    cwd: process.cwd(),
    home: '/home/nobody',
    env: process.env,
  })
  process.on('SIGTERM', () => void driver.stop())
  await driver.finished
}
