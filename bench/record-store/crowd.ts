import { ask, type Side } from './side.ts'

const CLIENTS = 500

/** The server, and what it takes to change a QPU of it. */
type CrowdSide = Pick<Side, 'url' | 'admin' | 'qpu'>

/** `CLIENTS` event streams that listen to every QPU, as so many open pages do. */
export class Crowd implements AsyncDisposable {
  readonly #streams: Stream[]
  readonly #side: CrowdSide

  private constructor(side: CrowdSide, streams: Stream[]) {
    this.#side = side
    this.#streams = streams
  }

  static async gather(side: CrowdSide, clients = CLIENTS): Promise<Crowd> {
    const streams: Stream[] = []
    for (let opened = 0; opened < clients; opened += 1) streams.push(await Stream.open(side.url))
    return new Crowd(side, streams)
  }

  /** Changes a QPU and waits until every stream has received it. Returns the ms from the request on. */
  async change(text: string): Promise<number> {
    const { url, admin: token, qpu } = this.#side
    const start = performance.now()
    const received = this.#streams.map((stream) => stream.next())
    const body = { maintenance_reason: text }
    await ask(url, 'PATCH', `/api/collections/qpus/records/${qpu}`, { token, body })
    await Promise.all(received)
    return performance.now() - start
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.close()
    await Bun.sleep(200)
  }
}

/** One stream, read as bytes: parsing would measure this program. */
class Stream {
  readonly #socket: Bun.Socket
  #onEvent: () => void = () => undefined

  private constructor(socket: Bun.Socket) {
    this.#socket = socket
  }

  static async open(url: string): Promise<Stream> {
    const { hostname, port, host } = new URL(url)
    const id = Promise.withResolvers<string>()
    let stream: Stream | undefined
    let head = ''
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data(_, bytes) {
          if (stream) return stream.#receive(bytes)
          head += bytes.toString()
          const [, clientId] = /^id:\s?(\S+)/m.exec(head) ?? []
          if (clientId !== undefined && head.includes('PB_CONNECT')) id.resolve(clientId)
        },
        close: () => id.reject(new Error(`the stream ended: ${head}`)),
      },
    })
    socket.write(`GET /api/realtime HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
    const clientId = await id.promise
    stream = new Stream(socket)
    await ask(url, 'POST', '/api/realtime', { body: { clientId, subscriptions: ['qpus/*'] } })
    return stream
  }

  /** Resolves with the next event. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEvent = resolve
    })
  }

  close(): void {
    this.#socket.end()
  }

  #receive(bytes: Buffer): void {
    // Heartbeats are comments; a change contains its topic and is shorter than one packet.
    if (bytes.includes('qpus/*')) this.#onEvent()
  }
}
