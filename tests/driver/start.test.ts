import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { AppError } from '../../src/base/index.ts'
import { notSafe } from '../../src/devices/safe-path.ts'
import { StartupError } from '../../src/driver/index.ts'
import { EVENTS } from '../../src/protocol/index.ts'
import { outboxIds } from '../support/outbox-ids.ts'
import { until } from '../support/until.ts'
import { certificates, type DriverFlags, openBench } from './support/driver.ts'
import { DEVICES } from './support/host.ts'
import { runJobOf } from './support/jobs.ts'

test('startDriver() connects, sends its hello, runs jobs and removes acknowledged results', async () => {
  await using bench = await openBench()
  const driver = await bench.attach()
  bench.server.push(runJobOf('ok one'))
  await bench.event('JobResult')
  bench.server.push(runJobOf('ok two', { job: 'job000000000002' }))
  await bench.event('JobResult', 2)
  expect(bench.server.events.map((event) => event.type)).toEqual(['DriverHello', 'JobResult', 'JobResult'])
  for (const event of bench.server.events) {
    const declared = EVENTS.find((each) => each.type === event.type)
    expect(declared && v.is(declared.payload, event.payload)).toBe(true)
  }
  expect(bench.server.events[0]?.payload).toEqual({
    version: '2026.11.0',
    device: 'wild',
    epoch: 1,
    running: null,
    describes: false,
    outbox: [],
  })
  await driver.stop()
  await driver.finished
  expect((await readdir(bench.outbox)).sort()).toEqual(['journal', 'owner'])
  expect(await outboxIds(bench.outbox)).toEqual([])
  expect(bench.server.connects[0]).toMatchObject({
    operation: 'process',
    device: 'wild',
    version: '2026.11.0',
  })
})

const secure = (bench: { folder: string }): DriverFlags => ({
  dataDir: join(bench.folder, 'data'),
})
const ERRORS: [string, (bench: { folder: string }) => DriverFlags, string[]][] = [
  [
    'an unknown device',
    () => ({ device: 'no-such-device' }),
    ['unknown process device no-such-device; known devices: '],
  ],
  [
    'an unsafe --data-dir',
    () => ({ dataDir: '/tmp-evil' }),
    [`bad value for -o data_dir: ${notSafe('/tmp-evil')}`],
  ],
  [
    'a device that refuses',
    (bench) => ({ ...secure(bench), option: ['greeting=hi', 'refuse_check=true'] }),
    ['startup error: the fridge is warm'],
  ],
  [
    'a device that crashes during its start',
    () => ({ device: `${DEVICES}#crasher` }),
    ['startup error: device process exited (SIGABRT)'],
  ],
  [
    'several errors at once',
    () => ({ option: ['job_timeout=x'], token: '', caFingerprint: 'zz', svcAddr: 'lab', caFile: '/x' }),
    [
      'missing required option greeting (for example -o greeting=hello)',
      'bad value for -o job_timeout: "x"; expected a number of seconds from 0.001 to 86400',
      'bad value for --svc-addr: "lab"; expected an http or https address',
      'missing required option --token (or SVC_ACCESS_TOKEN)',
      'bad value for --ca-fingerprint: "zz" is not a SHA-256 fingerprint',
      `bad value for --ca-file: ${notSafe('/x')}`,
    ],
  ],
]

test.each(ERRORS)('startDriver() refuses %s before any request to the server', async (_, change, lines) => {
  await using bench = await openBench()
  const error = await bench.start(change(bench)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StartupError)
  const reasons = error instanceof StartupError ? error.message.split('\n') : []
  expect(reasons).toHaveLength(lines.length)
  for (const [index, line] of lines.entries()) expect(reasons[index]).toStartWith(line)
  expect(bench.server.requests).toEqual([])
})

test('startDriver() names the newest 1,000 results in its hello, which has to fit into one event', async () => {
  await using bench = await openBench()
  await mkdir(bench.outbox, { recursive: true })
  await writeFile(join(bench.outbox, 'owner'), 'driver000000001')
  const ids = Array.from({ length: 1_200 }, (_, at) => `job${String(at).padStart(12, '0')}.1`)
  const envelope = { type: 'JobResult', ts: '2026-01-31T09:00:00.000Z', payload: {} }
  for (const id of ids) await writeFile(join(bench.outbox, `${id}.json`), JSON.stringify({ ...envelope, id }))
  await bench.attach()
  const [hello] = bench.server.eventsOf('DriverHello')
  expect(hello?.payload).toMatchObject({ outbox: ids.slice(-1_000) })
})

test('startDriver() refuses a data dir in use by another driver', async () => {
  await using bench = await openBench()
  const first = await bench.start()
  await expect(bench.start()).rejects.toThrow(
    `data dir ${bench.settings['dataDir']} is in use by another driver`,
  )
  await first.stop()
  await bench.attach()
})

test('startDriver() refuses a data dir that cannot be created', async () => {
  await using bench = await openBench()
  await writeFile(join(bench.folder, 'file'), '')
  await expect(bench.start({ dataDir: join(bench.folder, 'file/data') })).rejects.toThrow('cannot be created')
})

test('startDriver() sends no token to a server with another CA, and stops', async () => {
  await using bench = await openBench()
  bench.server.caPem = certificates.foreign.caPem
  const driver = await bench.start()
  await expect(driver.finished).rejects.toThrow('the token was not sent')
  expect(bench.server.requests).toEqual(['GET /api/pub/root-ca.pem'])
})

test.each([
  [401, 'unauthorized', 'Unknown access token'],
  [400, 'invalid', 'Bad body'],
] as const)(
  'startDriver() stops when the response to the first connect is %d',
  async (status, code, message) => {
    await using bench = await openBench()
    bench.server.refuse = { status, message }
    const driver = await bench.start()
    const error = await driver.finished.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code, message: `connect was refused (${status}): ${message}` })
    expect(bench.server.connects).toHaveLength(1)
  },
)

test('startDriver() warns once about a token over plain HTTP to another machine', async () => {
  await using bench = await openBench()
  await bench.start({ svcAddr: 'http://192.0.2.1:8090' })
  expect(bench.messages()).toContain('the access token is sent over plain HTTP; use an https address')
  await using local = await openBench()
  await local.attach()
  expect(local.messages()).not.toContain('the access token is sent over plain HTTP; use an https address')
})

test('startDriver() works over https with the pinned CA', async () => {
  await using bench = await openBench({ https: true })
  await bench.attach()
  bench.server.push(runJobOf('ok'))
  expect((await bench.event('JobResult')).payload).toMatchObject({ status: 'completed' })
})

test('startDriver() never writes token and JWT to the log', async () => {
  await using bench = await openBench()
  const driver = await bench.attach()
  bench.server.push(runJobOf('throw'))
  await bench.event('JobResult')
  await driver.stop()
  const text = JSON.stringify(bench.lines)
  expect(text).not.toContain(bench.settings['token'])
  expect(text).not.toContain('jwt-1')
})

test('a monitor sends its readings, including those from before the connection', async () => {
  await using bench = await openBench()
  await bench.attach({ operation: 'monitor', device: `${DEVICES}#gauge`, option: [] })
  await bench.event('CryostatReading', 3)
  expect(bench.server.events[0]?.type).toBe('DriverHello')
  const values = bench.server.eventsOf('CryostatReading').map((event) => JSON.stringify(event.payload))
  expect(values[0]).toContain('"value":1')
})

test('a tuner receives maintenance commands', async () => {
  await using bench = await openBench()
  await bench.attach({ operation: 'calibrate', device: `${DEVICES}#tuner`, option: [] })
  bench.server.push({ type: 'SetMaintenance', on: true, reason: 'helium' })
  await until('the command is logged', () =>
    bench.lines.some((line) => line.message === 'maintenance received' && line['on'] === true),
  )
})

test('invalid commands change nothing', async () => {
  await using bench = await openBench()
  await bench.attach()
  bench.server.push({ type: 7 })
  bench.server.push({ type: 'RunJob', job: '../../x' })
  bench.server.push({ type: 'EventAck', event: 'unknown.1', applied: true })
  bench.server.push({ type: 'FromTheFuture', job: 1 })
  bench.server.push(runJobOf('ok'))
  await bench.event('JobResult')
  expect(bench.messages().filter((message) => message === 'invalid command')).toHaveLength(3)
})

test('a second job and an older lease are refused; the same attempt is confirmed, and runs once', async () => {
  await using bench = await openBench()
  await bench.attach()
  const end = join(bench.folder, 'end')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.event('JobStarted')
  bench.server.push(runJobOf('ok', { job: 'job000000000002' }))
  bench.server.push(runJobOf('ok', { job: 'job000000000003', epoch: 0 }))
  bench.server.push(runJobOf(`held ${end}`))
  await bench.event('JobHeartbeat')
  writeFileSync(end, '')
  await bench.event('JobResult')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.event('JobResult', 2)
  expect(bench.server.eventsOf('JobRefused').map((event) => event.payload)).toEqual([
    { job: 'job000000000002', attempt: 1, reason: 'busy' },
    { job: 'job000000000003', attempt: 1, reason: 'old_epoch' },
  ])
  expect(bench.server.eventsOf('JobHeartbeat')).toHaveLength(1)
  expect(bench.server.eventsOf('JobStarted')).toHaveLength(1)
  const [first, second] = bench.server.eventsOf('JobResult')
  expect(second).toEqual(first as never)
})

test.each([
  [
    'abort',
    {
      class: 'device',
      message: 'worker exited (SIGABRT) while running the job',
      error_code: 'worker_exited',
    },
  ],
  [
    'refuse',
    {
      class: 'user',
      message: 'circuit 0, line 3, column 7: gate foo is not known',
      error_code: 'unknown_gate',
    },
  ],
  ['throw', { class: 'user', error_code: 'device_error' }],
  ['nan', { class: 'user', error_code: 'invalid_results' }],
  ['large 34000000', { class: 'user', error_code: 'results_too_large' }],
])('a job that does `%s` fails, and the next one runs', async (circuit, error) => {
  await using bench = await openBench()
  await bench.attach()
  bench.server.push(runJobOf(circuit))
  expect((await bench.event('JobResult')).payload).toMatchObject({ status: 'failed', error })
  bench.server.push(runJobOf('ok', { job: 'job000000000002' }))
  expect((await bench.event('JobResult', 2)).payload).toMatchObject({ status: 'completed' })
})

test('a large result arrives complete', async () => {
  await using bench = await openBench()
  await bench.attach()
  bench.server.push(runJobOf('large 8000000'))
  const { payload } = await bench.event('JobResult')
  expect(JSON.stringify(payload).length).toBeGreaterThan(8_000_000)
})

test('DriverHandle.stop() lets the running job finish and delivers its result', async () => {
  await using bench = await openBench()
  const driver = await bench.attach()
  const end = join(bench.folder, 'end')
  bench.server.push(runJobOf(`held ${end}`))
  await bench.event('JobStarted')
  const stopped = driver.stop()
  bench.server.push(runJobOf('ok', { job: 'job000000000002' }))
  expect((await bench.event('JobRefused')).payload).toMatchObject({ reason: 'stopping' })
  writeFileSync(end, '')
  await stopped
  expect(bench.server.eventsOf('JobResult').map((event) => event.id)).toEqual(['job000000000001.1'])
  expect(await outboxIds(bench.outbox)).toEqual([])
  await until('the driver is detached', () => !bench.server.attached())
})

test('DriverHandle.stop() can be called twice, and before a connection', async () => {
  await using bench = await openBench()
  const driver = await bench.start({ svcAddr: 'http://127.0.0.1:1' })
  await Promise.all([driver.stop(), driver.stop()])
  await driver.finished
  await bench.attach()
})

test('a data dir is created with its parents', async () => {
  await using bench = await openBench()
  await mkdir(join(bench.folder, 'deep'))
  await bench.attach({ option: ['greeting=hi', `data_dir=${bench.folder}/deep/er/data`] })
  expect((await readdir(join(bench.folder, 'deep/er/data'))).sort()).toEqual(['driver.lock', 'outbox'])
})
