import { beforeAll, describe, expect, test } from 'bun:test'
import { createSecureContext, rootCertificates } from 'node:tls'
import { parseNetwork, systemClock } from '../../../src/base/index.ts'
import { AddressGuard, type Resolve } from '../../../src/server/webhooks/addresses.ts'
import { post } from '../../../src/server/webhooks/post.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { freePort } from '../../support/free-port.ts'
import { makeTestCertificates, type TestCertificates } from '../../support/sockets/certificates.ts'
import { until } from '../../support/until.ts'
import { openReceiver, RECEIVER_NAMES, type Response } from '../../support/webhooks/receiver.ts'

let certificates: TestCertificates
beforeAll(async () => {
  certificates = await makeTestCertificates(RECEIVER_NAMES)
})

const open = (response: Response = 200) => openReceiver({ certificates, response })
const LOOPBACK = ['127.0.0.0/8'].map((text) => parseNetwork(text) ?? expect.unreachable())
const ALLOWED = ['127.0.0.1'].map((text) => parseNetwork(text) ?? expect.unreachable())

interface Options {
  clock?: FakeClock
  resolve?: Resolve
  ca?: string
  signal?: AbortSignal
}

function send(url: string, { clock, resolve, ca = certificates.caPem, signal }: Options = {}) {
  const guard = new AddressGuard({ allowed: ALLOWED, resolve: resolve ?? (async () => ['127.0.0.1']) })
  const request = { url, headers: { 'webhook-id': 'x' }, body: '{"a":"ü"}' }
  return post(request, {
    guard,
    clock: clock ?? systemClock,
    secureContext: ca === '' ? undefined : createSecureContext({ ca: [...rootCertificates, ca] }),
    signal: signal ?? new AbortController().signal,
  })
}

describe('post()', () => {
  test('sends the body to the checked address, with the name for TLS and Host', async () => {
    await using receiver = await open()
    const outcome = await send(`https://hook.test:${receiver.port}/path?q=1`)
    expect(outcome).toMatchObject({ status: 200, error: '', response: 'ok' })
    const { path, headers, body, servername } = await receiver.request()
    expect({ path, body, servername }).toEqual({
      path: '/path?q=1',
      body: '{"a":"ü"}',
      servername: 'hook.test',
    })
    expect(headers).toMatchObject({
      host: `hook.test:${receiver.port}`,
      'webhook-id': 'x',
      connection: 'close',
    })
  })

  test('verifies the certificate of an address by its number', async () => {
    await using receiver = await open()
    expect(await send(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({ status: 200, error: '' })
  })

  test('looks a name up once, and connects to the address that was checked', async () => {
    await using receiver = await open()
    await using internal = await openReceiver({ certificates, host: '127.0.0.2', port: receiver.port })
    // The name changes to a refused address after each look-up, as in DNS rebinding.
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    let lookUps = 0
    const resolve = async () => {
      lookUps += 1
      return answers[(lookUps - 1) % 2] ?? []
    }
    const url = `https://hook.test:${receiver.port}/`
    expect((await send(url, { resolve })).error).toBe('')
    expect(lookUps).toBe(1)
    expect((await send(url, { resolve })).error).toStartWith('address_not_allowed: ')
    expect(lookUps).toBe(2)
    expect(receiver.requests.length).toBe(1)
    expect(internal.connections).toBe(0)
  })

  test('tries the next address when one refuses the connection', async () => {
    await using receiver = await open()
    const guard = new AddressGuard({ allowed: LOOPBACK, resolve: async () => ['127.0.0.3', '127.0.0.1'] })
    const secureContext = createSecureContext({ ca: [certificates.caPem] })
    const { signal } = new AbortController()
    const request = { url: `https://hook.test:${receiver.port}/`, headers: {}, body: '{}' }
    expect((await post(request, { guard, clock: systemClock, secureContext, signal })).status).toBe(200)
  })

  test('tries at most 4 addresses of a name', async () => {
    await using receiver = await open()
    const resolve = async () => ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.1']
    const guard = new AddressGuard({ allowed: LOOPBACK, resolve })
    const secureContext = createSecureContext({ ca: [certificates.caPem] })
    const { signal } = new AbortController()
    const request = { url: `https://hook.test:${receiver.port}/`, headers: {}, body: '{}' }
    const { error } = await post(request, { guard, clock: systemClock, secureContext, signal })
    expect(error).toStartWith('connection: ')
    expect(receiver.connections).toBe(0)
  })

  test('reports a refused connection and an unknown name', async () => {
    expect((await send(`https://hook.test:${freePort()}/`)).error).toStartWith('connection: ')
    const resolve = () => Promise.reject(new Error('ENOTFOUND'))
    expect((await send('https://hook.test/', { resolve })).error).toStartWith('name_not_resolved: ')
  })

  test('follows no redirect', async () => {
    await using internal = await open()
    await using receiver = await open((socket) => {
      socket.end(`HTTP/1.1 307 Away\r\nlocation: https://127.0.0.1:${internal.port}/\r\n\r\n`)
    })
    const outcome = await send(`https://hook.test:${receiver.port}/`)
    expect(outcome).toMatchObject({ status: 307, error: 'redirect: HTTP 307; redirects are not followed' })
    expect(internal.connections).toBe(0)
  })

  for (const status of [199, 400, 404, 410, 429, 500, 503]) {
    test(`counts ${status} as a failure`, async () => {
      await using receiver = await open((socket) => socket.end(`HTTP/1.1 ${status} X\r\n\r\nwhy`))
      const outcome = await send(`https://hook.test:${receiver.port}/`)
      if (status === 199) expect(outcome.error).toStartWith('connection: ')
      else expect(outcome).toMatchObject({ status, error: `http_status: HTTP ${status}`, response: 'why' })
    })
  }

  test('refuses certificates that are foreign, expired or for another name', async () => {
    const { foreign, expired, wrongName } = certificates
    for (const bad of [foreign, expired, wrongName]) {
      await using receiver = await openReceiver({ certificates: bad })
      const { error, status } = await send(`https://hook.test:${receiver.port}/`)
      expect(error).toStartWith('certificate: ')
      expect(status).toBe(0)
      expect(receiver.requests).toEqual([])
    }
  })

  test('names a port that does not speak TLS', async () => {
    const plain = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
    })
    const { error } = await send(`https://hook.test:${plain.port}/`)
    expect(error).toBe('connection: it does not speak TLS')
    plain.stop(true)
  })

  test('does not trust the CA of others without --webhook-ca-file', async () => {
    await using receiver = await open()
    expect((await send(`https://hook.test:${receiver.port}/`, { ca: '' })).error).toStartWith('certificate: ')
  })

  test('gives up 10 s after the beginning without a response', async () => {
    const clock = new FakeClock()
    await using receiver = await open(() => undefined)
    const sent = send(`https://hook.test:${receiver.port}/`, { clock })
    await receiver.request()
    await clock.advance(9_999)
    await clock.advance(1)
    expect(await sent).toMatchObject({
      error: 'timeout: no response within 10 s',
      status: 0,
      durationMs: 10_000,
    })
  })

  test('gives up on a name server that does not respond', async () => {
    const clock = new FakeClock()
    const sent = send('https://hook.test/', { clock, resolve: () => new Promise(() => undefined) })
    await clock.advance(10_000)
    expect((await sent).error).toStartWith('timeout: ')
  })

  test('takes the status of a response whose body never ends, after 1 s', async () => {
    const clock = new FakeClock()
    await using receiver = await open((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nbeg\r\n')
    })
    let isOver = false
    const sent = send(`https://hook.test:${receiver.port}/`, { clock }).finally(() => {
      isOver = true
    })
    await receiver.request()
    await until('the end of the wait for the body', () => isOver, { clock })
    expect(await sent).toMatchObject({ status: 200, error: '', response: 'beg' })
  })

  test('reads no more than the beginning of an endless body', async () => {
    let written = 0
    await using receiver = await open((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384))) written += 16_384
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    const outcome = await send(`https://hook.test:${receiver.port}/`)
    expect(outcome).toMatchObject({ status: 200, error: '', response: 'x'.repeat(512) })
    await until('the connection to end', () => written < 64 * 1024 * 1024)
  })

  test('reads at most 16 KiB of a head that does not end', async () => {
    await using receiver = await open((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`)
    })
    const { error } = await send(`https://hook.test:${receiver.port}/`)
    expect(error).toBe('connection: the head of the response is too long')
  })

  test('refuses what is not HTTP, and a connection that is closed', async () => {
    await using ssh = await open((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'))
    expect((await send(`https://hook.test:${ssh.port}/`)).error).toBe(
      'connection: the response is not HTTP/1.1',
    )
    await using closed = await open((socket) => socket.end())
    const { error } = await send(`https://hook.test:${closed.port}/`)
    expect(error).toBe('connection: the connection was closed without a response')
  })

  test('skips interim responses and shows no control characters', async () => {
    await using receiver = await open((socket) => {
      socket.end('HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 204 Empty\r\n\r\na\u0000b\u001b[31m')
    })
    const outcome = await send(`https://hook.test:${receiver.port}/`)
    expect(outcome).toMatchObject({ status: 204, error: '', response: 'a b [31m' })
  })

  test('ends when the server stops', async () => {
    const stop = new AbortController()
    await using receiver = await open(() => undefined)
    const sent = send(`https://hook.test:${receiver.port}/`, { signal: stop.signal })
    await receiver.request()
    stop.abort(new Error('the server stopped'))
    expect((await sent).error).toBe('connection: the server stopped')
  })
})
