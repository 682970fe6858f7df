import { expect, test } from 'bun:test'
import { isExposed, requestLease } from '../../../src/driver/connection/connect.ts'
import { fingerprintOf } from '../../../src/protocol/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { openTestServer, type TestServer } from '../support/test-server.ts'

const certificates = await makeTestCertificates()
const pin = fingerprintOf(certificates.caPem)

function lease(server: TestServer, ca = certificates.caPem) {
  return requestLease({
    svcAddr: server.url,
    token: 'svc_dt_1',
    operation: 'process',
    device: 'wild',
    host: 'bench',
    version: '1.2.3',
    instance: 'abc',
    ca,
    pin,
    clock: new FakeClock(),
    signal: new AbortController().signal,
  })
}

async function open(https = false): Promise<TestServer & AsyncDisposable> {
  const server = await openTestServer({ certificates, https })
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() })
}

test.each([false, true])(
  'requestLease() presents the token and returns the lease (https: %p)',
  async (https) => {
    await using server = await open(https)
    expect(await lease(server)).toMatchObject({ id: 'driver000000001', name: 'north', epoch: 1 })
    expect(server.connects).toEqual([
      {
        token: 'svc_dt_1',
        operation: 'process',
        device: 'wild',
        host: 'bench',
        version: '1.2.3',
        instance: 'abc',
      },
    ])
  },
)

test('requestLease() sends no token to an https server of another CA', async () => {
  await using server = await open(true)
  await expect(lease(server, certificates.foreign.caPem)).rejects.toMatchObject({ code: 'unavailable' })
  expect(server.requests).toEqual([])
})

test('requestLease() reports why the server refuses', async () => {
  await using server = await open()
  server.refuse = { status: 409, message: 'north is already connected' }
  await expect(lease(server)).rejects.toMatchObject({
    status: 409,
    message: 'connect was refused (409): north is already connected',
  })
})

test.each([
  [{ command_port: 0 }, "the server's connect response is not valid: command_port: "],
  [
    { operation: 'monitor' },
    'driver north is registered for monitor, not process; start it with --operation monitor',
  ],
  [{ tls_hash: 'cd'.repeat(32) }, `the server announces a root CA with fingerprint ${'cd'.repeat(32)}, but`],
])('requestLease() refuses a response with %j', async (change, message) => {
  await using server = await open()
  server.response = change
  await expect(lease(server)).rejects.toThrow(message)
})

test('requestLease() accepts the fingerprint in any notation', async () => {
  await using server = await open()
  server.response = { tls_hash: pin.toUpperCase().replace(/(..)(?!$)/g, '$1:') }
  expect((await lease(server)).epoch).toBe(1)
})

test.each([
  ['http://127.0.0.1:8090', false],
  ['http://127.9.9.9', false],
  ['http://localhost:8090', false],
  ['http://[::1]:8090', false],
  ['http://10.0.0.7:8090', true],
  ['http://localhost.example', true],
  ['https://10.0.0.7', false],
])('isExposed(%p) is %p', (address, expected) => {
  expect(isExposed(address)).toBe(expected)
})
