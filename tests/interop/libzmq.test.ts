import { describe, expect, test } from 'bun:test'
import type { Listener } from '../../src/protocol/socket.ts'
import { openConnection, openListener } from '../support/sockets/message-sockets.ts'
import { until } from '../support/until.ts'
import { type LibzmqProcess, node, startLibzmq } from './libzmq-process.ts'
import { digester, END, MESSAGE_COUNT, messages } from './messages.mjs'

const limits = { toServerBytes: 1 << 27, toDriverBytes: 1 << 27 }
const mechanisms = ['NULL', 'PLAIN'] as const

/** A digest of everything received, and whether the end was received. */
function openDigest() {
  const digest = digester()
  let isOver = false
  return {
    onFrames: (frames: readonly Uint8Array[]) => digest.add(frames),
    onMessage(body: Uint8Array) {
      if (Buffer.from(body).toString() === END) isOver = true
      else digest.add([body])
    },
    async result() {
      await until('the end arrived', () => isOver, { timeoutMs: 100_000 })
      return digest.result()
    },
  }
}

/** Sends all messages and returns their digest. */
async function sendAll(sender: Pick<Listener, 'send'>): Promise<string> {
  const digest = digester()
  for (const frames of messages()) {
    digest.add(frames)
    await sender.send(frames)
  }
  await sender.send(END)
  return digest.result()
}

async function digestOf(peer: LibzmqProcess): Promise<string> {
  await until('libzmq is done', () => peer.linesOf('digest').length === 1, { timeoutMs: 100_000 })
  return peer.linesOf('digest')[0] ?? ''
}

describe.skipIf(!node)(
  'all messages pass unchanged, 900 frames, 100 MB and 100,000 small ones among them',
  () => {
    test.each(mechanisms)(
      'from libzmq connecting to our listener (%s)',
      async (mechanism) => {
        const received = openDigest()
        await using server = await openListener({ role: 'pull', mechanism, limits, ...received })
        await using peer = startLibzmq({
          role: 'push',
          listens: false,
          port: server.listener.port,
          mechanism,
          transfers: true,
        })
        const digest = await received.result()
        expect(digest).toBe(await digestOf(peer))
        expect(digest).toStartWith(`${MESSAGE_COUNT} `)
        expect(server.listener.counters.ready).toBe(1)
      },
      120_000,
    )

    test.each(mechanisms)(
      'from libzmq listening to our connector (%s)',
      async (mechanism) => {
        const received = openDigest()
        await using peer = startLibzmq({ role: 'push', listens: true, mechanism, transfers: true })
        await using client = openConnection(await peer.port(), {
          role: 'pull',
          mechanism,
          limits,
          ...received,
        })
        const digest = await received.result()
        expect(digest).toBe(await digestOf(peer))
        expect(digest).toStartWith(`${MESSAGE_COUNT} `)
        expect(client.connection.counters.ready).toBe(1)
      },
      120_000,
    )

    test.each(mechanisms)(
      'from our listener to libzmq connecting (%s)',
      async (mechanism) => {
        await using server = await openListener({ role: 'push', mechanism, limits })
        await using peer = startLibzmq({
          role: 'pull',
          listens: false,
          port: server.listener.port,
          mechanism,
          transfers: true,
        })
        await until('libzmq is ready', () => server.listener.peer !== undefined)
        expect(await sendAll(server.listener)).toBe(await digestOf(peer))
        expect(server.listener.counters).toMatchObject({ ready: 1, messagesOut: MESSAGE_COUNT + 1 })
      },
      120_000,
    )

    test.each(mechanisms)(
      'from our connector to libzmq listening (%s)',
      async (mechanism) => {
        await using peer = startLibzmq({ role: 'pull', listens: true, mechanism, transfers: true })
        await using client = openConnection(await peer.port(), { role: 'push', mechanism, limits })
        await client.ready()
        expect(await sendAll(client.connection)).toBe(await digestOf(peer))
        expect(client.connection.counters.ready).toBe(1)
      },
      120_000,
    )
  },
)

describe.skipIf(!node)('refusals are understood', () => {
  test('by libzmq when our listener refuses its password', async () => {
    await using server = await openListener()
    await using peer = startLibzmq({
      role: 'push',
      listens: false,
      port: server.listener.port,
      password: 'wrong',
    })
    await until('libzmq reports the refusal', () =>
      peer.linesOf('event').some((line) => line.includes('error')),
    )
    expect(peer.linesOf('event')[0]).toBe('handshake:error:auth 400')
    expect(server.listener.counters.ready).toBe(0)
  })

  test('by our connector when libzmq refuses its password', async () => {
    await using peer = startLibzmq({ role: 'pull', listens: true })
    await using client = openConnection(await peer.port(), { password: 'wrong' })
    expect(await client.ended()).toEqual({ reason: '400', refused: true })
  })

  test('when libzmq offers no authentication to a listener that requires it', async () => {
    await using server = await openListener()
    await using peer = startLibzmq({
      role: 'push',
      listens: false,
      port: server.listener.port,
      mechanism: 'NULL',
    })
    await until('libzmq reports the mismatch', () =>
      peer.linesOf('event').some((line) => line.includes('error')),
    )
    await until('the refusal is counted', () => server.listener.counters.refused > 0)
    expect(peer.linesOf('event')[0]).toStartWith('handshake:error:protocol')
    expect(server.listener.counters.ready).toBe(0)
  })

  test('when both sides pull', async () => {
    await using server = await openListener({ role: 'pull' })
    await using peer = startLibzmq({ role: 'pull', listens: false, port: server.listener.port })
    await until('the connection is refused', () => server.listener.counters.refused > 0)
    expect(server.listener.counters.ready).toBe(0)
    expect(peer.linesOf('event')).not.toContain('handshake')
  })
})

describe.skipIf(!node)('heartbeats', () => {
  test('keep an idle connection with libzmq alive both ways', async () => {
    const fast = { pingIntervalMs: 100, deadAfterMs: 450 }
    await using server = await openListener({ limits: fast })
    await using peer = startLibzmq({
      role: 'push',
      listens: false,
      port: server.listener.port,
      heartbeatMs: 100,
    })
    await until('libzmq is ready', () => server.listener.peer !== undefined)
    await Bun.sleep(2 * fast.deadAfterMs)
    expect(server.listener.counters).toMatchObject({ open: 1, ready: 1 })
    expect(peer.linesOf('event')).toEqual(['handshake'])
  })

  test('detect a libzmq peer that is stopped, and accept it again when it continues', async () => {
    const fast = { pingIntervalMs: 100, deadAfterMs: 1_000 }
    await using server = await openListener({ role: 'push', limits: fast })
    await using peer = startLibzmq({ role: 'pull', listens: false, port: server.listener.port })
    await until('libzmq is ready', () => server.listener.peer !== undefined)
    peer.child.kill('SIGSTOP')
    await until('the connection is closed', () => server.closed.length === 1)
    expect(server.closed[0]).toContain('no byte received')
    peer.child.kill('SIGCONT')
    await until('libzmq is back', () => server.listener.peer !== undefined)
  })
})
