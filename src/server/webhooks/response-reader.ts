import type { TLSSocket } from 'node:tls'

/** Bytes of a response that are read: the head, and the beginning of the body. */
const MAX_RECEIVED_BYTES = 16_384
/** Bytes of the body that are kept. */
const MAX_BODY_BYTES = 512

/** The first lines of a response. */
interface Head {
  status: number
  isChunked: boolean
  /** Where the body begins. */
  bodyAt: number
}

/**
 * Reads the status and the beginning of the body of one HTTP/1.1 response, and no more: a receiver can
 * neither send without end nor make the server store much.
 */
export class ResponseReader {
  readonly #socket: TLSSocket
  #bytes = Buffer.alloc(0)
  #isEnded = false
  #error: Error | undefined
  #notify: () => void = () => undefined

  constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(0, MAX_RECEIVED_BYTES)
      if (this.#bytes.length >= MAX_RECEIVED_BYTES) socket.pause()
      this.#notify()
    })
    const end = (error?: Error) => {
      this.#isEnded = true
      this.#error ??= error
      this.#notify()
    }
    socket.on('error', end)
    socket.on('end', () => end())
    socket.on('close', () => end())
  }

  /** @throws Error when the response is not HTTP, or the connection ends first. */
  async head(): Promise<Head> {
    for (;;) {
      const head = parseHead(this.#bytes)
      if (head) return head
      if (this.#error) throw this.#error
      if (this.#bytes.length >= MAX_RECEIVED_BYTES) throw new Error('the head of the response is too long')
      if (this.#isEnded) throw new Error('the connection was closed without a response')
      await this.#more()
    }
  }

  /** Waits until the beginning of the body has arrived, or the connection has ended. */
  async receiveBody(head: Head): Promise<void> {
    while (!this.#isEnded && !this.#socket.isPaused() && this.#bodyOf(head).length < MAX_BODY_BYTES) {
      await this.#more()
    }
  }

  /** The beginning of the body as far as it has arrived, as text without control characters. */
  bodyText(head: Head): string {
    const text = new TextDecoder().decode(this.#bodyOf(head))
    return text.replaceAll(/(?![\n\t])\p{Cc}/gu, ' ')
  }

  #bodyOf({ bodyAt, isChunked }: Head): Buffer {
    const raw = this.#bytes.subarray(bodyAt)
    return (isChunked ? unchunked(raw) : raw).subarray(0, MAX_BODY_BYTES)
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = resolve
    })
  }
}

/** The final head of a response, after any interim ones; undefined while it is incomplete. */
function parseHead(bytes: Buffer, from = 0): Head | undefined {
  const version = bytes.toString('latin1', from, from + 9)
  if (version.length === 9 && !/^HTTP\/1\.[01] /.test(version))
    throw new Error('the response is not HTTP/1.1')
  const end = bytes.indexOf('\r\n\r\n', from)
  if (end === -1) return undefined
  const text = bytes.toString('latin1', from, end)
  const status = Number(/^HTTP\/1\.[01] ([1-9]\d\d)(?: |\r|$)/.exec(text)?.[1])
  if (Number.isNaN(status)) throw new Error('the response has no valid status')
  if (status >= 100 && status < 200) return parseHead(bytes, end + 4)
  return { status, isChunked: /\r\ntransfer-encoding:[^\r]*chunked/i.test(text), bodyAt: end + 4 }
}

/** The data of the chunks that have arrived. */
function unchunked(raw: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = raw.indexOf('\r\n', at)
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(raw.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size) || size <= 0) return Buffer.concat(parts)
    parts.push(raw.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
    if (at >= raw.length) return Buffer.concat(parts)
  }
}
