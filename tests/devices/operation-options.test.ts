import { expect, test } from 'bun:test'
import { type SettingsTable, variableOf } from '../../src/base/index.ts'
import { BUILT_IN_DEVICES } from '../../src/devices/index.ts'
import { deviceEnvironment } from '../../src/devices/operation-options.ts'
import { DRIVER_SETTINGS } from '../../src/driver/index.ts'
import { SETTINGS } from '../../src/server/config/settings.ts'

test('deviceEnvironment() leaves what libraries of instruments need, and no variable of the service', () => {
  const settings: SettingsTable = { ...SETTINGS, ...DRIVER_SETTINGS }
  const own = Object.entries(settings).map(([name, declared]) => variableOf(name, declared))
  expect(own).toContain('SVC_ACCESS_TOKEN')
  expect(own).toContain('SVC_SMTP_PASSWORD')
  const more = ['SVC_TOKEN', 'SVC_API_TOKEN', 'SVC_OF_A_LATER_VERSION', 'SVC_FAILPOINT', 'SVC_CONFIG_FILE']
  const rest = ['BUN_OPTIONS', 'BUN_BE_BUN', 'CREDENTIALS_DIRECTORY']
  const withheld = [...own.filter((name) => name !== ''), ...more, ...rest].map((name) => [name, 'x'])
  const passed = {
    PATH: '/bin',
    LD_LIBRARY_PATH: '/opt/visa',
    INSTRUMENT_KEY: 'x',
    SVC_CRYOSTAT_CA_FILE: '/a',
  }
  expect(deviceEnvironment({ ...Object.fromEntries(withheld), ...passed, EMPTY: undefined })).toEqual(passed)
})

test('deviceEnvironment() leaves each variable that a built-in device declares', async () => {
  const all = Object.values(BUILT_IN_DEVICES).flatMap((devices) => Object.values(devices))
  const names = (await Promise.all(all.map((load) => load()))).flatMap(({ environment = {} }) =>
    Object.keys(environment),
  )
  expect(names).toContain('SVC_CRYOSTAT_CA_FILE')
  expect(Object.keys(deviceEnvironment(Object.fromEntries(names.map((name) => [name, 'x']))))).toEqual(names)
})
