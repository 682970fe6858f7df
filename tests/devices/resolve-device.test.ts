import { afterAll, expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { JobError, listDevices, openDevice, readOptions, resolveDevice } from '../../src/devices/index.ts'
import type { Operation } from '../../src/protocol/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const fixtures = join(import.meta.dir, 'fixtures')
const data = temporaryFolder()
afterAll(() => data[Symbol.dispose]())

function resolve<Op extends Operation>(operation: Op, device: string) {
  return resolveDevice({ operation, device, cwd: fixtures })
}

async function open<Op extends Operation>(operation: Op, name: string, pairs: string[] = []) {
  const device = await resolve(operation, name)
  const options = readOptions({ device, pairs, cwd: fixtures, home: homedir(), dataDir: data.path })
  return openDevice(device, {
    name: 'lab',
    options,
    log: silentLog,
    signal: new AbortController().signal,
    clock: systemClock,
  })
}

const job = {
  id: 'a'.repeat(15),
  attempt: 1,
  payload: {
    circuits: [{ circuit: 'OPENQASM 3.0; bit[1] c;' }],
    shots: 1,
    meas_level: 2,
    meas_return: 'single',
    memory: false,
  },
} as const

const io = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  phase: () => undefined,
}
const run = { ...job, payload: { ...job.payload, circuits: [...job.payload.circuits] } }

/** What is no device of the operation, by its name. */
const ERRORS: [device: string, message: string | RegExp, operation?: Operation][] = [
  ['qpu9', `unknown process device qpu9; known devices: ${listDevices('process').join(', ')}`],
  [
    'mypkg.mod:attr',
    'device mypkg.mod:attr is written in Python: only svc driver start runs devices in Python',
  ],
  [
    'devices.js',
    /^unknown process device devices\.js: a module is given as path, \.\/devices\.js or \.\/devices\.js#export; /,
  ],
  [
    'mock',
    /^unknown monitor device mock: it is a process device, use --operation process; known devices: /,
    'monitor',
  ],
  ['./devices.js#thermometer', 'device ./devices.js#thermometer is a monitor device, not process'],
  [
    './devices.js#Nameless',
    "device ./devices.js#Nameless does not name its operation; add operation: 'process'",
  ],
  [
    './devices.js#nothing',
    /^device \.\/devices\.js#nothing: \.\/devices\.js has no export nothing; it exports /,
  ],
  ['./devices.js#toString', /has no export toString/],
  ['./devices.js#number', /^device \.\/devices\.js#number is not a device definition/],
  ['./devices.js#uncreatable', /has no create\(context\) function$/],
  ['./absent.js#x', /^device \.\/absent\.js#x cannot be imported: Cannot find module '[^']*\/absent\.js'$/],
  ['./broken.js#x', /cannot be imported: the instrument library is not installed$/],
]

for (const [device, message, operation = 'process'] of ERRORS) {
  test(`resolveDevice() refuses ${device} to ${operation}`, async () => {
    const found = resolve(operation, device)
    await expect(found).rejects.toMatchObject({ name: 'StartupError' })
    await expect(found).rejects.toThrow(message)
  })
}

test('resolveDevice() finds built-in devices, with hyphens for underscores', async () => {
  const device = await resolve('process', 'placeholder-device')
  expect([device.def.name, device.label, device.imported]).toEqual([
    'placeholder_device',
    'placeholder_device',
    false,
  ])
})

test('resolveDevice() imports a definition and passes undeclared keys on as text', async () => {
  const pairs = ['depth=4', 'color=blue', 'job_timeout=3', 'data_dir=/tmp/x', 'is_dummy=maybe']
  const results = await (await open('process', './devices.js#declared', pairs)).run(run, io)
  expect(results.metadata).toEqual({
    raw: { depth: '4', color: 'blue', is_dummy: 'maybe' },
    options: { depth: 4 },
  })
})

test('resolveDevice() imports a definition created without defineDevice()', async () => {
  const results = await (await open('process', './devices.js#plain', ['key=a=b'])).run(run, io)
  expect(results.backend).toBe('plain')
  expect(results.metadata).toEqual({ raw: { key: 'a=b' }, options: {} })
})

test('resolveDevice() imports a class with a static operation', async () => {
  const results = await (await open('process', './devices.js#Classy', ['key=1'])).run(run, io)
  expect(results.metadata).toEqual({ raw: { key: '1' }, options: {} })
})

test('resolveDevice() imports a factory, whose JobError is recognized as one', async () => {
  const device = await open('process', './devices.js#failing', ['wish=luck'])
  const failed = await device.run(run, io).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(JobError)
  expect(failed).toMatchObject({ message: 'no luck today', errorCode: 'sold_out' })
})

test('resolveDevice() uses the default export without #', async () => {
  const device = await resolve('process', './devices.js')
  expect([device.def.name, device.imported]).toEqual(['devices', true])
})

test('resolveDevice() imports TypeScript, also by file address', async () => {
  const address = pathToFileURL(join(fixtures, 'typed-device.ts')).href
  for (const path of ['./typed-device.ts', join(fixtures, 'typed-device.ts'), address]) {
    const events: [string, unknown][] = []
    const device = await open('monitor', `${path}#typed_monitor`)
    await device.start({ emit: (type, payload) => events.push([type, payload]), every: () => undefined })
    expect(events).toEqual([
      ['CryostatReading', { readings: { t: { value: 4.2, unit: 'K', status: 'ok' } } }],
    ])
  }
})

test('openDevice() refuses a device without the function its operation needs', async () => {
  await expect(open('process', './devices.js#incomplete')).rejects.toThrow(
    'device ./devices.js#incomplete has no run() function, which process needs',
  )
})
