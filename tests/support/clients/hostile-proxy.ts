import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Where a request is cut, in the order of its bytes. */
export const CUTS = ['connection', 'headers', 'body', 'sent', 'response'] as const
export type Cut = (typeof CUTS)[number]

/** A cut after this share of the bytes of the request, or of the first bytes of its response. */
export type CutAfter = { of: 'request' | 'response'; share: number }

/** What happens to a request: `undefined` = it passes. */
export type Fate = Cut | CutAfter | 'refused' | undefined

const HEAD_END = Buffer.from('\r\n\r\n')
const BODY =
  '{"code":"limited","message":"Too many requests; try again in 1 s","status":429,"data":{},"request_id":"proxy"}'
const REFUSAL =
  'HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 1\r\n' +
  `Content-Length: ${BODY.length}\r\n\r\n${BODY}`

/**
 * A proxy between clients and a server that cuts connections at chosen places of a request, refuses requests,
 * or swallows everything. Clients connect to `url`.
 */
export class HostileProxy implements AsyncDisposable {
  /** Decides about each request, given its line and headers. */
  fate: (request: { head: string }) => Fate = () => undefined
  /** Swallows everything while true, also on open connections. */
  isDark = false
  /** Requests seen, those refused or cut included. */
  requests = 0
  connections = 0
  readonly #target: number
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((client) => {
      this.connections += 1
      new Passage(this, client, this.#target, this.#open)
    })
  }

  /** In front of the server at `port` of this machine. */
  static async open(port: number): Promise<HostileProxy> {
    const proxy = new HostileProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection, streams included. */
  cutAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.cutAll()
  }
}

/** One connection of a client, with its own connection to the server. */
class Passage {
  readonly #proxy: HostileProxy
  readonly #client: Socket
  readonly #server: Socket
  #buffer: Buffer = Buffer.alloc(0)
  /** Where the response to the present request is cut. */
  #cut: Cut | number | undefined

  constructor(proxy: HostileProxy, client: Socket, port: number, open: Set<Socket>) {
    this.#proxy = proxy
    this.#client = client
    this.#server = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, this.#server],
      [this.#server, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      if (proxy.isDark) return
      this.#buffer = Buffer.concat([this.#buffer, bytes])
      this.#takeRequests()
    })
    this.#server.on('data', (bytes: Buffer) => this.#respond(bytes))
  }

  #takeRequests(): void {
    for (;;) {
      const end = this.#buffer.indexOf(HEAD_END)
      if (end < 0) return
      const head = this.#buffer.subarray(0, end).toString('latin1')
      const start = end + HEAD_END.length
      const length = start + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
      if (this.#buffer.length < length) return
      const request = this.#buffer.subarray(0, length)
      this.#buffer = this.#buffer.subarray(length)
      this.#proxy.requests += 1
      this.#pass(request, start, this.#proxy.fate({ head }))
    }
  }

  #pass(request: Buffer, bodyAt: number, fate: Fate): void {
    this.#cut = undefined
    if (typeof fate === 'object') this.#passShare(request, fate)
    else if (fate === 'refused') this.#client.write(REFUSAL)
    else if (fate === 'connection') this.#client.destroy()
    else if (fate === 'headers' || fate === 'body') {
      const half = fate === 'body' ? (request.length - bodyAt) >> 1 : 0
      this.#server.write(request.subarray(0, bodyAt + half), () => this.#client.destroy())
    } else {
      this.#cut = fate
      this.#server.write(request)
    }
  }

  #passShare(request: Buffer, { of, share }: CutAfter): void {
    if (of === 'response') {
      this.#cut = share
      this.#server.write(request)
      return
    }
    const part = request.subarray(0, Math.floor(request.length * share))
    if (part.length === 0) this.#client.destroy()
    else this.#server.write(part, () => this.#client.destroy())
  }

  /** The server has carried out the request when it responds: the client then sees nothing, or a part. */
  #respond(bytes: Buffer): void {
    if (this.#proxy.isDark) return
    if (this.#cut === undefined) this.#client.write(bytes)
    else if (this.#cut === 'sent') this.#client.destroy()
    else {
      const share = typeof this.#cut === 'number' ? this.#cut : 0.5
      const part = bytes.subarray(0, Math.floor(bytes.length * share))
      if (part.length === 0) this.#client.destroy()
      else this.#client.write(part, () => this.#client.destroy())
    }
  }
}
