import { describe, expect, test } from 'bun:test'
import { encodeCommand, encodeHello, encodeProperties } from '../../src/protocol/zmtp/framing/command.ts'
import { COMMAND, encodeFrame, MORE } from '../../src/protocol/zmtp/framing/frame.ts'
import { encodeGreeting } from '../../src/protocol/zmtp/handshake/greeting.ts'
import {
  openConnection,
  openListener,
  openLog,
  openPair,
  type TestConnection,
} from '../support/sockets/message-sockets.ts'
import { GREETING, HELLO, initiate, openRawPeer } from '../support/sockets/raw-peer.ts'
import { until } from '../support/until.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const oldVersion = encodeGreeting('PLAIN', false)
oldVersion[10] = 2

/** A long frame header that announces `length` bytes. */
function announce(flags: number, length: bigint): Buffer {
  const header = Buffer.alloc(9)
  header[0] = flags | 2
  header.writeBigUInt64BE(length, 1)
  return header
}

async function expectAlive(client: TestConnection, received: string[]): Promise<void> {
  const before = received.length
  expect(client.connection.trySend('still here')).toBe(true)
  await until('the good connection still delivers', () => received.length === before + 1)
}

describe('a stranger before authentication closes only its own connection', () => {
  const cases: [name: string, bytes: Uint8Array[], reason: string][] = [
    ['an HTTP request', [latin1('GET / HTTP/1.1\r\nHost: x\r\n\r\n')], 'byte 0 is 0x47'],
    ['an old version', [oldVersion], 'ZMTP 2'],
    ['another mechanism', [encodeGreeting('NULL', false)], 'another mechanism'],
    ['INITIATE before HELLO', [GREETING, initiate()], 'expected HELLO'],
    ['a message before HELLO', [GREETING, encodeFrame(0, latin1('x'))], 'before the handshake was complete'],
    ['a message instead of INITIATE', [GREETING, HELLO, encodeFrame(0, latin1('x'))], 'before the handshake'],
    ['a second HELLO', [GREETING, HELLO, HELLO], 'expected INITIATE'],
    ['bad lengths in HELLO', [GREETING, encodeCommand('HELLO', latin1('\x05ab\x01c'))], 'lengths in HELLO'],
    ['a HELLO of 5000 bytes', [GREETING, encodeCommand('HELLO', Buffer.alloc(5_000))], 'at most 4096'],
    ['reserved flags', [GREETING, hex('1000')], 'reserved bits'],
    ['a command with more frames', [GREETING, hex('0500')], 'announces more frames'],
    ['a length of 2^63', [GREETING, announce(COMMAND, 2n ** 63n)], '4 GiB or more'],
    ['an empty command', [GREETING, hex('0400')], 'no name'],
    ['a truncated command name', [GREETING, hex('0402ff41')], 'cut short'],
    [
      'bad properties',
      [GREETING, HELLO, encodeCommand('INITIATE', latin1('\x20a'))],
      'property is cut short',
    ],
    ['no socket type', [GREETING, HELLO, initiate({})], 'socket type (none)'],
    [
      '33 properties',
      [GREETING, HELLO, initiate(Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`P${at}`, ''])))],
      'more than 32 properties',
    ],
    [
      'bytes beyond the limit while credentials are checked',
      [
        GREETING,
        encodeHello('slow', ''),
        ...Array.from({ length: 20 }, () => encodeCommand('A', Buffer.alloc(250))),
      ],
      'at most 4096',
    ],
  ]

  test.each(cases)('%s', async (_name, bytes, reason) => {
    const { log, lines } = openLog()
    await using server = await openListener({
      log,
      limits: { refusalLogMs: 0 },
      authenticate: (user) => (user === 'slow' ? new Promise(() => undefined) : { lease: user }),
    })
    await using good = openConnection(server.listener.port)
    await good.ready()
    const stranger = await openRawPeer(server.listener.port)
    stranger.write(...bytes)
    await stranger.closed()
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
    expect(lines).toContainEqual(
      expect.objectContaining({ address: '127.0.0.1', reason: expect.stringContaining(reason) }),
    )
    expect(server.listener.counters).toMatchObject({ open: 1, refused: 1 })
    await expectAlive(good, server.received)
  })

  test.each([
    ['silence', []],
    ['half a greeting', [GREETING.subarray(0, 30)]],
    ['a greeting only', [GREETING]],
    ['half a HELLO', [GREETING, HELLO.subarray(0, 12)]],
  ])('%s until the handshake has taken too long', async (_name, bytes) => {
    await using server = await openListener({ limits: { handshakeMs: 60 } })
    await using good = openConnection(server.listener.port)
    await good.ready()
    const stranger = await openRawPeer(server.listener.port)
    if (bytes.length > 0) stranger.write(...bytes)
    await stranger.closed()
    await until('no connection is left over', () => server.listener.counters.open === 1)
    await expectAlive(good, server.received)
  })
})

describe('one byte per write', () => {
  test('is slow but correct', async () => {
    await using server = await openListener()
    const peer = await openRawPeer(server.listener.port)
    const bytes = Buffer.concat([GREETING, HELLO, initiate(), encodeFrame(0, latin1('hello'))])
    for (const byte of bytes) {
      await new Promise((resolve) => peer.socket.write(Buffer.of(byte), resolve))
    }
    await until('the message arrived', () => server.received.length === 1)
    expect(server.received).toEqual(['hello'])
    peer.socket.destroy()
  })
})

describe('an authenticated peer that breaks the rules loses its connection', () => {
  const limits = { toServerBytes: 10_000, frames: 100, refusalLogMs: 0 }
  const cases: [name: string, bytes: Uint8Array[], reason: string][] = [
    ['reserved flags', [hex('4001')], 'reserved bits'],
    ['a length of 2^63', [announce(0, 2n ** 63n)], '4 GiB or more'],
    ['a message over the limit, before its body', [announce(0, 10_001n)], '10001 bytes or more'],
    [
      'parts that are over the limit together',
      [encodeFrame(MORE, Buffer.alloc(6_000)), announce(0, 6_000n)],
      '12000 bytes or more',
    ],
    [
      '2000 frames',
      [Buffer.concat(Array.from({ length: 2_000 }, () => hex('0100')))],
      'more than 100 frames',
    ],
    ['a command inside a message', [hex('0100'), encodeCommand('PING', hex('0096'))], 'inside a message'],
    ['an empty command', [hex('0400')], 'no name'],
    ['a PING without time to live', [encodeCommand('PING', hex('00'))], 'time to live'],
    ['a command of 5000 bytes', [announce(COMMAND, 5_000n)], '5000 bytes, at most 4096'],
    [
      'a flood of PINGs',
      Array.from({ length: 250 }, () => encodeCommand('PING', latin1('\x00\x96'))),
      'more than 100 commands per second',
    ],
    ['an ERROR', [encodeCommand('ERROR', latin1('\x03500'))], 'reports an error: 500'],
  ]

  test.each(cases)('%s', async (_name, bytes, reason) => {
    await using server = await openListener({ limits })
    const peer = await openRawPeer(server.listener.port)
    await peer.becomeReady()
    peer.write(...bytes)
    await peer.closed()
    await until('the owner is notified', () => server.closed.length === 1)
    expect(server.closed[0]).toContain(reason)
    expect(server.listener.counters).toMatchObject({ open: 0, messagesIn: 0 })
    await using good = openConnection(server.listener.port)
    await good.ready()
    await expectAlive(good, server.received)
  })

  test('a message sent to a PUSH socket', async () => {
    await using server = await openListener({ role: 'push' })
    const peer = await openRawPeer(server.listener.port)
    peer.write(GREETING, HELLO, initiate({ 'Socket-Type': 'PULL' }), encodeFrame(0, latin1('x')))
    await peer.closed()
    await until('the owner is notified', () => server.closed.length === 1)
    expect(server.closed).toEqual(['a message arrived at a PUSH socket'])
  })

  test('but unknown commands and properties are ignored, and PING receives its response', async () => {
    await using server = await openListener()
    const peer = await openRawPeer(server.listener.port)
    peer.write(GREETING, HELLO, initiate({ 'Socket-Type': 'PUSH', Identity: 'x', 'X-Future': '1' }))
    peer.write(encodeCommand('FUTURE', latin1('?')), encodeCommand('PING', latin1('\x00\x96context')))
    peer.write(encodeFrame(0, latin1('hello')))
    await until('the message arrived', () => server.received.length === 1)
    await until('the response arrives', () => peer.received().includes('\x04PONGcontext'))
    peer.socket.destroy()
  })
})

describe('a listener under attack', () => {
  /** Reproducible bytes: a linear congruential generator. */
  function randomStream(seed: number, length: number): Buffer {
    let state = seed
    return Buffer.from(
      Array.from({ length }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      }),
    )
  }

  /** Runs `attack` for 0..count-1 during a valid connection, as many at a time as the port allows. */
  async function attackDuringConnection(
    count: number,
    attack: (port: number, index: number) => Promise<void>,
  ): Promise<void> {
    await using server = await openListener({
      authenticate: (user) => ({ lease: user }),
      limits: { handshakeMs: 2_000, unreadyConnections: 64 },
    })
    await using good = openConnection(server.listener.port)
    await good.ready()
    for (let from = 0; from < count; from += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, index) => attack(server.listener.port, from + index)))
    }
    await until('no connection is left over', () => server.listener.counters.open === 1)
    await expectAlive(good, server.received)
    expect(server.closed).toEqual([])
  }

  test('survives 300 random streams', async () => {
    await attackDuringConnection(300, async (port, index) => {
      const peer = await openRawPeer(port)
      const noise = randomStream(index, 200 + (index % 7) * 400)
      const starts = [
        Buffer.alloc(0),
        GREETING,
        Buffer.concat([GREETING, encodeHello(`stranger ${index}`, 'x')]),
      ]
      peer.write(starts[index % 3] ?? GREETING, noise)
      peer.socket.end()
      await peer.closed()
    })
  }, 60_000)

  test('survives 200 aborts at any byte of the handshake', async () => {
    const whole = Buffer.concat([GREETING, HELLO, initiate()])
    await attackDuringConnection(200, async (port, index) => {
      const peer = await openRawPeer(port)
      peer.write(whole.subarray(0, (index * 7) % whole.length))
      peer.socket.destroy()
    })
  }, 60_000)

  test('survives 200 aborts in the middle of a frame', async () => {
    await using server = await openListener()
    for (let count = 0; count < 200; count++) {
      const peer = await openRawPeer(server.listener.port)
      await peer.becomeReady()
      peer.write(announce(MORE, 1_000_000n), Buffer.alloc(count * 50))
      peer.socket.destroy()
    }
    await until('no connection is left over', () => server.listener.counters.open === 0)
    await until('each owner is notified', () => server.closed.length === 200)
    await using pair = await openPair()
    await expectAlive(pair.client, pair.server.received)
    await using good = openConnection(server.listener.port)
    await good.ready()
    await expectAlive(good, server.received)
  }, 60_000)
})

test('properties that the product sends are well below the limit before authentication', () => {
  expect(GREETING.length + encodeHello('u'.repeat(255), 'p'.repeat(255)).length).toBeLessThan(600)
  expect(
    encodeProperties({ 'Socket-Type': 'PUSH', 'X-Svc-Protocol': '1', 'X-Svc-Version': '2026.11.0' }).length,
  ).toBeLessThan(200)
})
