import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../../../src/base/index.ts'
import type { SimulatedFridge } from '../../../../src/devices/index.ts'
import {
  createClient,
  type Fault,
  type Outcome,
} from '../../../../src/devices/monitor/cryostat_gen1/client.ts'
import { coldFridge } from '../../../support/devices/cryostat.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { makeTestCertificates } from '../../../support/sockets/certificates.ts'
import { until } from '../../../support/until.ts'

const MIXING = { path: 'mapper.bf.tmixing', unit: 'K' }
const KEY = 'c0ffee-key/with ü&='
const signal = new AbortController().signal
const certificates = await makeTestCertificates()
let fridge: SimulatedFridge

beforeAll(async () => {
  fridge = await coldFridge({ apiKey: KEY })
})
afterAll(() => fridge.stop())

type Options = Partial<Parameters<typeof createClient>[0]>

function client(options: Options = {}) {
  const read = createClient({
    baseUrl: fridge.url,
    apiKey: KEY,
    timeoutMs: 45_000,
    clock: systemClock,
    ...options,
  })
  return { read: (channel = MIXING) => read(channel, signal) }
}

function failed(error: string, fault: Fault = 'failed'): Outcome {
  return { reading: { value: null, unit: 'K', status: 'ERROR', error }, fault }
}

test.each(['single', 'flat'] as const)(
  'createClient() reads a value from replies of %s shape',
  async (shape) => {
    await using other = await coldFridge({ shape })
    const before = systemClock.now()
    const { reading, fault } = await client({ baseUrl: other.url, apiKey: undefined }).read()
    expect(fault).toBeUndefined()
    expect(Math.abs((reading.value ?? 0) - 0.01)).toBeLessThan(0.001)
    expect(reading).toMatchObject({ unit: 'K', status: 'SYNCHRONIZED' })
    expect(Date.parse(reading.ts ?? '')).toBeWithin(before - 5_000, systemClock.now() + 1)
    expect(other.requests).toEqual(['/values/mapper/bf/tmixing'])
  },
)

test('createClient() preserves a path of the base address and sends the key as a parameter', async () => {
  fridge.requests.length = 0
  await client({ baseUrl: `${fridge.url}/sub` }).read()
  const requested = new URL(fridge.requests[0] ?? '', fridge.url)
  expect([requested.pathname, requested.searchParams.get('key')]).toEqual([
    '/sub/values/mapper/bf/tmixing',
    KEY,
  ])
})

test.each([
  ['absent', failed('no such channel (HTTP 404)', 'absent')],
  ['error', failed('Device of mapper.bf.tmixing does not answer')],
  ['malformed', failed('the response is not JSON')],
  ['dropped', failed('the connection was lost')],
  ['cut_off', failed('the connection was lost')],
  ['oversized', failed('the response is longer than 1048576 bytes')],
  ['redirect', failed('redirects are not followed (HTTP 302)')],
] as const)('createClient() reports the fault %s', async (fault, outcome) => {
  fridge.faults.set(MIXING.path, fault)
  fridge.requests.length = 0
  expect(await client().read()).toEqual(outcome)
  // Neither a redirect nor a second attempt.
  expect(fridge.requests).toHaveLength(1)
  fridge.faults.clear()
})

test('createClient() reports a timeout for a slow response', async () => {
  fridge.faults.set(MIXING.path, 'slow')
  fridge.requests.length = 0
  const clock = new FakeClock()
  let outcome: Outcome | undefined
  const reading = client({ timeoutMs: 150, clock })
    .read()
    .then((read) => {
      outcome = read
    })
  await until('the request arrives', () => fridge.requests.length === 1)
  await clock.advance(149)
  expect(outcome).toBeUndefined()
  await clock.advance(1)
  await reading
  expect(outcome).toEqual(failed('timeout after 0.15 s'))
  fridge.faults.clear()
})

test('createClient() reports old values as outdated, with the current status of the channel', async () => {
  fridge.faults.set(MIXING.path, 'outdated')
  expect((await client().read()).reading).toMatchObject({ status: 'SYNCHRONIZED', outdated: true })
  fridge.faults.set(MIXING.path, 'disconnected')
  const { reading, fault } = await client().read()
  expect(reading).toMatchObject({ status: 'DISCONNECTED', outdated: true })
  expect([Number.isFinite(reading.value), fault]).toEqual([true, undefined])
  fridge.faults.clear()
})

test('createClient() reports a value that is a text as text', async () => {
  const { reading } = await client().read({ path: 'mapper.bf.pulse_tube', unit: '' })
  expect(reading).toMatchObject({ value: null, text: 'on', unit: '', status: 'SYNCHRONIZED' })
})

test.each([undefined, 'another key'])('createClient() names api_key when %p is refused', async (apiKey) => {
  expect(await client({ apiKey }).read()).toEqual(failed('check api_key (HTTP 403)', 'denied'))
})

test('createClient() never repeats the key, in whatever encoding the cryostat returns it', async () => {
  fridge.faults.set('*', 'echo')
  expect((await client().read()).reading.error).toBe('Cannot serve /values/mapper/bf/tmixing?key=[redacted]')
  fridge.faults.clear()
  fridge.texts.set('a', `key is ${KEY} and ${encodeURIComponent(KEY)}`)
  expect((await client().read({ path: 'a', unit: '' })).reading.text).toBe('key is [redacted] and [redacted]')
  // Cut only after the removal: even half a key would be a leak.
  fridge.texts.set('a', `${'x'.repeat(195)}${KEY}`)
  const { text } = (await client().read({ path: 'a', unit: '' })).reading
  expect(text).toBe(`${'x'.repeat(195)}[reda`)
})

test('createClient() reports a refused connection', async () => {
  const other = await coldFridge()
  await other.stop()
  const { reading } = await client({ baseUrl: other.url }).read()
  expect(reading.error).toMatch(/nothing listens there/)
  expect(reading.error).not.toContain('key')
})

test('createClient() connects only to addresses that are not link-local', async () => {
  const port = new URL(fridge.url).port
  const to = (...addresses: string[]) =>
    client({
      baseUrl: `http://fridge.test:${port}`,
      resolve: (_host, _options, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
    }).read()
  expect((await to('169.254.169.254', '127.0.0.1')).reading.status).toBe('SYNCHRONIZED')
  fridge.requests.length = 0
  expect(await to('169.254.169.254')).toEqual(
    failed('fridge.test has only link-local addresses, which are not allowed'),
  )
  expect(fridge.requests).toEqual([])
})

test('createClient() ignores the proxy of the environment', async () => {
  const before = process.env['HTTP_PROXY']
  process.env['HTTP_PROXY'] = 'http://127.0.0.1:9'
  try {
    expect((await client().read()).reading.status).toBe('SYNCHRONIZED')
  } finally {
    if (before === undefined) delete process.env['HTTP_PROXY']
    else process.env['HTTP_PROXY'] = before
  }
})

test('createClient() reports other HTTP statuses with the error text of the cryostat', async () => {
  const bodies = ['', '{"error": {"description": "Too busy"}}']
  const server: Server = createServer((_, response) => response.writeHead(503).end(bodies.shift()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await client({ baseUrl }).read()).toEqual(failed('HTTP 503: the response is not JSON'))
  expect(await client({ baseUrl }).read()).toEqual(failed('HTTP 503: Too busy'))
  server.close()
})

test('createClient() rejects at once when the driver stops', async () => {
  fridge.faults.set('*', 'slow')
  const stopping = new AbortController()
  const read = createClient({ baseUrl: fridge.url, apiKey: KEY, timeoutMs: 60_000, clock: new FakeClock() })
  const reading = read(MIXING, stopping.signal)
  stopping.abort(new Error('the driver stops'))
  await expect(reading).rejects.toThrow('the driver stops')
  await expect(read(MIXING, stopping.signal)).rejects.toThrow('the driver stops')
  fridge.faults.clear()
})

const { certPem: cert, keyPem: key, caPem, wrongName, expired, foreign } = certificates
const UNTRUSTED = /^the certificate is not trusted \([A-Z_]+\); name a file with it in SVC_CRYOSTAT_CA_FILE$/

test.each([
  ['its own certificate, whatever its names', wrongName, wrongName.certPem],
  ['its own among others', wrongName, `${cert}\n${wrongName.certPem}`],
  ['the authority that signed it for this address', { certPem: cert, keyPem: key }, caPem],
])('createClient() trusts an https cryostat by %s', async (_name, { certPem, keyPem }, pinned) => {
  await using secure = await coldFridge({ tls: { cert: certPem, key: keyPem } })
  const { reading } = await client({ baseUrl: secure.url, pinned }).read()
  expect(reading).toMatchObject({ status: 'SYNCHRONIZED' })
})

test.each([
  ['nothing is pinned', { certPem: cert, keyPem: key }, undefined],
  ['another certificate is pinned', { certPem: cert, keyPem: key }, foreign.caPem],
  ['another authority of the same name signed it', foreign, caPem],
  ['the authority signed it for another address', wrongName, caPem],
  ['it has expired', expired, caPem],
])(
  'createClient() sends nothing to an https cryostat when %s',
  async (_name, { certPem, keyPem }, pinned) => {
    await using secure = await coldFridge({ tls: { cert: certPem, key: keyPem } })
    const { reading, fault } = await client({ baseUrl: secure.url, pinned }).read()
    expect(reading.error).toMatch(UNTRUSTED)
    expect(fault).toBe('failed')
    expect(secure.requests).toEqual([])
  },
)
