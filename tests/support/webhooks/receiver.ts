import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { makeTestCertificates, type TestCertificates } from '../sockets/certificates.ts'
import { until } from '../until.ts'

/** A request as it arrived. */
export interface Received {
  path: string
  headers: Record<string, string>
  body: string
  /** Name in the TLS handshake; '' = none. */
  servername: string
}

/** How the receiver responds: a status, or a function that writes what it likes to the connection. */
export type Response = number | ((socket: TLSSocket, request: Received) => void)

/** An HTTPS server that records deliveries and responds in any way, also wrongly. */
export interface Receiver extends AsyncDisposable {
  readonly port: number
  readonly requests: readonly Received[]
  /** Connections, also those without a request. */
  readonly connections: number
  /** Sets how later requests are responded to. */
  respond(response: Response): void
  /** Waits for the `count`th request. */
  request(count?: number): Promise<Received>
}

interface ReceiverOptions {
  certificates?: Pick<TestCertificates, 'keyPem' | 'certPem'>
  response?: Response
  /** Address to listen on; 127.0.0.1 unless given. */
  host?: string
  port?: number
}

/** The names for which the certificates of receivers are made. */
export const RECEIVER_NAMES = { ips: ['127.0.0.1', '127.0.0.2'], dns: ['hook.test', 'localhost'] }

/** Starts a receiver. Without certificates it makes its own, which nobody trusts. */
export async function openReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0 } = options
  const { keyPem: key, certPem: cert } = options.certificates ?? (await makeTestCertificates(RECEIVER_NAMES))
  let response: Response = options.response ?? 200
  const requests: Received[] = []
  const sockets = new Set<TLSSocket>()
  let connections = 0
  const server = createServer({ key, cert, ALPNProtocols: ['http/1.1'] }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const request = parse(text, socket)
      if (!request) return
      text = ''
      requests.push(request)
      if (typeof response === 'number') socket.end(`HTTP/1.1 ${response} Any\r\ncontent-length: 2\r\n\r\nok`)
      else response(socket, request)
    })
  })
  server.on('tlsClientError', () => undefined)
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    get connections() {
      return connections
    },
    respond(next) {
      response = next
    },
    request: (count = 1) => until(`request ${count} of the receiver`, () => requests[count - 1]),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whether one of the signatures is that of the secret, as a receiver computes it. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  return (headers['webhook-signature'] ?? '').split(' ').includes(expected)
}

function parse(text: string, socket: TLSSocket): Received | undefined {
  const [head = '', body] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
  if (body === undefined || Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return undefined
  const servername = (socket as TLSSocket & { servername?: string | false }).servername
  return { path: first.split(' ')[1] ?? '', headers, body, servername: servername || '' }
}
