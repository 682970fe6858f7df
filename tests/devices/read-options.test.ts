import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../src/base/index.ts'
import { defineDevice, opt, type ResolvedDevice, readOptions, StartupError } from '../../src/devices/index.ts'
import { notSafe } from '../../src/devices/safe-path.ts'
import type { Operation } from '../../src/protocol/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const home = folder.path
mkdirSync(join(home, 'configs'))
writeFileSync(join(home, 'configs', 'calibration.yml'), 'routines: {}\n')
afterAll(() => folder[Symbol.dispose]())

const cryostat = defineDevice({
  operation: 'monitor',
  name: 'fridge',
  options: {
    channels: opt.list({ help: 'Channels', required: true, example: 'mapper.bf.tmc:K,mapper.bf.pmc:mbar' }),
    base_url: opt.url({ help: 'Address', default: 'http://127.0.0.1:49099' }),
    api_key: opt.secret({ help: 'Key' }),
    poll_interval: opt.seconds({ help: 'Pause', min: 0.2, default: 5 }),
  },
  create: () => ({ start: async () => undefined }),
})

const tuner = defineDevice({
  operation: 'calibrate',
  name: 'tuner',
  options: {
    calibration_config: opt.path({ help: 'Routines', required: true, example: './calibration.yml' }),
    count: opt.int({ help: 'Count', min: 1, max: 9 }),
    level: opt.number({ help: 'Level', max: 1 }),
    mode: opt.enum(['slow', 'fast'], { help: 'Mode', default: 'slow' }),
    title: opt.string({ help: 'Title' }),
    save: opt.bool({ help: 'Save', default: false }),
  },
  create: () => ({ start: async () => undefined, calibrate: async () => ({ status: 'success' }) }),
})

const qpu = defineDevice({
  operation: 'process',
  name: 'qpu',
  options: { seed: opt.int({ help: 'Seed' }) },
  create: () => ({ run: () => Promise.reject(new Error('not run')) }),
})

const DEFS = { monitor: cryostat, calibrate: tuner, process: qpu }

function builtIn(operation: Operation): ResolvedDevice {
  const def = DEFS[operation]
  return { def, label: def.name, imported: false }
}

function read(device: ResolvedDevice, pairs: string[], dataDir = './data') {
  return readOptions({ device, pairs, cwd: home, home, dataDir })
}

function errorsOf(operation: Operation, pairs: string[], dataDir?: string): readonly string[] {
  try {
    read(builtIn(operation), pairs, dataDir)
  } catch (error) {
    if (error instanceof StartupError) return error.reasons
    throw error
  }
  return []
}

const config = 'calibration_config=configs/calibration.yml'
const channels = 'channels=a:K'

const KNOWN =
  'known options: data_dir, is_dummy, job_timeout, scheduler_device_config, scheduler_hardware_config, seed'

const ERRORS: [Operation, string[], string[]][] = [
  ['process', ['verbose'], ['invalid option verbose; expected key=value']],
  ['process', [' =3'], ['invalid option  =3; expected key=value']],
  [
    'process',
    ['job_timout=3'],
    ['unknown option job_timout for process device qpu', `  did you mean job_timeout? ${KNOWN}`],
  ],
  [
    'monitor',
    [channels, 'wavelength=3'],
    [
      'unknown option wavelength for monitor device fridge',
      '  known options: api_key, base_url, channels, data_dir, poll_interval',
    ],
  ],
  ['process', ['save_raw_data=true'], ['unknown option save_raw_data for process device qpu', `  ${KNOWN}`]],
  [
    'monitor',
    [],
    ['missing required option channels (for example -o channels=mapper.bf.tmc:K,mapper.bf.pmc:mbar)'],
  ],
  [
    'process',
    ['scheduler_device_config=/srv/a.yml', 'scheduler_hardware_config=/tmp'],
    [
      `bad value for -o scheduler_hardware_config: ${notSafe('/tmp')}`,
      `bad value for -o scheduler_device_config: ${notSafe('/srv/a.yml')}`,
    ],
  ],
]
for (const path of ['configs/none.yml', 'configs'])
  ERRORS.push([
    'calibrate',
    [`calibration_config=${path}`],
    [`startup error: calibration config not found: ${path}`],
  ])

/** Values with what is wrong with them, beside the options that the device requires. */
const BAD: [Operation, string, string][] = [
  ['monitor', 'channels=', 'an item is empty; separate items by single commas'],
  ['monitor', 'base_url=ftp://x', 'not an http or https address'],
  ['monitor', 'poll_interval=0.1', '"0.1"; expected a number of seconds of at least 0.2'],
  ['monitor', 'poll_interval=abc', '"abc"; expected a number of seconds of at least 0.2'],
  ['monitor', 'api_key=', 'the value is empty'],
  ['calibrate', 'count=2.5', '"2.5"; expected a whole number from 1 to 9'],
  ['calibrate', 'count=10', '"10"; expected a whole number from 1 to 9'],
  ...['', 'NaN', '1e999', '0x1', '1V', '2'].map((text): [Operation, string, string] => {
    return ['calibrate', `level=${text}`, `"${text}"; expected a number of at most 1`]
  }),
  ['calibrate', 'mode=warp', '"warp"; expected one of slow, fast'],
  ['calibrate', 'save=maybe', '"maybe"; expected true or false'],
  ['calibrate', 'title=', 'the value is empty'],
  // Whether it exists is not revealed.
  ['calibrate', 'calibration_config=/etc/passwd', notSafe('/etc/passwd')],
  ['process', 'data_dir=/srv/data', notSafe('/srv/data')],
  ['process', 'job_timeout=0', '"0"; expected a number of seconds from 0.001 to 86400'],
]
const REQUIRED = { monitor: [channels], calibrate: [config], process: [] }

test.each(BAD)('readOptions() refuses for a %s device %s', (operation, pair, problem) => {
  const [key] = pair.split('=')
  expect(errorsOf(operation, [...REQUIRED[operation], pair])).toEqual([`bad value for -o ${key}: ${problem}`])
})

test.each(ERRORS)('readOptions() refuses for a %s device %j', (operation, pairs, reasons) => {
  expect(errorsOf(operation, pairs)).toEqual(reasons)
})

test('readOptions() checks the default data folder too', () => {
  expect(errorsOf('process', [], '/srv/data')).toEqual([`bad value for -o data_dir: ${notSafe('/srv/data')}`])
})

test('readOptions() accepts a data_dir that overrides an unsafe default', () => {
  expect(read(builtIn('process'), ['data_dir=/tmp/ok'], '/srv/data').dataDir).toBe('/tmp/ok')
})

test('readOptions() reports every error of a start, one per line, keys before values before files', () => {
  const pairs = ['calibration_config=configs/no.yml', 'data_dir=/srv', 'count=x', 'zzz=1', 'lonely']
  expect(errorsOf('calibrate', pairs)).toEqual([
    'invalid option lonely; expected key=value',
    'unknown option zzz for calibrate device tuner',
    '  known options: calibration_config, count, data_dir, level, mode, save, title',
    'bad value for -o count: "x"; expected a whole number from 1 to 9',
    `bad value for -o data_dir: ${notSafe('/srv')}`,
    'startup error: calibration config not found: configs/no.yml',
  ])
})

test('readOptions() splits at the first =, trims both sides and uses the last of equal keys', () => {
  const { options, raw } = read(builtIn('calibrate'), [config, 'title=first', ' title = a=b '])
  expect(options['title']).toBe('a=b')
  expect(raw['title']).toBe('a=b')
})

test('readOptions() converts values and fills in defaults', () => {
  const given = [config, 'count=+3', 'level=-1.5e-3', 'save=YES', 'mode=fast']
  expect(read(builtIn('calibrate'), given).options).toEqual({
    calibration_config: join(home, 'configs', 'calibration.yml'),
    count: 3,
    level: -0.0015,
    mode: 'fast',
    title: undefined,
    save: true,
  })
})

for (const [texts, value] of [
  [['1', 'true', 'Yes', 'ON'], true],
  [['0', 'FALSE', 'no', 'Off'], false],
] as const) {
  test(`opt.bool() reads ${texts.join(', ')} as ${value}`, () => {
    for (const text of texts)
      expect(read(builtIn('calibrate'), [config, `save=${text}`]).options['save']).toBe(value)
  })
}

test('readOptions() returns job_timeout in ms, 10 s by default', () => {
  expect(read(builtIn('process'), []).jobTimeoutMs).toBe(10_000)
  expect(read(builtIn('process'), ['job_timeout=2.5']).jobTimeoutMs).toBe(2_500)
  expect(read(builtIn('monitor'), [channels]).jobTimeoutMs).toBe(10_000)
})

test("readOptions() does not pass the driver's own keys to the device", () => {
  const read_ = read(builtIn('process'), ['seed=1', 'job_timeout=3', 'data_dir=/tmp/ok'])
  expect(read_.raw).toEqual({ seed: '1' })
  expect(read_.options).toEqual({
    is_dummy: false,
    scheduler_hardware_config: undefined,
    scheduler_device_config: undefined,
    seed: 1,
  })
})

test('readOptions() logs options of the operation that have no effect on the device', () => {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line), format: 'json' })
  readOptions({
    device: builtIn('process'),
    pairs: ['is_dummy=1', 'seed=1'],
    cwd: home,
    home,
    dataDir: 'data',
    log,
  })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', message: 'option has no effect on this device', option: 'is_dummy', device: 'qpu' },
  ])
})

test('readOptions() also checks the files of an imported device, and its calibration file', () => {
  const device: ResolvedDevice = {
    def: { name: 'own', operation: 'calibrate', create: tuner.create },
    label: './own.js#own',
    imported: true,
  }
  expect(() => read(device, ['scheduler_device_config=/srv/x.yml'])).toThrow(
    'is not in a safe location: below /etc',
  )
  expect(() => read(device, ['calibration_config=configs/no.yml'])).toThrow(
    'startup error: calibration config not found: configs/no.yml',
  )
  expect(read(device, [config, 'anything=goes']).raw).toEqual({
    calibration_config: 'configs/calibration.yml',
    anything: 'goes',
  })
})

test('readOptions() never repeats a secret', () => {
  expect(errorsOf('monitor', [channels, 'api_key=hunter2', 'poll_interval=x']).join()).not.toContain(
    'hunter2',
  )
})

test('readOptions() reads a secret from the file after @', () => {
  writeFileSync(join(home, 'fridge.key'), 'hunter2\n')
  const keyOf = (text: string) => read(builtIn('monitor'), [channels, `api_key=${text}`]).options['api_key']
  expect(keyOf('@fridge.key')).toBe('hunter2')
  expect(keyOf('@@home')).toBe('@home')
  expect(errorsOf('monitor', [channels, 'api_key=@no.key'])[0]).toMatch(
    /^bad value for -o api_key: cannot read no.key; there is no such file or folder/,
  )
})

const relay = defineDevice({
  operation: 'process',
  name: 'relay',
  environment: {
    RELAY_KEY_FILE: opt.path({ help: 'Key', required: true, example: '/etc/svc-driver/relay.key' }),
    RELAY_PORT: opt.int({ help: 'Port', default: 7, max: 65_535 }),
  },
  create: () => ({ run: () => Promise.reject(new Error('not run')) }),
})

function readRelay(env: Record<string, string | undefined>) {
  const device = { def: relay, label: relay.name, imported: false }
  return readOptions({ device, pairs: [], cwd: home, home, dataDir: './data', env })
}

test('readOptions() reads declared variables of the environment and no others', () => {
  const env = { RELAY_KEY_FILE: 'relay.key', RELAY_PORT: ' ', PATH: '/bin' }
  expect(readRelay(env).environment).toEqual({ RELAY_KEY_FILE: join(home, 'relay.key'), RELAY_PORT: 7 })
})

test.each([
  [{}, 'missing required variable RELAY_KEY_FILE (for example RELAY_KEY_FILE=/etc/svc-driver/relay.key)'],
  [
    { RELAY_KEY_FILE: '/usr/relay.key' },
    `bad value for the variable RELAY_KEY_FILE: ${notSafe('/usr/relay.key')}`,
  ],
  [
    { RELAY_KEY_FILE: 'relay.key', RELAY_PORT: 'x' },
    'bad value for the variable RELAY_PORT: "x"; expected a whole number of at most 65535',
  ],
])('readOptions() refuses the environment %j', (env, reason) => {
  expect(() => readRelay(env)).toThrow(reason)
})

test('readOptions() refuses a device whose variable it would never receive', () => {
  const variable = opt.string({ help: 'Key' })
  const def = defineDevice({ ...relay, options: {}, environment: { SVC_API_TOKEN: variable } })
  const device = { def, label: def.name, imported: true }
  expect(() =>
    readOptions({ device, pairs: [], cwd: home, home, dataDir: './data', env: { SVC_API_TOKEN: 'x' } }),
  ).toThrow('the device declares the variable SVC_API_TOKEN, which devices do not receive')
})
