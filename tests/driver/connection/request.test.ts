import { expect, test } from 'bun:test'
import type { AppError } from '../../../src/base/index.ts'
import { request, withClockDifference } from '../../../src/driver/connection/request.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { until } from '../../support/until.ts'

const certificates = await makeTestCertificates()
const signal = new AbortController().signal
const trust = { ca: certificates.caPem }

function serve(
  fetch: (request: Request) => Response | Promise<Response>,
  tls?: { key: string; cert: string },
) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch, ...(tls && { tls }) })
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
}

test('request() sends JSON and returns status and body whatever they are', async () => {
  await using server = serve(async (request) =>
    Response.json({ received: await request.json() }, { status: 418, headers: { 'retry-after': '7' } }),
  )
  const options = { method: 'POST' as const, body: { a: 1 }, trust, clock: new FakeClock(), signal }
  expect(await request(server.url, options)).toEqual({
    status: 418,
    text: '{"received":{"a":1}}',
    retryAfter: 7,
    serverTime: expect.any(Number),
  })
})

test.each([
  [
    -30 * 86_400_000,
    "x: certificate is not yet valid; the clock of this machine is 30 days behind the server's: set it",
  ],
  [7_200_000, "x: CERT_HAS_EXPIRED; the clock of this machine is 2h ahead of the server's: set it"],
  [0, 'x: certificate is not yet valid'],
  [-30 * 86_400_000, 'x: another root'],
])('withClockDifference() of %i ms: %s', async (ms, expected) => {
  await using server = serve(() => new Response('', { headers: { date: new Date().toUTCString() } }))
  const options = { svcAddr: server.url, clock: new FakeClock(Date.now() + ms), signal }
  expect(await withClockDifference(expected.split(';')[0] ?? '', options)).toBe(expected)
})

test('request() does not follow redirects', async () => {
  const paths: string[] = []
  await using server = serve((request) => {
    paths.push(new URL(request.url).pathname)
    return new Response(null, { status: 302, headers: { location: '/elsewhere' } })
  })
  const response = await request(server.url, { method: 'GET', trust, clock: new FakeClock(), signal })
  expect(response.status).toBe(302)
  expect(paths).toEqual(['/'])
})

test('request() gives up after 10 s', async () => {
  const clock = new FakeClock()
  let hasRequest = false
  await using server = serve(() => {
    hasRequest = true
    return new Promise<Response>(() => undefined)
  })
  const response = request(server.url, { method: 'GET', trust, clock, signal })
  response.catch(() => undefined)
  await until('the request arrives', () => hasRequest)
  await clock.advance(10_000)
  await expect(response).rejects.toThrow(`cannot reach the server at ${server.url}: no response within 10 s`)
})

test('request() stops reading a long response', async () => {
  await using server = serve(() => new Response('x'.repeat(70_000)))
  const response = request(server.url, { method: 'GET', trust, clock: new FakeClock(), signal })
  await expect(response).rejects.toThrow('the response is longer than 65536 bytes')
})

test('request() reports when no server listens', async () => {
  const response = request('http://127.0.0.1:1', { method: 'GET', trust, clock: new FakeClock(), signal })
  await expect(response).rejects.toMatchObject({ code: 'unavailable', reason: undefined })
})

test('request() trusts the given root only, and distinguishes bad certificates from absent servers', async () => {
  const { keyPem: key, certPem: cert, foreign, wrongName, expired } = certificates
  const responseOf = async (tls: { key: string; cert: string }, ca: string) => {
    await using server = serve(() => new Response('ok'), tls)
    const options = { method: 'GET' as const, trust: { ca }, clock: new FakeClock(), signal }
    return await request(server.url, options).then(
      ({ text }) => text,
      (error: AppError) => `${error.reason}: ${error.message}`,
    )
  }
  expect(await responseOf({ key, cert }, certificates.caPem)).toBe('ok')
  expect(await responseOf({ key, cert }, foreign.caPem)).toMatch(
    /^untrusted_certificate: .*UNABLE_TO_VERIFY_LEAF_SIGNATURE.*nothing was sent/,
  )
  const other = { key: wrongName.keyPem, cert: wrongName.certPem }
  expect(await responseOf(other, certificates.caPem)).toMatch(
    /^untrusted_certificate: .*ERR_TLS_CERT_ALTNAME_INVALID.*nothing was sent/,
  )
  const old = { key: expired.keyPem, cert: expired.certPem }
  expect(await responseOf(old, certificates.caPem)).toMatch(
    /^untrusted_certificate: .*CERT_HAS_EXPIRED.*nothing was sent/,
  )
})
