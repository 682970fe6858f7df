import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { openFileService } from '../../support/executable/file-service.ts'
import { submit } from '../../support/executable/job-calls.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
await service.createQpu('kelvin')

afterEach(async () => {
  // Whatever was tried, the next client is served.
  expect((await service.call('GET', '/api/health')).status).toBe(200)
})

/** Sends bytes as they are; returns all received bytes until the server closes. */
function raw(parts: (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve) => {
    let response = ''
    const socket = connect({ host: '127.0.0.1', port: service.port })
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(response))
    for (const part of parts) socket.write(part)
  })
}

/**
 * Sends `head`, then `chunk` up to `times` times, as fast as it is taken; how many left before the server
 * closed.
 */
function pour(head: string, chunk: Uint8Array, times: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0
    const socket = connect({ host: '127.0.0.1', port: service.port })
    const more = () => {
      while (sent < times && !socket.destroyed) {
        sent += 1
        if (!socket.write(chunk)) return void socket.once('drain', more)
      }
    }
    socket.on('data', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(sent))
    socket.write(head)
    more()
  })
}

/** Sends a body to the job route as the user. */
const post = (body: BodyInit) =>
  fetch(`${service.url}/api/jobs`, {
    method: 'POST',
    headers: { authorization: user.token, 'content-type': 'application/json' },
    body,
  })

/** The most memory that the server ever had, in MiB. */
function mostMemory(): number {
  const [, kib = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

const statusesOf = (response: string) =>
  [...response.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) => Number(code))

test.each([
  [
    'two ideas of where the body ends',
    'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/qpus HTTP/1.1\r\n\r\n',
  ],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}'],
  ['a negative length', 'Content-Length: -1\r\n\r\n{}'],
  ['a length that is no number', 'Content-Length: 0x10\r\n\r\n{}'],
  ['an unknown transfer encoding', 'Transfer-Encoding: chunked, smuggled\r\n\r\n0\r\n\r\n'],
])('a request with %s is refused, and nothing after it is taken for a second one', async (_, rest) => {
  const head = 'POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n'
  const response = await raw([head + rest])
  expect(statusesOf(response).length).toBeLessThanOrEqual(1)
  for (const status of statusesOf(response)) expect(status).toBeGreaterThanOrEqual(400)
})

test.each([
  '/../../../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%2f..%2f.svc.ca.key',
  '/.svc.key',
  '/svc_data/svc.db',
  '//etc/passwd',
  '/assets/..%5c..%5cetc%5cpasswd',
  '/%00',
  '/api/pub/../../.svc.key',
  '/_/../svc_data/svc.db',
])('GET %s gives no file', async (path) => {
  const response = await raw([`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`])
  expect(response).not.toContain('root:')
  expect(response).not.toContain('PRIVATE KEY')
  expect(response).not.toContain('SQLite format')
  expect(statusesOf(response)).toHaveLength(1)
})

test('headers without end and lines without end are cut off', async () => {
  const huge = await raw([`GET /api/health HTTP/1.1\r\nHost: x\r\nX-Filler: ${'x'.repeat(200_000)}\r\n\r\n`])
  for (const status of statusesOf(huge)) expect([400, 431]).toContain(status)
  const long = await raw([`GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`])
  for (const status of statusesOf(long)) expect([400, 414, 431]).toContain(status)
})

test.each(['TRACE', 'CONNECT', 'PROPFIND', 'get'])('the method %s reaches nothing', async (method) => {
  const response = await raw([`${method} /api/qpus HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`])
  for (const status of statusesOf(response)) expect(status).toBeGreaterThanOrEqual(400)
  expect(response).not.toContain('kelvin')
})

test.each([
  ['not JSON', '{"circuits": [', 400],
  ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
  ['five million values', `[${'0,'.repeat(5_000_000)}0]`, 400],
  ['a prototype', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}', 400],
  ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
  ['a number beyond all bounds', '{"circuits":["OPENQASM 3.0;"],"shots":1e999}', 400],
])('a body of %s is refused with a reason', async (_, body, status) => {
  const response = await post(body)
  expect(response.status).toBe(status)
  const said = await response.text()
  expect(said).toContain('"message"')
  expect(said).not.toContain('    at ')
})

test('a chunked body of 20 MB that announces nothing is stopped with 413', async () => {
  const chunk = new Uint8Array(1_000_000).fill(0x20)
  const head = `POST /api/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: ${user.token}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunks = Array.from({ length: 20 }, () => ['f4240\r\n', chunk, '\r\n']).flat()
  expect(statusesOf(await raw([head, ...chunks, '0\r\n\r\n']))).toEqual([413])
})

test('bodies without end are no longer read after their limit, whoever sends them', async () => {
  const chunk = Buffer.concat([Buffer.from('f4240\r\n'), Buffer.alloc(1_000_000, 0x20), Buffer.from('\r\n')])
  const before = mostMemory()
  const sent: number[] = []
  for (const [path, token] of [
    ['/api/jobs', user.token],
    ['/api/op/drivers/connect', ''],
    ['/api/collections/users/records', ''],
    ['/api/jobs', ''],
    ['/api/nowhere', user.token],
  ]) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`
    sent.push(await pour(head, chunk, 500))
  }
  const grown = mostMemory() - before
  closeRow('H1', { 'MB sent of 500 each': sent.join('/'), 'MiB more at most': Math.round(grown) })
  expect(Math.max(...sent)).toBeLessThan(100)
  expect(grown).toBeLessThan(50)
})

test('many large bodies of one user are held one at a time, and all are answered', async () => {
  const body = `{"circuits":"${'x'.repeat(15_000_000)}"}`
  const before = mostMemory()
  const statuses = await Promise.all(Array.from({ length: 24 }, async () => (await post(body)).status))
  const grown = mostMemory() - before
  closeRow('H1 at once', { bodies: statuses.length, 'MB each': 15, 'MiB more at most': Math.round(grown) })
  expect(new Set(statuses)).toEqual(new Set([400]))
  expect(grown).toBeLessThan(250)
})

test('names in the Host header do not get into responses of the server', async () => {
  const token = await service.admin()
  const body = JSON.stringify({ name: 'poisoned' })
  const response = await raw([
    `POST /api/op/qpus/create HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nAuthorization: ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  ])
  expect(statusesOf(response)).toEqual([201])
  expect(response).not.toContain('evil.example')
  expect(response).toContain('"svc_addr":"http://127.0.0.1')
})

test('pages of other origins get no permission to read', async () => {
  const response = await fetch(`${service.url}/api/qpus`, { headers: { origin: 'https://evil.example' } })
  expect(response.headers.get('access-control-allow-origin')).toBe(null)
  const page = await fetch(`${service.url}/`)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
})

test('200 clients that begin a request and fall silent do not keep others out', async () => {
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect({ host: '127.0.0.1', port: service.port })
    socket.on('error', () => undefined)
    return socket
  })
  const head = 'POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n'
  await Promise.all(sockets.map((socket) => new Promise<void>((sent) => socket.write(head, () => sent()))))
  await submit(service, user.token)
  for (const socket of sockets) socket.destroy()
})

test('the log has no token and no password, whatever the requests', async () => {
  await service.call('GET', `/api/qpus?token=${user.token}`)
  await service.call('POST', '/api/collections/users/auth-with-password', {
    body: { identity: 'user@example.org', password: 'a wrong password 17' },
  })
  for (const secret of [user.token, await service.admin(), 'a wrong password 17']) {
    expect(service.log).not.toContain(secret)
  }
})
