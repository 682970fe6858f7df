import { createLog, silentLog, systemClock } from '../../../src/base/index.ts'
import {
  type Connection,
  type ConnectOptions,
  connect,
  type Listener,
  type ListenOptions,
  listen,
} from '../../../src/protocol/socket.ts'
import { until } from '../until.ts'
import { makeTestCertificates } from './certificates.ts'

/** One set of certificates for 127.0.0.1 per test process. */
export const certificates = await makeTestCertificates()

/** The only user and password the test listeners accept. */
export const USER = 'driver0000000001'
export const PASSWORD = 'right password'

/** A listening socket on 127.0.0.1 that records its messages and closed connections. */
export interface TestListener extends AsyncDisposable {
  listener: Listener
  received: string[]
  closed: string[]
}

export async function openListener(options: Partial<ListenOptions> = {}): Promise<TestListener> {
  const received: string[] = []
  const closed: string[] = []
  const listener = await listen({
    role: 'pull',
    host: '127.0.0.1',
    port: 0,
    tls: { key: certificates.keyPem, cert: certificates.certPem },
    authenticate: (user, password) => user === USER && password === PASSWORD,
    clock: systemClock,
    log: silentLog,
    onMessage: (body) => {
      received.push(Buffer.from(body).toString())
    },
    onClose: (_peer, reason) => {
      closed.push(reason)
    },
    ...options,
  })
  return { listener, received, closed, [Symbol.asyncDispose]: () => listener.close() }
}

/**
 * A connecting socket that records its messages and ends, and does not reconnect by default.
 */
export interface TestConnection extends AsyncDisposable {
  connection: Connection
  received: string[]
  closed: { reason: string; refused: boolean }[]
  ready(): Promise<void>
  ended(): Promise<{ reason: string; refused: boolean }>
}

export function openConnection(port: number, options: Partial<ConnectOptions> = {}): TestConnection {
  const received: string[] = []
  const closed: { reason: string; refused: boolean }[] = []
  const connection = connect({
    role: 'push',
    host: '127.0.0.1',
    port,
    ca: certificates.caPem,
    user: USER,
    password: PASSWORD,
    clock: systemClock,
    log: silentLog,
    reconnect: false,
    onMessage: (body) => {
      received.push(Buffer.from(body).toString())
    },
    onClose: (reason, refused) => {
      closed.push({ reason, refused })
    },
    ...options,
  })
  return {
    connection,
    received,
    closed,
    async ready() {
      await until('the connection is ready', () => connection.ready)
    },
    async ended() {
      await until('the connection has ended', () => closed.length > 0)
      const [first] = closed
      if (!first) throw new Error('no ending was reported')
      return first
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

/** A log and the lines written to it. */
export function openLog() {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ format: 'json', level: 'debug', write: (line) => lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** A listener and a ready connection to it; the server pulls by default. */
export async function openPair(
  listening: Partial<ListenOptions> = {},
  connecting: Partial<ConnectOptions> = {},
) {
  const server = await openListener(listening)
  const role = listening.role === 'push' ? 'pull' : 'push'
  const client = openConnection(server.listener.port, { role, ...connecting })
  await client.ready()
  await until('the server has a peer', () => server.listener.peer !== undefined)
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
