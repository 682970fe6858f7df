import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createLog } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, startDriverProcess, type TestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024

/** Sends raw bytes; returns status and body of the response, which ends with its length or its connection. */
async function raw(
  test: TestServer,
  ...parts: (string | Uint8Array)[]
): Promise<{ status: number; body: string }> {
  const socket = connect(Number(new URL(test.url).port), '127.0.0.1')
  let text = ''
  let isOver = false
  const read = () => {
    const [head = '', body] = text.split(/\r\n\r\n(.*)/s)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 'NaN')
    const isWhole = body !== undefined && body.length >= length
    return (isWhole || isOver) && { status: Number(head.split(' ')[1] ?? 0), body: body ?? '' }
  }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOver = true
  })
  for (const part of parts) socket.write(part)
  const response = await until('the response', read)
  socket.destroy()
  return response
}

const isEnvelope = (status: number, code: unknown = expect.any(String)) => ({
  status,
  message: expect.stringMatching(/^[A-Z].*[.?!]$/s),
  code,
  request_id: expect.stringMatching(/^[\w-]{1,64}$/),
  data: expect.any(Object),
})

test('every error has the same body, the same headers and the id of its request', async () => {
  await using server = await openTestServer()
  const cases: [string, string, unknown, number, string][] = [
    ['GET', '/api/nowhere', undefined, 404, 'not_found'],
    ['GET', '/api', undefined, 404, 'not_found'],
    ['GET', '/api/jobs/', undefined, 404, 'not_found'],
    ['POST', '/api/collections/users/auth-with-password', '{', 400, 'invalid'],
    ['GET', '/api/jobs', undefined, 401, 'unauthorized'],
    ['GET', '/api/qpus/none', undefined, 404, 'not_found'],
    ['GET', '/api/qpus?limit=0', undefined, 400, 'invalid'],
    ['PUT', '/api/jobs', {}, 405, 'method_not_allowed'],
    ['DELETE', '/api/health', undefined, 405, 'method_not_allowed'],
    ['HEAD', '/api/nowhere', undefined, 404, ''],
    ['POST', '/api/op/setup', { token: 'x', email: 'a@b.cd', password: 'long enough' }, 403, 'forbidden'],
  ]
  for (const [method, path, body, status, code] of cases) {
    const response = await server.guest.call(method, path, body, { 'x-request-id': 'my-id_1' })
    expect([method, path, response.status]).toEqual([method, path, status])
    if (method !== 'HEAD') expect(response.body).toEqual(isEnvelope(status, code))
    expect(response.headers.get('x-request-id')).toBe('my-id_1')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
  const bad = await server.guest.call('GET', '/api/nowhere', undefined, { 'x-request-id': 'not an id!' })
  expect(bad.text('request_id')).toMatch(/^[0-9a-z]{15}$/)
})

test('a method that a path does not support receives 405 with the supported ones', async () => {
  await using server = await openTestServer()
  for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
    const response = await raw(server, `${method} /api/tokens HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect([method, response.status]).toEqual([method, 405])
    expect(JSON.parse(response.body)).toEqual(isEnvelope(405, 'method_not_allowed'))
  }
  const put = await server.guest.call('PUT', '/api/tokens')
  expect(new Set(put.headers.get('allow')?.split(', '))).toEqual(new Set(['GET', 'HEAD', 'POST', 'OPTIONS']))
  expect((await server.guest.call('HEAD', '/api/op/drivers/connect')).status).toBe(405)
})

test('HEAD responds like GET without a body, also for a stream, which is not opened', async () => {
  await using server = await openTestServer()
  for (const path of ['/api/health', '/api/qpus', '/api/pub/root-ca.pem', '/api/realtime']) {
    const response = await server.guest.call('HEAD', path)
    expect([path, response.status, response.body]).toEqual([path, 200, ''])
  }
})

test('OPTIONS lists the methods; pages of other origins are allowed only when configured', async () => {
  await using closed = await openTestServer()
  const send = (server: TestServer, origin: string) =>
    server.guest.call('OPTIONS', '/api/jobs', undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    })
  const refused = await send(closed, 'https://a.example')
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([204, null])
  expect(refused.headers.get('allow')).toContain('POST')
  expect((await closed.guest.call('OPTIONS', '/api/nowhere')).status).toBe(404)

  await using open = await openTestServer({ settings: { corsOrigins: 'https://a.example' } })
  const allowed = await send(open, 'https://a.example')
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    'access-control-allow-origin': 'https://a.example',
    'access-control-allow-headers': 'authorization',
    vary: 'Origin',
  })
  expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
  expect((await send(open, 'https://b.example')).headers.get('access-control-allow-origin')).toBeNull()
  const error = await open.guest.call('GET', '/api/jobs', undefined, { origin: 'https://a.example' })
  expect([error.status, error.headers.get('access-control-allow-origin')]).toEqual([401, 'https://a.example'])
})

test('malformed JSON bodies are refused with 400 and a reason', async () => {
  await using server = await openTestServer()
  const path = '/api/op/drivers/connect'
  const bodies: [string, string | Blob, string][] = [
    ['cut off', '{"token": "a', 'Body: malformed JSON'],
    ['not JSON', 'token=a', 'Body: malformed JSON'],
    ['a program', '// Bell\nOPENQASM 3.0;\nqubit q;', 'bare OpenQASM program; send {"circuits": ["OPENQASM'],
    ['deep', '['.repeat(100_000), 'The body is nested deeper than 32 levels'],
    [
      'deep inside',
      `{"token":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
      'The body is nested deeper than 32 levels',
    ],
    ['bad UTF-8', new Blob([new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])]), 'Body: not valid UTF-8.'],
    ['array', '[]', 'Body: expected a JSON object.'],
    ['text', '"a"', 'Body: expected a JSON object.'],
    ['null', 'null', 'Missing driver access token'],
    ['NaN', '{"token": NaN}', 'Body: malformed JSON'],
  ]
  for (const [what, body, message] of bodies) {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body })
    const reply: { message: string } = await response.json()
    expect([what, response.status === (what === 'null' ? 401 : 400), reply.message]).toEqual([
      what,
      true,
      expect.stringContaining(message),
    ])
  }
})

test('keys such as __proto__ in a body are plain data', async () => {
  await using server = await openTestServer()
  const response = await server.admin.call(
    'POST',
    '/api/op/qpus/create',
    '{"name": "proto", "__proto__": {"enabled": false}, "constructor": {"prototype": {"num_qubits": 9}}}',
  )
  expect(response.body).toMatchObject({ name: 'proto', enabled: true, num_qubits: 1 })
})

test('a body over the limit of its route is refused with 413, announced or chunked', async () => {
  await using server = await openTestServer()
  const path = '/api/op/drivers/connect'
  const announced = await raw(
    server,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${500 * MIB}\r\n\r\n`,
    '{"token": "',
  )
  expect(announced.status).toBe(413)
  expect(JSON.parse(announced.body)).toEqual(isEnvelope(413, 'too_large'))
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
  const chunked = await raw(
    server,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
    chunk.repeat(17),
  )
  expect(chunked.status).toBe(413)
  expect(JSON.parse(chunked.body)).toEqual(isEnvelope(413, 'too_large'))
  expect((await server.guest.get('/api/health')).status).toBe(200)
})

test('POST /api/jobs accepts up to 16 MiB and refuses more', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 1 })
  const ofSize = (bytes: number) => server.as(user).call('POST', '/api/jobs', `"${'a'.repeat(bytes - 2)}"`)
  expect((await ofSize(16 * MIB)).status).toBe(400)
  expect((await ofSize(16 * MIB + 1)).status).toBe(413)
})

test('ambiguous requests, which two programs could interpret differently, are refused', async () => {
  await using server = await openTestServer()
  const head = 'POST /api/op/drivers/connect HTTP/1.1\r\nHost: a\r\n'
  const requests: [string, string][] = [
    ['CL and TE', `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ['negative length', `${head}Content-Length: -1\r\n\r\n`],
    ['bad chunk', `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`],
    ['no host', 'GET /api/health HTTP/1.1\r\n\r\n'],
    ['blank before colon', `${head}Content-Length : 3\r\n\r\nabc`],
  ]
  for (const [what, request] of requests) {
    expect([what, (await raw(server, request)).status]).toEqual([what, 400])
  }
  const header = `x-long: ${'a'.repeat(100_000)}`
  expect((await raw(server, `GET /api/health HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`)).status).toBe(431)
})

test('unusual paths get a response and never reach a file', async () => {
  await using server = await openTestServer()
  const paths = [
    '/api/../package.json',
    '/api/%2e%2e/%2e%2e/etc/passwd',
    '/api/qpus/%ZZ',
    '/api/qpus/..%2f..%2fpackage.json',
    '//api/qpus',
    '/api/qpus/%F0%9F%A6%84',
    `/api/qpus/${'a'.repeat(8_000)}`,
  ]
  for (const path of paths) {
    const response = await raw(server, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect([path.slice(0, 40), response.status]).toEqual([path.slice(0, 40), 404])
    expect(response.body).not.toContain('"devDependencies"')
  }
  expect((await raw(server, 'GET /api/qpus/%00 HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(400)
})

test('a client that disconnects in the middle of its body has no effect on others', async () => {
  const errors: string[] = []
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (text: string) => void errors.push(text),
    child: () => log,
  }
  await using server = await openTestServer({ log })
  const isServed = async () => expect((await server.guest.get('/api/health')).status).toBe(200)
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = 'POST /api/op/drivers/connect HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n'
  await new Promise<unknown>((written) => socket.write(`${head}{"tok`, written))
  await isServed()
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.destroy()
  await closed
  await isServed()
  await server.close()
  expect(errors).toEqual([])
})

test('guests share a bucket per address, users have their own, superusers none', async () => {
  await using server = await openTestServer({
    clock: new FakeClock(),
    settings: { anonymousRate: '1:8', userRate: '1:3' },
  })
  const user = await server.createUser()
  const statuses = async (path: string, times: number, client = server.guest) => {
    const responses = await Promise.all(Array.from({ length: times }, () => client.get(path)))
    return responses.map((response) => response.status).sort()
  }
  expect(await statuses('/api/tokens', 4, server.as(user))).toEqual([200, 200, 200, 429])
  expect(new Set(await statuses('/api/tokens', 20, server.admin))).toEqual(new Set([200]))
  // Two of the eight were used by the logins.
  expect(await statuses('/api/health', 8)).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
  const limited = await server.guest.get('/api/health')
  expect(limited.body).toEqual(isEnvelope(429, 'limited'))
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('an unexpected failure is reported as a generic 500 and logged with the id of its request', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) })
  await using server = await openTestServer({ log })
  await server.db.write('break', (tx) => tx.run('DROP TABLE api_tokens'))
  const response = await server.guest.call('GET', '/api/qpus', undefined, { 'x-api-token': 'svc_unknown' })
  expect(response.body).toEqual({
    status: 500,
    message: 'Something went wrong while processing your request.',
    code: 'internal',
    request_id: expect.any(String),
    data: {},
  })
  const failed = lines.filter(({ message }) => message === 'request failed')
  expect(failed).toMatchObject([{ subject: 'http', request_id: response.text('request_id') }])
})

test('log lines of a request have its id, also after its response; a connection that outlives it has none', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) })
  await using server = await openTestServer({ log })
  const user = await server.createUser()
  const path = '/api/collections/users/request-password-reset'
  const send = await server.guest.call('POST', path, { email: user.email }, { 'x-request-id': 'request-1' })
  expect(send.status).toBe(204)
  await until('the line of the link', async () => lines.some(({ purpose }) => purpose === 'passwordReset'))
  expect(lines.find(({ purpose }) => purpose === 'passwordReset')).toMatchObject({ request_id: 'request-1' })
  const qpu = await server.createQpu('north')
  const driver = await startDriverProcess(server, { token: qpu.token })
  await until('the driver', async () => lines.some(({ message }) => message === 'driver attached'))
  await driver.stop()
  const ofDrivers = lines.filter(({ subject }) => String(subject).startsWith('drivers'))
  expect(ofDrivers.length).toBeGreaterThan(0)
  for (const line of ofDrivers) expect(line).not.toHaveProperty('request_id')
})
