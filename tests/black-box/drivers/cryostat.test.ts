import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SimulatedFridge } from '../../../src/devices/index.ts'
import { coldFridge, type Readings } from '../../support/devices/cryostat.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const KEY = 'canary-0815'
const folder = temporaryFolder()
let service: Service
let qpu: { id: string }

beforeAll(async () => {
  service = await Service.install(folder.path)
  await service.start()
  qpu = await service.createQpu('kelvin')
})

afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

interface Stored {
  source: string
  driver: string
  qpu: string
  ts: string
  payload: { readings: Readings }
}

/** Registers a monitor and starts it as a process. */
async function startMonitor(name: string, options: string[], env: Record<string, string> = {}) {
  const body = { name, qpu: qpu.id, operation: 'monitor', device: 'cryostat_gen1' }
  const token = await service.admin()
  const made = await service.call<{ id: string; token: string; ca_fingerprint: string }>(
    'POST',
    '/api/op/drivers/create',
    { token, body },
  )
  expect(made.status).toBe(201)
  const own = join(folder.path, name)
  mkdirSync(own)
  const args = [
    ...['driver', 'start', '--operation', 'monitor', '--device', 'cryostat_gen1'],
    ...['--svc-addr', service.url, '--ca-fingerprint', made.body.ca_fingerprint],
    ...['--ca-file', join(own, 'ca.pem'), '--data-dir', join(own, 'data')],
    ...options.flatMap((option) => ['-o', option]),
  ]
  const driver = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: made.body.token, ...env } })
  return { id: made.body.id, driver }
}

/** The stored events of a driver, oldest first, as soon as there are `count`. */
async function stored(driver: string, count: number): Promise<Stored[]> {
  const query = new URLSearchParams({ filter: `driver = '${driver}'`, sort: 'ts', perPage: '100' })
  const token = await service.admin()
  return until(`${count} events`, async () => {
    const path = `/api/collections/events/records?${query}`
    const { status, body } = await service.call<{ items: Stored[] }>('GET', path, { token })
    expect(status).toBe(200)
    return body.items.length >= count && body.items
  })
}

test('readings of a cryostat are stored with the values it shows, and faults with their reasons', async () => {
  const startedAt = Date.now()
  await using fridge: SimulatedFridge = await coldFridge({ apiKey: KEY })
  fridge.texts.set('mapper.bf.valve', 'open')
  fridge.texts.set('mapper.bf.exact', '0.0123')
  fridge.faults.set('mapper.bf.p2', 'error')
  fridge.faults.set('mapper.bf.tstill', 'disconnected')
  const channels = ['tmixing:K', 'exact:K', 'valve', 'p2:mbar', 'tstill:K', 'nothing:V']
  const { id, driver } = await startMonitor('cold', [
    `channels=${channels.map((each) => `mapper.bf.${each}`).join()}`,
    `base_url=${fridge.url}`,
    `api_key=${KEY}`,
    'poll_interval=0.2',
  ])
  await using _driver = driver
  const events = await stored(id, 3)
  for (const { source, qpu: at, ts, payload } of events) {
    expect([source, at]).toEqual(['cold', qpu.id])
    expect(Date.parse(ts)).toBeGreaterThanOrEqual(startedAt)
    const readings = payload.readings
    expect(Object.keys(readings)).toEqual(channels.map((each) => `mapper.bf.${each.split(':')[0]}`))
    expect(readings).toMatchObject({
      'mapper.bf.tmixing': { unit: 'K', status: 'SYNCHRONIZED' },
      'mapper.bf.exact': { value: 0.0123, unit: 'K', status: 'SYNCHRONIZED' },
      'mapper.bf.valve': { value: null, unit: '', text: 'open' },
      'mapper.bf.p2': { value: null, status: 'ERROR', error: 'Device of mapper.bf.p2 does not answer' },
      'mapper.bf.tstill': { unit: 'K', status: 'DISCONNECTED', outdated: true },
      'mapper.bf.nothing': { value: null, unit: 'V', status: 'ERROR', error: 'no such channel (HTTP 404)' },
    })
    expect(Math.abs((readings['mapper.bf.tmixing']?.value ?? 0) - 0.01)).toBeLessThan(0.001)
  }
  const series = await service.call<{
    series: { channel: string; unit: string; max: number[]; count: number[] }[]
  }>('GET', `/api/events/series?${new URLSearchParams({ driver: 'cold', points: '1' })}`, {
    token: await service.admin(),
  })
  // Texts, faults and outdated values are gaps.
  expect(series.body.series.map(({ channel, unit }) => `${channel}:${unit}`)).toEqual([
    'mapper.bf.exact:K',
    'mapper.bf.tmixing:K',
  ])
  const [exact] = series.body.series
  expect(exact?.max).toEqual([0.0123])
  expect(exact?.count[0]).toBeGreaterThanOrEqual(events.length)
  driver.process.kill('SIGTERM')
  expect((await driver.ended()).status).toBe(0)
  expect(driver.log).toContain('channel has no value')
  expect(driver.log + JSON.stringify(events)).not.toContain(KEY)
})

test('a monitor outlives its cryostat, and reads on when it is back', async () => {
  const fridge = await coldFridge()
  const options = ['channels=mapper.bf.tmixing:K', `base_url=${fridge.url}`, 'poll_interval=0.2']
  const { id, driver } = await startMonitor('patient', options)
  await using _driver = driver
  const before = await stored(id, 1)
  await fridge.stop()
  await driver.untilLogged('no channel could be read')
  await using _back = await coldFridge({ port: Number(new URL(fridge.url).port) })
  await driver.untilLogged('cryostat responds again')
  await stored(id, before.length + 2)
  expect(driver.process.exitCode).toBeNull()
})

test('a certificate named in SVC_CRYOSTAT_CA_FILE reaches the device and is trusted', async () => {
  const { certPem: cert, keyPem: key } = await makeTestCertificates()
  await using fridge = await coldFridge({ tls: { cert, key } })
  const file = join(folder.path, 'fridge.pem')
  writeFileSync(file, cert)
  const options = ['channels=mapper.bf.tmixing:K', `base_url=${fridge.url}`, 'poll_interval=0.2']
  const { id, driver } = await startMonitor('secure', options, { SVC_CRYOSTAT_CA_FILE: file })
  await using _driver = driver
  const [event] = await stored(id, 1)
  expect(event?.payload.readings['mapper.bf.tmixing']?.status).toBe('SYNCHRONIZED')
})

test('a threshold reports a breach and its end once each, also across a kill of the server', async () => {
  await using fridge = await coldFridge()
  fridge.texts.set('mapper.bf.level', '0.5')
  const options = ['channels=mapper.bf.level:K', `base_url=${fridge.url}`, 'poll_interval=0.2']
  const { id, driver } = await startMonitor('watched', options)
  await using _driver = driver
  await stored(id, 1)
  const token = await service.admin()
  const body = { name: 'Level', driver: id, channel: 'mapper.bf.level', kind: 'above', limit: 1 }
  expect((await service.call('POST', '/api/collections/thresholds/records', { token, body })).status).toBe(
    200,
  )
  const reported = async () => {
    const query = new URLSearchParams({ filter: `driver = '${id}' && type ~ 'Threshold'`, sort: 'created' })
    const path = `/api/collections/events/records?${query}`
    const { body: page } = await service.call<{ items: { type: string }[] }>('GET', path, { token })
    return page.items.map(({ type }) => type)
  }
  const untilReported = (count: number) =>
    until(`${count} reports`, async () => (await reported()).length >= count)
  fridge.texts.set('mapper.bf.level', '1.5')
  await untilReported(1)
  await service.stop('SIGKILL')
  await service.start()
  fridge.texts.set('mapper.bf.level', '0.7')
  await untilReported(2)
  expect(await reported()).toEqual(['ThresholdBreached', 'ThresholdCleared'])
})

test('a sensor that stopped is as old as its value, while the software serves it as current', async () => {
  const frozen = Date.now() - 7_200_000
  using fridge = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const path = new URL(url).pathname
        .replace('/values/', '')
        .replace(/^\/|\/$/g, '')
        .replaceAll('/', '.')
      const date = path.includes('frozen') ? frozen : Date.now()
      const value = { value: '0.0123', outdated: false, status: 'SYNCHRONIZED', date }
      const content = { latest_value: value, latest_valid_value: value }
      return Response.json({ data: { [path]: { name: path, type: 'Value.Number.Float', content } } })
    },
  })
  const options = [`base_url=${fridge.url.origin}`, 'channels=m.frozen:K,m.live:K', 'poll_interval=0.2']
  const { id, driver } = await startMonitor('frozen', options)
  await using _driver = driver
  const token = await service.admin()
  for (const channel of ['m.frozen', 'm.live']) {
    const body = { name: channel, driver: id, channel, kind: 'stale', limit: 5 }
    const { status } = await service.call('POST', '/api/collections/thresholds/records', { token, body })
    expect(status).toBe(200)
  }
  const limits = async () => {
    const path = `/api/collections/thresholds/records?${new URLSearchParams({ filter: `driver = '${id}'`, sort: 'name' })}`
    const { body } = await service.call<{ items: { name: string; breached_at: string }[] }>('GET', path, {
      token,
    })
    return body.items.map(({ name, breached_at }) => [name, breached_at !== ''])
  }
  await until('a breach', async () => (await limits()).some(([, isBreached]) => isBreached))
  // Events of the seconds in which the other one would have become stale.
  const before = await stored(id, 1)
  await stored(id, before.length + 30)
  expect(await limits()).toEqual([
    ['m.frozen', true],
    ['m.live', false],
  ])
  const query = new URLSearchParams({
    driver: 'frozen',
    points: '10',
    from: new Date(frozen - 60_000).toISOString(),
  })
  const { body } = await service.call<{ series: { channel: string; at: number[]; last: number[] }[] }>(
    'GET',
    `/api/events/series?${query}`,
    { token },
  )
  const ends = Object.fromEntries(body.series.map(({ channel, at }) => [channel, at.at(-1) ?? 0]))
  expect(ends['m.frozen'] ?? 0).toBeLessThan(Date.now() - 6_000_000)
  expect(ends['m.live']).toBeGreaterThan(Date.now() - 1_500_000)
})

test('without the certificate the key is not sent, and the log names the remedy', async () => {
  const { certPem: cert, keyPem: key } = await makeTestCertificates()
  await using fridge = await coldFridge({ tls: { cert, key }, apiKey: KEY })
  const options = ['channels=mapper.bf.tmixing:K', `base_url=${fridge.url}`, `api_key=${KEY}`]
  const { driver } = await startMonitor('wary', options)
  await using _driver = driver
  await driver.untilLogged('SVC_CRYOSTAT_CA_FILE')
  expect(fridge.requests).toEqual([])
})

test.each([
  [['base_url=http://127.0.0.1'], 'missing required option channels (for example -o channels='],
  [['channels=a', 'base_url=http://a?key=canary-0815'], 'bad value for -o base_url: use only scheme, host'],
])('driver start with %j ends with status 1 and the reason', async (options, reason) => {
  const args = ['driver', 'start', '--operation', 'monitor', '--device', 'cryostat_gen1', '--token', 'x']
  const access = ['--ca-fingerprint', '0'.repeat(64), ...options.flatMap((option) => ['-o', option])]
  const { status, err } = await runSvc([...args, ...access], { cwd: folder.path })
  expect(status).toBe(1)
  expect(err).toContain(reason)
  expect(err).not.toContain(KEY)
})

test('svc driver devices lists cryostat_gen1', async () => {
  const args = ['driver', 'devices', '--operation', 'monitor']
  expect((await runSvc(args, { cwd: folder.path })).out).toBe('cryostat_gen1\n')
})
