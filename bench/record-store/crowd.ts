import { ask, type Side } from './side.ts'

export const CLIENTS = 500

/** `CLIENTS` event streams that listen to every QPU, as so many open pages do. */
export class Crowd implements AsyncDisposable {
  readonly #streams: Stream[]
  readonly #side: Side

  private constructor(side: Side, streams: Stream[]) {
    this.#side = side
    this.#streams = streams
  }

  static async gather(side: Side): Promise<Crowd> {
    const streams: Stream[] = []
    for (let opened = 0; opened < CLIENTS; opened += 1) streams.push(await Stream.open(side.url))
    return new Crowd(side, streams)
  }

  /** Changes a QPU and waits until all have heard of it. Returns the ms from the request on. */
  async tell(text: string): Promise<number> {
    const { url, admin: token, qpu } = this.#side
    const start = performance.now()
    const heard = this.#streams.map((stream) => stream.next())
    const body = { maintenance_reason: text }
    await ask(url, 'PATCH', `/api/collections/qpus/records/${qpu}`, { token, body })
    await Promise.all(heard)
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
          if (stream) return stream.#hear(bytes)
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

  #hear(bytes: Buffer): void {
    // Beats are comments; a change has its name in it, and is shorter than one packet.
    if (bytes.includes('qpus/*')) this.#onEvent()
  }
}
