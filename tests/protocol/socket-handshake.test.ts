import { describe, expect, test } from 'bun:test'
import { FakeClock } from '../support/fake-clock.ts'
import {
  openConnection,
  openListener,
  openLog,
  openPair,
  PASSWORD,
  USER,
} from '../support/sockets/message-sockets.ts'
import { until } from '../support/until.ts'

describe('authentication', () => {
  test.each([
    ['a wrong password', { password: 'wrong' }],
    ['a wrong user', { user: 'other' }],
    ['empty credentials', { user: '', password: '' }],
  ])('refuses %s with 400 and the client stops', async (_name, credentials) => {
    const clock = new FakeClock()
    await using server = await openListener()
    await using client = openConnection(server.listener.port, {
      ...credentials,
      clock,
      reconnect: { initialMs: 1, maxMs: 1 },
    })
    expect(await client.ended()).toEqual({ reason: '400', refused: true })
    // It does not wait to reconnect.
    expect(clock.sleepers).toBe(0)
    expect(client.closed).toHaveLength(1)
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
    expect(server.listener.counters).toMatchObject({ open: 0, ready: 0, refused: 1 })
  })

  test('accepts credentials of 255 bytes and refuses longer ones before connecting', async () => {
    await using server = await openListener({
      authenticate: (user, password) => user.length + password.length === 510,
    })
    const longest = { user: 'u'.repeat(255), password: 'p'.repeat(255) }
    await using client = openConnection(server.listener.port, longest)
    await client.ready()
    expect(server.listener.peer?.user).toBe(longest.user)
    expect(() => openConnection(1, { password: 'p'.repeat(256) })).toThrow('PLAIN allows 255')
  })

  test('may be slow: bytes that arrive meanwhile are stored', async () => {
    const verdict = Promise.withResolvers<boolean>()
    let isAsked = false
    await using server = await openListener({
      authenticate() {
        isAsked = true
        return verdict.promise
      },
    })
    await using client = openConnection(server.listener.port)
    await until('the server asks for the verdict', () => isAsked)
    expect(client.connection.ready).toBe(false)
    verdict.resolve(true)
    await client.ready()
  })

  test('that cannot run refuses with 500 and the client retries', async () => {
    const { log, lines } = openLog()
    let calls = 0
    await using server = await openListener({
      log,
      authenticate() {
        calls += 1
        if (calls === 1) throw new Error('database is locked')
        return true
      },
    })
    await using client = openConnection(server.listener.port, { reconnect: { initialMs: 1, maxMs: 1 } })
    await client.ready()
    expect(client.closed).toEqual([{ reason: '500', refused: false }])
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'message socket authentication could not run' }),
    )
  })

  test('receives the address of the peer', async () => {
    const seen: string[] = []
    await using server = await openListener({ authenticate: (...parts) => seen.push(...parts) > 0 })
    await using client = openConnection(server.listener.port)
    await client.ready()
    expect(seen).toEqual([USER, PASSWORD, '127.0.0.1'])
    expect(server.listener.peer).toMatchObject({ address: '127.0.0.1', user: USER, lease: USER })
  })

  test('writes neither password nor message to the log', async () => {
    const { log, lines } = openLog()
    await using server = await openListener({ log })
    await using client = openConnection(server.listener.port, { log, password: 'hunter2hunter2' })
    await client.ended()
    // The client may receive its refusal before the server has logged it.
    const refusal = () => lines.find(({ message }) => message === 'message socket peer refused')
    await until('the refusal is logged', () => refusal() !== undefined)
    expect(refusal()).toMatchObject({ address: '127.0.0.1' })
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })
})

describe('handshake', () => {
  test('refuses a peer of the same direction', async () => {
    await using server = await openListener({ role: 'pull' })
    await using client = openConnection(server.listener.port, { role: 'pull' })
    expect((await client.ended()).reason).toBe('socket type PULL cannot be connected to PULL, only PUSH')
  })

  test('refuses another protocol version and names both', async () => {
    const { log, lines } = openLog()
    await using server = await openListener({ log })
    await using client = openConnection(server.listener.port, { protocolVersion: '2' })
    const reason = 'the peer speaks protocol 2, this side protocol 1; update the older one'
    expect(await client.ended()).toEqual({ reason, refused: false })
    await until('the server logs it too', () => lines.some((line) => line['reason'] === reason))
  })

  test('refuses another mechanism', async () => {
    await using server = await openListener({ mechanism: 'PLAIN' })
    await using client = openConnection(server.listener.port, { mechanism: 'NULL' })
    expect((await client.ended()).refused).toBe(false)
    expect(server.listener.peer).toBeUndefined()
  })

  test('works without authentication in tests', async () => {
    await using pair = await openPair({ mechanism: 'NULL', authenticate: () => false }, { mechanism: 'NULL' })
    pair.client.connection.trySend('hello')
    await until('the message arrives', () => pair.server.received.length === 1)
  })

  test('has to be complete in time', async () => {
    await using server = await openListener({
      limits: { handshakeMs: 60 },
      authenticate: () => new Promise(() => undefined),
    })
    await using client = openConnection(server.listener.port)
    await client.ended()
    await until('the refusal is counted', () => server.listener.counters.refused === 1)
    expect(server.listener.counters.open).toBe(0)
  })
})

describe('one ready peer per port', () => {
  test('a newer connection of the same lease replaces the older', async () => {
    await using server = await openListener({ authenticate: () => ({ lease: 'lease-1' }) })
    await using older = openConnection(server.listener.port)
    await older.ready()
    await using newer = openConnection(server.listener.port)
    await newer.ready()
    await older.ended()
    await until('the owner is notified', () => server.closed.length === 1)
    expect(server.closed).toEqual(['replaced by a newer connection of the same lease'])
    newer.connection.trySend('still here')
    await until('the message arrives', () => server.received.length === 1)
    expect(server.listener.counters.open).toBe(1)
  })

  test('a connection under another lease is refused and the first continues', async () => {
    await using server = await openListener({ authenticate: (user) => ({ lease: user }) })
    await using first = openConnection(server.listener.port, { user: 'lease-1' })
    await first.ready()
    await using second = openConnection(server.listener.port, { user: 'lease-2' })
    expect(await second.ended()).toEqual({ reason: '400', refused: true })
    first.connection.trySend('still here')
    await until('the message arrives', () => server.received.length === 1)
    expect(server.closed).toEqual([])
  })

  test('another lease may use the port as soon as the first has ended', async () => {
    await using server = await openListener({ authenticate: (user) => ({ lease: user }) })
    await using first = openConnection(server.listener.port, { user: 'lease-1' })
    await first.ready()
    server.listener.dropPeer('the lease was released')
    await using second = openConnection(server.listener.port, { user: 'lease-2' })
    await second.ready()
    await first.ended()
    await until('the peer is the second', () => server.listener.peer?.user === 'lease-2')
    expect(server.closed).toEqual(['the lease was released'])
  })
})
