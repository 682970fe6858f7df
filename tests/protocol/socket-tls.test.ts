import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls, createServer, type TlsOptions } from 'node:tls'
import { makeTestCertificates } from '../support/sockets/certificates.ts'
import { certificates, openConnection, openListener, openPair } from '../support/sockets/message-sockets.ts'
import { openRawPeer, tlsOptions } from '../support/sockets/raw-peer.ts'
import { until } from '../support/until.ts'

const identity = { key: certificates.keyPem, cert: certificates.certPem }

/** Connects a plain TLS client to the listener; returns its error code, or undefined when TLS was set up. */
async function tlsOutcome(port: number, options: object): Promise<string | undefined> {
  const socket = connectTls({ ...tlsOptions(port), ...options })
  try {
    const outcome = await new Promise<string | undefined>((resolve) => {
      socket.once('secureConnect', () => resolve(undefined))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      socket.once('close', () => resolve('closed'))
    })
    return outcome
  } finally {
    socket.on('error', () => undefined)
    socket.destroy()
  }
}

/** Lets our client connect to a foreign TLS server; returns how the attempt ends. */
async function connectToForeignServer(
  options: TlsOptions,
  connecting = {},
): Promise<{ reason: string; refused: boolean }> {
  const server = createServer({ ...identity, ...options })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    await using client = openConnection(port, connecting)
    return await client.ended()
  } finally {
    server.close()
  }
}

describe('a connecting socket refuses', () => {
  test.each([
    ['a certificate of another CA with the same subject', certificates.foreign, 'unable to verify'],
    ['a certificate for another address', certificates.wrongName, "does not match certificate's altnames"],
    ['an expired certificate', certificates.expired, 'expired'],
  ])('%s', async (_name, { keyPem, certPem }, reason) => {
    await using server = await openListener({ tls: { key: keyPem, cert: certPem } })
    await using client = openConnection(server.listener.port)
    const ending = await client.ended()
    expect(ending.reason).toContain(reason)
    expect(ending.refused).toBe(false)
    expect(server.listener.counters.ready).toBe(0)
  })

  test('the right certificate when another CA is pinned', async () => {
    await using server = await openListener()
    await using client = openConnection(server.listener.port, { ca: certificates.foreign.caPem })
    expect((await client.ended()).reason).toContain('unable to verify')
  })

  test('a certificate that names the host but not its address', async () => {
    const named = await makeTestCertificates({ dns: ['localhost'] })
    const tls = { key: named.keyPem, cert: named.certPem }
    await using server = await openListener({ tls })
    await using byAddress = openConnection(server.listener.port, { ca: named.caPem })
    expect((await byAddress.ended()).reason).toContain('altnames')
    await using byName = openConnection(server.listener.port, { ca: named.caPem, host: 'localhost' })
    await byName.ready()
  })

  test('a server that speaks TLS 1.2 only', async () => {
    const { reason } = await connectToForeignServer({ maxVersion: 'TLSv1.2' })
    expect(reason).toMatch(/protocol.version|TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/i)
  })

  test('a server that speaks another application protocol', async () => {
    const { reason } = await connectToForeignServer({ ALPNProtocols: ['h2'] })
    expect(reason).toMatch(/no.application.protocol/i)
  })

  test('a server that accepts TCP and sends nothing', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
    await using client = openConnection(silent.port, { limits: { tlsHandshakeMs: 60 } })
    expect((await client.ended()).reason).toBe('no TLS handshake within 60 ms')
    silent.stop(true)
  })

  test('an absent server', async () => {
    await using client = openConnection(1)
    expect((await client.ended()).reason).toBe('nothing listens there')
  })
})

describe('a listening socket', () => {
  test('refuses TLS 1.2', async () => {
    await using server = await openListener()
    const outcome = await tlsOutcome(server.listener.port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })
    expect(outcome).toContain('PROTOCOL_VERSION')
  })

  test('is not trusted by a client without the CA', async () => {
    await using server = await openListener()
    expect(await tlsOutcome(server.listener.port, { ca: undefined })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  test('accepts its application protocol or none, and refuses another', async () => {
    await using server = await openListener()
    expect(await tlsOutcome(server.listener.port, { ALPNProtocols: ['svc-zmtp/1'] })).toBeUndefined()
    expect(await tlsOutcome(server.listener.port, {})).toBeUndefined()
    expect(await tlsOutcome(server.listener.port, { ALPNProtocols: ['h2'] })).toContain(
      'NO_APPLICATION_PROTOCOL',
    )
  })

  test('hands out no session tickets', async () => {
    await using server = await openListener()
    const peer = await openRawPeer(server.listener.port)
    const sessions: Buffer[] = []
    peer.socket.on('session', (session) => sessions.push(session))
    await peer.becomeReady()
    expect(sessions).toEqual([])
    expect(peer.socket.isSessionReused()).toBe(false)
    expect(peer.socket.getProtocol()).toBe('TLSv1.3')
    peer.socket.destroy()
  })

  test('closes a connection that sends garbage instead of TLS, at once', async () => {
    await using server = await openListener()
    const socket = createConnection(server.listener.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    socket.resume()
    await once(socket, 'close')
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
    expect(server.listener.counters.open).toBe(0)
  })

  test('closes a connection that sends nothing', async () => {
    await using server = await openListener({ limits: { tlsHandshakeMs: 100 } })
    const socket = createConnection(server.listener.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.resume()
    await once(socket, 'close')
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
  })

  test('close() does not wait for connections that send nothing', async () => {
    let accepted = 0
    const admits = () => {
      accepted += 1
      return true
    }
    const server = await openListener({ admits, limits: { tlsHandshakeMs: 3_600_000 } })
    const socket = createConnection(server.listener.port, '127.0.0.1')
    socket.on('error', () => undefined)
    await until('the server has the connection', () => accepted === 1)
    await server.listener.close()
    socket.destroy()
  })

  test('ends the oldest connection without handshake when there are too many', async () => {
    await using server = await openListener({ limits: { unreadyConnections: 3 } })
    const closed: number[] = []
    const sockets: Socket[] = []
    for (let number = 0; number < 6; number += 1) {
      const socket = createConnection(server.listener.port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => void closed.push(number))
      socket.resume()
      await once(socket, 'connect')
    }
    await until('the oldest were closed', () => closed.length === 3)
    expect(closed).toEqual([0, 1, 2])
    // A driver is connected nevertheless, and stays so.
    await using driver = openConnection(server.listener.port)
    await driver.ready()
    for (let number = 6; number < 12; number += 1) {
      sockets.push(createConnection(server.listener.port, '127.0.0.1').on('error', () => undefined))
    }
    await until('more were closed', () => server.listener.counters.refused >= 9)
    expect(driver.connection.ready).toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  test('refuses a connection that is not admitted before it costs a TLS handshake', async () => {
    let admitted = 1
    await using server = await openListener({ admits: () => admitted-- > 0 })
    await using driver = openConnection(server.listener.port)
    await driver.ready()
    await using refused = openConnection(server.listener.port)
    await refused.ended()
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
    expect(driver.connection.ready).toBe(true)
  })

  test('presents a renewed certificate to new connections while old ones continue', async () => {
    await using pair = await openPair()
    const { port } = pair.server.listener
    const shown = async () => {
      const peer = await openRawPeer(port)
      const { fingerprint256 } = peer.socket.getPeerCertificate()
      peer.socket.destroy()
      return fingerprint256
    }
    const before = await shown()
    pair.server.listener.setSecureContext({
      key: certificates.renewed.keyPem,
      cert: certificates.renewed.certPem,
    })
    expect(await shown()).not.toBe(before)
    pair.client.connection.trySend('still here')
    await until('the old connection delivers', () => pair.server.received.length === 1)
    await using again = openConnection(port)
    await again.ready()
  })

  test('keeps the old certificate when the new one cannot be used', async () => {
    await using server = await openListener()
    expect(() => server.listener.setSecureContext({ key: 'no key', cert: 'none' })).toThrow()
    await using client = openConnection(server.listener.port)
    await client.ready()
  })

  test.if(Bun.which('ss') !== null)('probes idle connections with TCP keep-alive', async () => {
    await using pair = await openPair()
    const filter = ['state', 'established', 'sport', '=', `:${pair.server.listener.port}`]
    const timers = () => Bun.spawnSync(['ss', '-tnoH', ...filter]).stdout.toString()
    await until('the keep-alive timer is set', () => timers().includes('timer:(keepalive'))
  })
})
