import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coldFridge, openMonitor } from '../../../support/devices/cryostat.ts'
import { makeTestCertificates } from '../../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

const CHANNELS = 'channels=mapper.bf.tmixing:K,mapper.bf.p1:mbar'
const open = (pairs: string[], env?: Record<string, string>) => openMonitor('cryostat_gen1', pairs, env)

describe('cryostat_gen1 options', () => {
  test.each([
    [[], 'missing required option channels (for example -o channels=mapper.bf.tmc:K,mapper.bf.pmc:mbar)'],
    [['channels='], 'bad value for -o channels: an item is empty; separate items by single commas'],
    [['channels=a:K,a:K'], 'bad value for -o channels: a is named twice'],
    [[CHANNELS, 'base_url=fridge'], 'bad value for -o base_url: not an http or https address'],
    [
      [CHANNELS, 'base_url=http://a?key=1'],
      'bad value for -o base_url: use only scheme, host, port and path',
    ],
    [
      [CHANNELS, 'base_url=http://169.254.1.1'],
      'bad value for -o base_url: 169.254.1.1 is a link-local address',
    ],
    [[CHANNELS, 'api_key='], 'bad value for -o api_key: the value is empty'],
    [
      [CHANNELS, 'poll_interval=abc'],
      'bad value for -o poll_interval: "abc"; expected a number of seconds from 0.2 to 86400',
    ],
    [
      [CHANNELS, 'poll_interval='],
      'bad value for -o poll_interval: ""; expected a number of seconds from 0.2 to 86400',
    ],
    [
      [CHANNELS, 'poll_interval=5s'],
      'bad value for -o poll_interval: "5s"; expected a number of seconds from 0.2 to 86400',
    ],
    [
      [CHANNELS, 'poll_interval=0.1'],
      'bad value for -o poll_interval: "0.1"; expected a number of seconds from 0.2 to 86400',
    ],
    [[CHANNELS, 'timeout=61'], 'bad value for -o timeout: "61"; expected a number of seconds from 0.1 to 60'],
    [[CHANNELS, 'timeout=0'], 'bad value for -o timeout: "0"; expected a number of seconds from 0.1 to 60'],
    [[CHANNELS, 'interval=1'], 'unknown option interval for monitor device cryostat_gen1'],
  ])('%j are refused', async (pairs, reason) => {
    await expect(open(pairs)).rejects.toThrow(reason)
  })

  test('have defaults for all but the channels', async () => {
    using it = await open([CHANNELS])
    expect(it.lines).toEqual([])
  })

  test.each([
    ['base_url=http://fridge.example.org', true],
    ['base_url=https://fridge.example.org', false],
    ['base_url=http://127.0.0.1:49099', false],
  ])('a key with %s: warning %p', async (base, warns) => {
    using it = await open([CHANNELS, base, 'api_key=k3y'])
    expect(it.messages()).toEqual(
      warns ? ['the key of the cryostat is sent over plain HTTP; use an https address'] : [],
    )
    expect(JSON.stringify(it.lines)).not.toContain('k3y')
  })
})

test('cryostat_gen1 polls at every tick and emits the readings', async () => {
  await using fridge = await coldFridge()
  using it = await open([CHANNELS, `base_url=${fridge.url}`, 'poll_interval=2'])
  await it.running.start()
  await it.untilSent(1)
  for (const count of [2, 3, 4]) {
    await it.clock.advance(2_000)
    await it.untilSent(count)
  }
  expect(it.sent.map(({ at }) => at)).toEqual([0, 2_000, 4_000, 6_000])
  for (const { readings } of it.sent) {
    expect(Object.keys(readings)).toEqual(['mapper.bf.tmixing', 'mapper.bf.p1'])
    expect(readings).toMatchObject({
      'mapper.bf.tmixing': { unit: 'K', status: 'SYNCHRONIZED' },
      'mapper.bf.p1': { unit: 'mbar', status: 'SYNCHRONIZED' },
    })
    expect(Math.abs((readings['mapper.bf.p1']?.value ?? 0) - 1e-6)).toBeLessThan(1e-7)
  }
})

test('cryostat_gen1 skips the ticks during a slow poll, and keeps the schedule', async () => {
  await using fridge = await coldFridge()
  using it = await open([CHANNELS, `base_url=${fridge.url}`, 'poll_interval=1', 'timeout=3.5'])
  fridge.faults.set('*', 'slow')
  await it.running.start()
  await until('two requests', () => fridge.requests.length >= 2)
  // Ticks 1, 2 and 3 are missed while the responses are pending.
  await it.clock.advance(3_500)
  await until('a log line', () => it.lines.length > 0)
  expect(it.lines[0]).toMatchObject({ error: 'timeout after 3.5 s' })
  fridge.faults.clear()
  await it.clock.advance(500)
  await it.untilSent(1)
  expect(it.sent.map(({ at }) => at)).toEqual([4_000])
  expect(fridge.requests).toHaveLength(4)
  expect(it.lines[1]).toMatchObject({ skipped: 3, total: 3 })
})

test('cryostat_gen1 has at most eight requests open', async () => {
  await using fridge = await coldFridge({ latencyMs: 20 })
  for (let i = 0; i < 40; i++) fridge.texts.set(`c${i}`, String(i))
  const channels = Array.from({ length: 40 }, (_, i) => `c${i}`).join()
  using it = await open([`channels=${channels}`, `base_url=${fridge.url}`])
  await it.running.start()
  await it.untilSent(1)
  expect(Object.values(it.sent[0]?.readings ?? {}).map(({ value }) => value)).toEqual(
    Array.from({ length: 40 }, (_, i) => i),
  )
  expect(fridge.maxParallel).toBe(8)
})

test('cryostat_gen1 retries while the cryostat is unreachable, and resumes automatically', async () => {
  const stopped = await coldFridge()
  await stopped.stop()
  using it = await open([CHANNELS, `base_url=${stopped.url}`, 'poll_interval=1'])
  await it.running.start()
  await until('a log line', () => it.lines.length > 0)
  await using _back = await coldFridge({ port: Number(new URL(stopped.url).port) })
  await it.clock.advance(1_000)
  await it.untilSent(1)
  expect(it.messages()).toEqual(['no channel could be read', 'cryostat responds again'])
})

describe('cryostat_gen1 with https', async () => {
  const { certPem: cert, keyPem: key } = await makeTestCertificates()

  function withFile(text: string) {
    const folder = temporaryFolder()
    const path = join(folder.path, 'ca.pem')
    writeFileSync(path, text)
    return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  test('trusts the certificate of SVC_CRYOSTAT_CA_FILE', async () => {
    await using fridge = await coldFridge({ tls: { cert, key } })
    using file = withFile(cert)
    using it = await open([CHANNELS, `base_url=${fridge.url}`], { SVC_CRYOSTAT_CA_FILE: file.path })
    await it.running.start()
    await it.untilSent(1)
    expect(it.sent[0]?.readings['mapper.bf.p1']?.status).toBe('SYNCHRONIZED')
  })

  test('reports how to trust an untrusted certificate', async () => {
    await using fridge = await coldFridge({ tls: { cert, key } })
    using it = await open([CHANNELS, `base_url=${fridge.url}`])
    await it.running.start()
    await until('a log line', () => it.lines.length > 0)
    expect(it.lines[0]?.['error']).toMatch(/^the certificate is not trusted .* SVC_CRYOSTAT_CA_FILE$/)
  })

  test.each([
    ['no certificate at all', 'the file contains no certificate in PEM format'],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'cannot be used: '],
  ])('does not start with a file of %j', async (text, reason) => {
    using file = withFile(text)
    await expect(open([CHANNELS], { SVC_CRYOSTAT_CA_FILE: file.path })).rejects.toThrow(reason)
  })

  test('does not start without its file, or with a file outside of the safe locations', async () => {
    const path = '/tmp/no-such-cryostat.pem'
    await expect(open([CHANNELS], { SVC_CRYOSTAT_CA_FILE: path })).rejects.toThrow(
      `startup error: ${path} of SVC_CRYOSTAT_CA_FILE cannot be used: there is no such file or folder`,
    )
    await expect(open([CHANNELS], { SVC_CRYOSTAT_CA_FILE: '/usr/ca.pem' })).rejects.toThrow(
      'bad value for the variable SVC_CRYOSTAT_CA_FILE: /usr/ca.pem is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
    )
  })
})
