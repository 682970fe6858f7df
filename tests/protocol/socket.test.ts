import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/base/index.ts'
import type { Peer } from '../../src/protocol/socket.ts'
import { FakeClock } from '../support/fake-clock.ts'
import {
  certificates,
  openConnection,
  openListener,
  openLog,
  openPair,
} from '../support/sockets/message-sockets.ts'
import { until } from '../support/until.ts'

describe('messages', () => {
  test('travel from a pushing driver to the pulling server in order', async () => {
    await using pair = await openPair()
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index} ünï`)
    for (const text of texts) expect(pair.client.connection.trySend(text)).toBe(true)
    await until('all messages arrive', () => pair.server.received.length === texts.length)
    expect(pair.server.received).toEqual(texts)
  })

  test('travel from a pushing server to the pulling driver in order', async () => {
    await using pair = await openPair({ role: 'push' })
    const sizes = [0, 1, 254, 255, 256, 257, 8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 1 << 20]
    for (const size of sizes) await pair.server.listener.send(Buffer.alloc(size, 'x'))
    await until('all messages arrive', () => pair.client.received.length === sizes.length)
    expect(pair.client.received.map((text) => text.length)).toEqual(sizes)
  })

  test('are counted on both sides', async () => {
    await using pair = await openPair()
    pair.client.connection.trySend('12345')
    await until('the message arrives', () => pair.server.received.length === 1)
    expect(pair.client.connection.counters).toMatchObject({ open: 1, ready: 1, messagesOut: 1, bytesOut: 7 })
    expect(pair.server.listener.counters).toMatchObject({
      open: 1,
      ready: 1,
      messagesIn: 1,
      refused: 0,
      dropped: 0,
    })
    expect(pair.server.listener.counters.bytesIn).toBeGreaterThan(64)
  })

  test('of several frames are dropped with a log line, and the connection continues', async () => {
    const { log, lines } = openLog()
    await using pair = await openPair({ log })
    pair.client.connection.trySend([Buffer.from('a'), Buffer.from('b')])
    pair.client.connection.trySend('next')
    await until('the next arrived', () => pair.server.received.length === 1)
    expect(pair.server.received).toEqual(['next'])
    expect(pair.server.listener.counters.dropped).toBe(1)
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'message of several frames dropped', frames: 2 }),
    )
  })

  test('of several frames reach a handler that accepts them', async () => {
    const seen: string[][] = []
    await using pair = await openPair({
      onFrames: (frames) => {
        seen.push(frames.map((frame) => Buffer.from(frame).toString()))
      },
    })
    pair.client.connection.trySend([Buffer.from('a'), Buffer.from(''), Buffer.from('c')])
    await until('the message arrives', () => seen.length === 1)
    expect(seen).toEqual([['a', '', 'c']])
  })

  test('whose handler throws are dropped with a log line, and the connection continues', async () => {
    const { log, lines } = openLog()
    const received: string[] = []
    await using pair = await openPair({
      log,
      onMessage: (body) => {
        const text = Buffer.from(body).toString()
        if (text === 'bad') throw new Error('cannot handle this')
        received.push(text)
      },
    })
    for (const text of ['one', 'bad', 'two']) pair.client.connection.trySend(text)
    await until('the others arrived', () => received.length === 2)
    expect(received).toEqual(['one', 'two'])
    expect(pair.server.listener.counters.dropped).toBe(1)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error' }))
  })

  test('that the handler does not accept are stored and delivered again after resume', async () => {
    const seen: string[] = []
    let isReady = false
    let peer: Peer | undefined
    await using pair = await openPair({
      onMessage: (body, from) => {
        peer = from
        seen.push(`${Buffer.from(body)}${isReady ? '' : ' (not ready)'}`)
        return isReady ? undefined : false
      },
    })
    for (const text of ['a', 'b', 'c']) pair.client.connection.trySend(text)
    await until('the first was offered', () => seen.length === 1)
    peer?.resume()
    expect(seen).toEqual(['a (not ready)', 'a (not ready)'])
    isReady = true
    peer?.resume()
    await until('all messages arrive', () => seen.length === 5)
    expect(seen.slice(2)).toEqual(['a', 'b', 'c'])
  })

  test('wait while either end is paused', async () => {
    await using pair = await openPair({ role: 'push' })
    await using other = await openPair({ role: 'push' })
    pair.client.connection.pause()
    pair.server.listener.trySend('later')
    other.server.listener.trySend('now')
    await until('a later message arrives elsewhere', () => other.client.received.length === 1)
    expect(pair.client.received).toEqual([])
    pair.client.connection.resume()
    await until('the message arrives', () => pair.client.received.length === 1)
  })

  test('larger than the other side accepts are rejected before they are sent', async () => {
    const limits = { toServerBytes: 1_000, toDriverBytes: 100 }
    await using pair = await openPair({ limits }, { limits })
    await using other = await openPair({ limits, role: 'push' }, { limits })
    expect(() => pair.client.connection.trySend(Buffer.alloc(1_001))).toThrow(
      'The message has 1001 bytes, the socket accepts at most 1000',
    )
    expect(() => other.server.listener.trySend('x'.repeat(101))).toThrow(AppError)
    expect(pair.client.connection.trySend(Buffer.alloc(1_000))).toBe(true)
    expect(other.server.listener.trySend('x'.repeat(100))).toBe(true)
    await until('both arrived', () => pair.server.received.length + other.client.received.length === 2)
  })
})

describe('trySend() and send()', () => {
  test('accept nothing without a ready peer', async () => {
    await using server = await openListener({ role: 'push' })
    expect(server.listener.trySend('x')).toBe(false)
    await expect(server.listener.send('x')).rejects.toThrow('No driver is connected')
    await using client = openConnection(server.listener.port)
    expect(client.connection.trySend('x')).toBe(false)
    await expect(client.connection.send('x')).rejects.toThrow('not connected')
  })

  test('reject when the peer disconnects', async () => {
    await using pair = await openPair({ role: 'push', limits: { queuedMessages: 1 } })
    pair.client.connection.pause()
    await until('the queue to be full', () => !pair.server.listener.trySend(Buffer.alloc(1 << 20)))
    const waiting = pair.server.listener.send('waits')
    pair.server.listener.dropPeer('the driver was disabled')
    await expect(waiting).rejects.toThrow('closed before the message could be sent')
    expect(pair.server.listener.trySend('x')).toBe(false)
    expect(pair.server.listener.peer).toBeUndefined()
  })
})

describe('life cycle', () => {
  test('listen() rejects with EADDRINUSE when the port is taken', async () => {
    await using server = await openListener()
    const again = openListener({ port: server.listener.port })
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('listen() rejects when the certificate cannot be used', async () => {
    await expect(openListener({ tls: { key: 'no key', cert: 'no certificate' } })).rejects.toThrow()
  })

  test('connect() throws at once on a certificate that cannot be pinned', () => {
    expect(() => openConnection(1, { ca: certificates.certPem })).toThrow('not a CA certificate')
  })

  test('close() of the driver delivers what was accepted', async () => {
    await using server = await openListener()
    await using client = openConnection(server.listener.port)
    await client.ready()
    for (let count = 0; count < 900; count++) client.connection.trySend(`${count}`)
    await client.connection.close()
    await until('the server reports the end', () => server.closed.length === 1)
    expect(server.received).toHaveLength(900)
    expect(client.closed).toEqual([{ reason: 'closed by this side', refused: false }])
    expect(client.connection.trySend('late')).toBe(false)
  })

  test('close() of the server delivers what was accepted and frees the port', async () => {
    await using pair = await openPair({ role: 'push' })
    for (let count = 0; count < 900; count++) pair.server.listener.trySend(`${count}`)
    await pair.server.listener.close()
    await pair.client.ended()
    expect(pair.client.received).toHaveLength(900)
    expect(pair.server.listener.counters.open).toBe(0)
    await using again = await openListener({ port: pair.server.listener.port })
    expect(again.listener.port).toBe(pair.server.listener.port)
  })

  test('close() does not wait longer than the grace period for a peer that does not read', async () => {
    const clock = new FakeClock()
    await using pair = await openPair({ role: 'push', clock, limits: { closeGraceMs: 100 } })
    pair.client.connection.pause()
    await until('the queue to be full', () => !pair.server.listener.trySend(Buffer.alloc(1 << 20)))
    let isClosed = false
    const closed = pair.server.listener.close().then(() => {
      isClosed = true
    })
    await clock.advance(99)
    expect(isClosed).toBe(false)
    await clock.advance(1)
    await closed
  })

  test('close() is safe while connecting, while waiting to reconnect, and twice', async () => {
    await using server = await openListener()
    const connecting = openConnection(server.listener.port)
    await connecting.connection.close()
    await connecting.connection.close()
    const waiting = openConnection(1, { reconnect: { initialMs: 60_000, maxMs: 60_000 } })
    await waiting.ended()
    await waiting.connection.close()
    expect(waiting.closed).toHaveLength(1)
  })

  test('a signal ends the connection at once', async () => {
    const abort = new AbortController()
    const clock = new FakeClock()
    await using pair = await openPair(
      {},
      { clock, signal: abort.signal, reconnect: { initialMs: 1, maxMs: 1 } },
    )
    abort.abort()
    expect((await pair.client.ended()).reason).toBe('closed by this side')
    // It does not wait to reconnect either.
    expect(clock.sleepers).toBe(0)
    expect(pair.client.closed).toHaveLength(1)
  })

  test('the driver reconnects automatically and messages flow again', async () => {
    await using pair = await openPair({}, { reconnect: { initialMs: 1, maxMs: 5 } })
    pair.server.listener.dropPeer('restart')
    await pair.client.ended()
    await pair.client.ready()
    pair.client.connection.trySend('again')
    await until('the message arrives', () => pair.server.received.length === 1)
    expect(pair.client.connection.counters.ready).toBe(2)
  })

  test('handlers that throw do not affect the socket', async () => {
    const { log, lines } = openLog()
    const fail = () => {
      throw new Error('handler broke')
    }
    await using pair = await openPair(
      { log, onReady: fail, onClose: fail },
      { log, onReady: fail, onClose: fail },
    )
    pair.client.connection.trySend('hello')
    await until('the message arrives', () => pair.server.received.length === 1)
    pair.server.listener.dropPeer('end')
    await until('all four were logged', () => lines.filter((line) => line['level'] === 'error').length === 4)
  })
})
