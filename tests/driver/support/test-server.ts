import { systemClock } from '../../../src/base/index.ts'
import { silentLog } from '../../../src/base/log.ts'
import {
  type Command,
  type ConnectRequest,
  type EventEnvelope,
  fingerprintOf,
  type Listener,
  listen,
} from '../../../src/protocol/index.ts'
import type { TestCertificates } from '../../support/sockets/certificates.ts'

const DRIVER_ID = 'driver000000001'

/** The server side of a driver: the connect route and both message sockets, with everything they received. */
export interface TestServer {
  url: string
  /** Of both message sockets. */
  ports: { commands: number; results: number }
  /** Requests in order of arrival, as `METHOD /path`. */
  requests: string[]
  connects: ConnectRequest[]
  events: EventEnvelope[]
  epoch: number
  /** Responses to the next connects instead of a lease. */
  refuse: { status: number; message: string } | undefined
  /** Replaces fields of the connect response. */
  response: Record<string, unknown>
  /** Root CA served to drivers. */
  caPem: string
  /** Acknowledges results at once. */
  acknowledge: boolean
  push(command: Command | Record<string, unknown>): boolean
  attached(): boolean
  /** Disconnects the driver. */
  drop(): void
  eventsOf(type: string): EventEnvelope[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface ServerOptions {
  certificates: TestCertificates
  /** Serves HTTPS. */
  https?: boolean
  /** HTTP port; 0 for any. */
  port?: number
}

/** Opens a minimal server with the real protocol. */
export async function openTestServer(options: ServerOptions): Promise<TestServer> {
  const { certificates } = options
  const tls = { key: certificates.keyPem, cert: certificates.certPem }
  const shared = { host: '127.0.0.1', port: 0, tls, clock: systemClock, log: silentLog }
  const authenticate = (user: string, password: string) =>
    user === DRIVER_ID && password === `jwt-${server.epoch}` && { lease: String(server.epoch) }
  const commands: Listener = await listen({ ...shared, role: 'push', authenticate })
  const results: Listener = await listen({
    ...shared,
    role: 'pull',
    authenticate,
    onMessage(body) {
      const event: EventEnvelope = JSON.parse(new TextDecoder().decode(body))
      server.events.push(event)
      if (server.acknowledge && ['JobResult', 'CalibrationReport'].includes(event.type)) {
        server.push({ type: 'EventAck', event: event.id, applied: true })
      }
    },
  })

  function connect(body: ConnectRequest): Response {
    server.connects.push(body)
    if (server.refuse) {
      const { status, message } = server.refuse
      return Response.json({ status, message, data: {} }, { status })
    }
    server.epoch += 1
    commands.dropPeer('replaced')
    results.dropPeer('replaced')
    return Response.json({
      status: 'success',
      id: DRIVER_ID,
      name: 'north',
      operation: body.operation,
      qpu: 'qpu000000000001',
      qpu_name: 'loke',
      command_port: commands.port,
      result_port: results.port,
      socket_host: '127.0.0.1',
      auth_token: `jwt-${server.epoch}`,
      tls_hash: fingerprintOf(certificates.caPem),
      epoch: server.epoch,
      ...server.response,
    })
  }

  const http = Bun.serve({
    hostname: '127.0.0.1',
    port: options.port ?? 0,
    ...(options.https && { tls }),
    async fetch(request) {
      const { pathname } = new URL(request.url)
      server.requests.push(`${request.method} ${pathname}`)
      if (pathname === '/api/pub/root-ca.pem') return new Response(server.caPem)
      if (pathname === '/api/op/drivers/connect') return connect(await request.json())
      return new Response('not found', { status: 404 })
    },
  })

  const server: TestServer = {
    url: http.url.origin,
    ports: { commands: commands.port, results: results.port },
    requests: [],
    connects: [],
    events: [],
    epoch: 0,
    refuse: undefined,
    response: {},
    caPem: certificates.caPem,
    acknowledge: true,
    push: (command) => commands.trySend(JSON.stringify(command)),
    attached: () => commands.peer !== undefined && results.peer !== undefined,
    drop() {
      commands.dropPeer('dropped by the test')
      results.dropPeer('dropped by the test')
    },
    eventsOf: (type) => server.events.filter((event) => event.type === type),
    async close() {
      await http.stop(true)
      await Promise.all([commands.close(), results.close()])
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
  return server
}
