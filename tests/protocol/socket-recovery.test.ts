import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { ListenOptions, Peer } from '../../src/protocol/socket.ts'
import { FakeClock } from '../support/fake-clock.ts'
import {
  certificates,
  openConnection,
  openListener,
  openPair,
  PASSWORD,
  USER,
} from '../support/sockets/message-sockets.ts'
import { openRawPeer } from '../support/sockets/raw-peer.ts'
import type { Task } from '../support/sockets/socket-process.ts'
import { until } from '../support/until.ts'

const MIB = 1 << 20
/** For a process that a busy machine may suspend: it never considers its peer dead. */
const CHILD_LIMITS = { pingIntervalMs: 50, deadAfterMs: 3_600_000 }
const LIMITS = { pingIntervalMs: 50, deadAfterMs: 800 }

/** Two sockets whose heartbeats use a clock that only the test advances. */
async function openClockedPair(listening: Partial<ListenOptions> = {}) {
  const clock = new FakeClock()
  const pair = await openPair({ ...listening, clock, limits: LIMITS }, { clock, limits: LIMITS })
  const { server, client } = pair
  return {
    ...pair,
    /** Lets `ms` pass; after each interval the server, and the client if it reads, has received a PING. */
    async pass(ms: number, { clientReads = true } = {}) {
      const [ours, theirs] = [server.listener.counters, client.connection.counters]
      for (let passed = 0; passed < ms; passed += LIMITS.pingIntervalMs) {
        const before = [ours.bytesIn, theirs.bytesIn] as const
        await clock.advance(LIMITS.pingIntervalMs)
        await until('a PING arrives', () => ours.bytesIn > before[0])
        if (clientReads) await until('a PING arrives', () => theirs.bytesIn > before[1])
      }
    },
  }
}

/** Starts a socket in its own process and collects its lines. */
function startProcess(task: Pick<Task, 'listens' | 'port'>) {
  const { caPem, keyPem, certPem } = certificates
  const whole: Task = {
    ...task,
    caPem,
    keyPem,
    certPem,
    user: USER,
    password: PASSWORD,
    limits: CHILD_LIMITS,
  }
  const script = join(import.meta.dir, '../support/sockets/socket-process.ts')
  const child = Bun.spawn([process.execPath, script, JSON.stringify(whole)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let output = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true })
  })()
  return {
    child,
    count: (line: string) => output.split('\n').filter((each) => each.startsWith(line)).length,
    port: () => Number(/^port (\d+)$/m.exec(output)?.[1] ?? 0),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await reading
    },
  }
}

describe('a reader that is not ready', () => {
  test('stalls the sender within bounded memory and receives everything once it is ready', async () => {
    const size = MIB / 4
    const seen: number[] = []
    let isReady = false
    let peer: Peer | undefined
    await using pair = await openPair({
      onMessage: (body, from) => {
        peer = from
        if (!isReady) return false
        seen.push(Buffer.from(body).readUInt32BE(0))
        return undefined
      },
    })
    const { connection } = pair.client
    const numbered = (count: number) => {
      const body = Buffer.alloc(size)
      body.writeUInt32BE(count, 0)
      return body
    }
    let accepted = 0
    let body = numbered(accepted)
    let idleTurns = 0
    while (idleTurns < 100) {
      if (connection.trySend(body)) {
        accepted += 1
        body = numbered(accepted)
        idleTurns = 0
      } else {
        idleTurns += 1
        await Bun.sleep(2)
      }
    }
    // The high-water mark of 16 MiB plus what the kernel buffers between two sockets.
    expect(accepted * size).toBeGreaterThanOrEqual(16 * MIB)
    expect(accepted * size).toBeLessThan(40 * MIB)
    expect(seen).toEqual([])
    isReady = true
    peer?.resume()
    await until('all messages arrive', () => seen.length === accepted)
    expect(seen).toEqual(Array.from({ length: accepted }, (_, index) => index))
    expect(connection.trySend(Buffer.alloc(size))).toBe(true)
  })

  test('is not considered dead, on either side, however long it pauses', async () => {
    await using pair = await openClockedPair({ role: 'push' })
    pair.client.connection.pause()
    await until('the queue to be full', () => !pair.server.listener.trySend(Buffer.alloc(MIB)))
    await pair.pass(3 * LIMITS.deadAfterMs, { clientReads: false })
    expect(pair.server.closed).toEqual([])
    expect(pair.client.closed).toEqual([])
    pair.client.connection.resume()
    await pair.server.listener.send('last')
    await until('the last arrived', () => pair.client.received.at(-1) === 'last')
  })
})

describe('heartbeats', () => {
  test('keep an idle connection alive both ways', async () => {
    await using pair = await openClockedPair()
    await pair.pass(3 * LIMITS.deadAfterMs)
    expect(pair.server.closed).toEqual([])
    expect(pair.client.closed).toEqual([])
  })

  test('detect a peer that neither sends nor responds', async () => {
    await using server = await openListener({ limits: LIMITS })
    const peer = await openRawPeer(server.listener.port)
    await peer.becomeReady()
    await peer.closed()
    expect(server.closed[0]).toMatch(/^no byte received for \d+ ms$/)
    expect(peer.received().includes('\x04PING\x00\x08')).toBe(true)
  })

  test('detect a driver whose process is stopped, and accept it again when it continues', async () => {
    const clock = new FakeClock()
    await using server = await openListener({ role: 'push', clock, limits: LIMITS })
    await using driver = startProcess({ listens: false, port: server.listener.port })
    await until('the driver is ready', () => server.listener.peer !== undefined)
    driver.child.kill('SIGSTOP')
    await until('the stopped driver was closed', () => server.closed.length === 1, { clock })
    expect(server.listener.peer).toBeUndefined()
    driver.child.kill('SIGCONT')
    await until('the driver is back', () => server.listener.peer !== undefined)
    server.listener.trySend('welcome back')
    await until('it received the message', () => driver.count('received') === 1)
  })
})

describe('kill -9', () => {
  test('of the server: the driver reconnects to the restarted one automatically', async () => {
    await using first = startProcess({ listens: true, port: 0 })
    await until('the server listens', () => first.port() > 0)
    const port = first.port()
    await using client = openConnection(port, { reconnect: { initialMs: 10, maxMs: 50 } })
    await client.ready()
    client.connection.trySend('before')
    await until('the message arrives', () => first.count('received') === 1)
    first.child.kill('SIGKILL')
    await client.ended()
    expect(client.connection.ready).toBe(false)
    expect(client.connection.trySend('without a peer')).toBe(false)
    await using second = startProcess({ listens: true, port })
    await client.ready()
    client.connection.trySend('after')
    await until('it arrived at the restarted server', () => second.count('received') === 1)
  })

  test('of the driver: the server detects it at once and the port is free for the next', async () => {
    await using server = await openListener({ role: 'push' })
    await using first = startProcess({ listens: false, port: server.listener.port })
    await until('the driver is ready', () => server.listener.peer !== undefined)
    first.child.kill('SIGKILL')
    await until('the server reports the end', () => server.closed.length === 1)
    expect(server.listener.trySend('x')).toBe(false)
    await using second = startProcess({ listens: false, port: server.listener.port })
    await until('the next driver is ready', () => second.count('ready') === 1)
    server.listener.trySend('hello')
    await until('it received the message', () => second.count('received') === 1)
  })
})
