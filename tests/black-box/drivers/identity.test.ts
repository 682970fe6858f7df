import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type TLSSocket } from 'node:tls'
import { sign } from 'hono/jwt'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { type ConnectResponse, connect, fingerprintOf } from '../../../src/protocol/index.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { type Recorded, recordRequests } from '../../support/executable/recorder.ts'
import { BELL, Service } from '../../support/executable/service.ts'
import { type KeyedCertificate, makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'svc_dt_this_must_not_be_told_to_anybody_else'
const certificates = await makeTestCertificates()
const pin = fingerprintOf(certificates.caPem)
const own: KeyedCertificate = { keyPem: certificates.keyPem, certPem: certificates.certPem }

/** A server that responds with `pem` to the download and grants a lease to every request. */
function impostor(pem: string, lease?: Partial<ConnectResponse>) {
  return ({ path }: Recorded) => {
    if (path === '/api/pub/root-ca.pem') return new Response(pem)
    if (!lease) return Response.json({ message: 'nothing here' }, { status: 404 })
    return Response.json({
      status: 'success',
      id: 'driver000000001',
      name: 'stolen',
      operation: 'process',
      qpu: 'qpu000000000001',
      qpu_name: 'stolen',
      socket_host: '127.0.0.1',
      auth_token: 'a.secret.jwt',
      tls_hash: pin,
      epoch: 1,
      ...lease,
    })
  }
}

function startDriver(folder: string, svcAddr: string) {
  const args = ['--operation', 'process', '--device', 'mock', '--svc-addr', svcAddr, '--ca-fingerprint', pin]
  return startSvc(['driver', 'start', ...args], { cwd: folder, env: { SVC_ACCESS_TOKEN: TOKEN } })
}

describe('svc driver start keeps its token to itself and exits with 69 when', () => {
  test('the CA has another fingerprint', async () => {
    const served = certificates.foreign.caPem
    using folder = temporaryFolder()
    await using server = recordRequests({ response: impostor(served, { command_port: 1, result_port: 1 }) })
    await using driver = startDriver(folder.path, server.url)
    const { status, log } = await driver.ended()
    expect(log).toContain(fingerprintOf(served))
    expect(log).toContain(pin)
    expect(log).toContain('the token was not sent')
    expect(status).toBe(69)
    expect(server.requests.map((each) => each.path)).toEqual(['/api/pub/root-ca.pem'])
    expect(server.has(TOKEN)).toBe(false)
  })

  // The right CA is public: serving it is no proof.
  test.each([
    [
      'the man in the middle has a certificate of another CA with the same name',
      certificates.foreign,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['the certificate has expired', certificates.expired, 'CERT_HAS_EXPIRED'],
  ])('%s', async (_, { keyPem: key, certPem: cert }, code) => {
    using folder = temporaryFolder()
    const response = impostor(certificates.caPem, { command_port: 1, result_port: 1 })
    await using server = recordRequests({ response, tls: { key, cert } })
    await using driver = startDriver(folder.path, server.url)
    const { status, log } = await driver.ended()
    expect(log).toContain(code)
    expect(log).toContain('nothing was sent to it')
    expect(status).toBe(69)
    // An expired certificate is judged by the time of the server, which a second response has.
    expect(new Set(server.requests.map((each) => each.path))).toEqual(new Set(['/api/pub/root-ca.pem']))
    expect(server.has(TOKEN)).toBe(false)
  })

  test('the server redirects elsewhere', async () => {
    using folder = temporaryFolder()
    await using elsewhere = recordRequests({ response: impostor(certificates.caPem) })
    const redirect = (path: string) => Response.redirect(`${elsewhere.url}${path}`, 307)
    await using server = recordRequests({
      response: ({ method, path }) => (method === 'GET' ? new Response(certificates.caPem) : redirect(path)),
      tls: { key: own.keyPem, cert: own.certPem },
    })
    await using driver = startDriver(folder.path, server.url)
    const { status } = await driver.ended()
    expect(status).toBe(69)
    // So the recorder would have seen the token in all the tests above.
    expect(server.has(TOKEN)).toBe(true)
    expect(elsewhere.requests).toEqual([])
  })
})

/** A TLS port that records every byte it receives after the handshake. */
async function listenTls({ keyPem: key, certPem: cert }: KeyedCertificate) {
  const received: Buffer[] = []
  let attempts = 0
  const server = createServer({ key, cert, ALPNProtocols: ['svc-zmtp/1'] }, (socket: TLSSocket) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.on('error', () => undefined)
  })
  server.on('connection', () => {
    attempts += 1
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    received: () => Buffer.concat(received),
    attempts: () => attempts,
    [Symbol.dispose]: () => void server.close(),
  }
}

describe('svc driver start sends nothing to a message port whose certificate', () => {
  test.each([
    ['is of another CA with the same name', certificates.foreign],
    ['names other addresses', certificates.wrongName],
    ['has expired', certificates.expired],
  ])('%s', async (_, identity) => {
    using folder = temporaryFolder()
    using port = await listenTls(identity)
    const ports = { command_port: port.port, result_port: port.port }
    await using server = recordRequests({ response: impostor(certificates.caPem, ports) })
    await using driver = startDriver(folder.path, server.url)
    await driver.untilLogged('not connected; retrying')
    await until('two attempts', async () => port.attempts() >= 2)
    expect(port.received().length).toBe(0)
    expect(driver.process.exitCode).toBe(null)
  })
})

describe('svc serve gives no message port to', () => {
  const folder = temporaryFolder()
  let service: Service
  let victim: { token: string; fingerprint: string }
  let other: { token: string; fingerprint: string }
  let user: { token: string }
  let ca: string

  beforeAll(async () => {
    service = await Service.install(folder.path)
    await service.start()
    victim = await service.createQpu('victim')
    other = await service.createQpu('other')
    user = await service.createUser(100)
    ca = await (await fetch(`${service.url}/api/pub/root-ca.pem`)).text()
  })

  afterAll(async () => {
    await service.stop()
    folder[Symbol.dispose]()
  })

  async function lease(token: string): Promise<ConnectResponse> {
    const path = '/api/op/drivers/connect'
    const { status, body } = await service.call<ConnectResponse>('POST', path, {
      body: { token, instance: 'one process' },
    })
    expect(status).toBe(200)
    return body
  }

  /** Tries to attach to the command port; returns the received bytes and how the connection ended. */
  async function attach(port: number, login: { user: string; password: string }, untilJob = false) {
    const received: string[] = []
    const { promise, resolve } = Promise.withResolvers<{ refused: boolean; received: string[] }>()
    const connection = connect({
      role: 'pull',
      host: '127.0.0.1',
      port,
      ca,
      ...login,
      clock: systemClock,
      log: silentLog,
      reconnect: false,
      onMessage: (body) => void received.push(Buffer.from(body).toString()),
      onClose: (_reason, refused) => resolve({ refused, received }),
    })
    if (untilJob) await until('a job', () => received.some((each) => each.includes('RunJob')))
    else await promise
    await connection.close()
    return { ...(await promise), received }
  }

  test('forged, foreign, replayed and missing tokens, while a job waits', async () => {
    const body = { circuits: [{ circuit: BELL }], shots: 1, qpu_target: 'victim' }
    const job = await service.call('POST', '/api/jobs', { token: user.token, body })
    expect(job.status).toBe(201)
    const earlier = await lease(victim.token)
    const theirs = await lease(other.token)
    const now = await lease(victim.token)
    expect(now.epoch).toBeGreaterThan(earlier.epoch)
    const claims = { sub: now.id, jti: String(now.epoch), aud: 'svc-socket', exp: Date.now() / 1_000 + 60 }
    const unsigned = (header: object) =>
      [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const [head = '', , signature = ''] = now.auth_token.split('.')
    const otherEpoch = Buffer.from(JSON.stringify({ ...claims, jti: '999' })).toString('base64url')
    const attempts: [string, string, string][] = [
      ['no password', now.id, ''],
      ['the access token', now.id, victim.token],
      ['a token signed with another key', now.id, await sign(claims, 'guess', 'HS256')],
      ['a token without signature', now.id, `${unsigned({ alg: 'none', typ: 'JWT' })}.`],
      ['a token whose claims were changed', now.id, `${head}.${otherEpoch}.${signature}`],
      ['the token of the lease before', now.id, earlier.auth_token],
      ["another driver's token", now.id, theirs.auth_token],
      ["another driver's name and token", theirs.id, theirs.auth_token],
      ["another driver's name with the right token", theirs.id, now.auth_token],
    ]
    for (const [title, user, password] of attempts) {
      const { refused, received } = await attach(now.command_port, { user, password })
      expect({ title, refused, received }).toEqual({ title, refused: true, received: [] })
    }
    const qpu = await service.call('GET', '/api/qpus/victim')
    expect(qpu.body['status']).toBe('offline')
    // The right token still gets in, and only then the job leaves the server.
    const { received } = await attach(now.command_port, { user: now.id, password: now.auth_token }, true)
    const commands: { type: string }[] = received.map((each) => JSON.parse(each))
    expect(commands.map(({ type }) => type)).toEqual(['SetMaintenance', 'RunJob'])
    expect(commands[1]).toMatchObject({ job: job.body['id'] })
    // Tokens do not get into the log, whatever was tried.
    for (const secret of [victim.token, now.auth_token, theirs.auth_token]) {
      expect(service.log).not.toContain(secret)
    }
  })

  test('a client that does not trust the CA, or speaks no TLS', async () => {
    const { command_port: port, id, auth_token } = await lease(other.token)
    const closed = Promise.withResolvers<string>()
    connect({
      role: 'pull',
      host: '127.0.0.1',
      port,
      ca: certificates.caPem,
      user: id,
      password: auth_token,
      clock: systemClock,
      log: silentLog,
      reconnect: false,
      onClose: (reason) => closed.resolve(reason),
    })
    expect(await closed.promise).toContain('certificate')
    const plain = Promise.withResolvers<void>()
    await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => void socket.write('GET / HTTP/1.1\r\n\r\n'),
        data: () => undefined,
        close: () => plain.resolve(),
      },
    })
    await plain.promise
    const { received } = await attach(port, { user: id, password: 'wrong' })
    expect(received).toEqual([])
  })

  test('unknown access tokens (401), and a driver that is switched off (403)', async () => {
    const path = '/api/op/drivers/connect'
    const admin = await service.admin()
    for (const token of ['svc_dt_', `${victim.token}x`, victim.token.slice(0, -1), admin, user.token]) {
      const { status, body } = await service.call('POST', path, { body: { token } })
      expect({ status, message: body['message'] }).toEqual({ status: 401, message: expect.any(String) })
      expect(JSON.stringify(body)).not.toContain(token)
    }
    const off = { name: 'other', enabled: false }
    await service.call('POST', '/api/op/qpu/toggle', { token: admin, body: off })
    const { status, body } = await service.call('POST', path, { body: { token: other.token } })
    expect({ status, message: String(body['message']) }).toMatchObject({ status: 403 })
    expect(String(body['message'])).toContain('disabled')
  })
})
