import { request, type Side } from './side.ts'

const CLIENTS = 500

/** A server, with the token and the id for changing one of its QPUs. */
type StreamTarget = Pick<Side, 'url' | 'admin' | 'qpu'>

/** Event streams that are subscribed to all QPUs, like those of open pages. */
export class StreamGroup implements AsyncDisposable {
  readonly #streams: Stream[]
  readonly #side: StreamTarget

  private constructor(side: StreamTarget, streams: Stream[]) {
    this.#side = side
    this.#streams = streams
  }

  /** Opens `clients` streams one after the other. */
  static async open(side: StreamTarget, clients = CLIENTS): Promise<StreamGroup> {
    const streams: Stream[] = []
    for (let opened = 0; opened < clients; opened += 1) streams.push(await Stream.open(side.url))
    return new StreamGroup(side, streams)
  }

  /**
   * Changes a QPU and waits until every stream has received the change. Returns the time from the request in
   * ms.
   */
  async change(text: string): Promise<number> {
    const { url, admin: token, qpu } = this.#side
    const start = performance.now()
    const received = this.#streams.map((stream) => stream.next())
    const body = { maintenance_reason: text }
    await request(url, 'PATCH', `/api/collections/qpus/records/${qpu}`, { token, body })
    await Promise.all(received)
    return performance.now() - start
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.close()
    await Bun.sleep(200)
  }
}

/** One stream, read as bytes: with parsing, the benchmark would measure itself. */
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
    await request(url, 'POST', '/api/realtime', { body: { clientId, subscriptions: ['qpus/*'] } })
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
