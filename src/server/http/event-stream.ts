import type { Clock } from '../../base/index.ts'
import type { Caller } from './caller.ts'
import type { Subscription } from './subscription.ts'

/** Bytes that may wait for a slow client before it is dropped. */
const MOST_WAITING = 256 * 1024

const encoder = new TextEncoder()
const COMMENT = encoder.encode(':\n\n')

interface StreamParts {
  id: string
  /** Of the client's machine: only from there subscriptions may be set. */
  address: string
  caller: Caller
  /** The request that proved who the caller is; asked again when an account changes. */
  credentials: Request
  clock: Clock
  /** Seconds of silence after which the runtime ends the connection; 0 = never. */
  setIdleTimeout(seconds: number): void
  /** The client has gone or was dropped. */
  onEnd(): void
}

/** The `data:` line of an event, ready to be sent to any number of streams. */
export function encodeData(value: unknown): Uint8Array {
  return encoder.encode(`data:${JSON.stringify(value)}\n\n`)
}

/** Bytes of an event that still carries its record whole. */
const MOST_WHOLE = 256 * 1024
/** Characters of JSON beyond which a value is left out of a larger event. */
const MOST_VALUE = 16 * 1024

/**
 * The `data:` line of a change. Thousands of clients may hear of it, so a large record comes without its
 * large values (a job's payload and results) and with `partial: true`; whoever needs them fetches it.
 */
export function encodeChange(action: string, record: object): Uint8Array {
  const whole = encodeData({ action, record })
  if (whole.byteLength <= MOST_WHOLE) return whole
  const small = Object.entries(record).filter(
    ([, value]) => (JSON.stringify(value)?.length ?? 0) <= MOST_VALUE,
  )
  return encodeData({ action, record: { ...Object.fromEntries(small), partial: true } })
}

/** One client that listens: an open `text/event-stream` answer. */
export class EventStream {
  readonly id: string
  readonly address: string
  readonly openedAt: number
  readonly body: ReadableStream<Uint8Array>
  caller: Caller
  credentials: Request
  subscriptions: readonly Subscription[] = []
  /** Monotonic ms of the last event; comments do not count. */
  lastEventAt: number
  readonly #parts: StreamParts
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.id = parts.id
    this.address = parts.address
    this.caller = parts.caller
    this.credentials = parts.credentials
    this.openedAt = parts.clock.monotonic()
    this.lastEventAt = this.openedAt
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => {
          this.#controller = undefined
          parts.onEnd()
        },
      },
      { highWaterMark: MOST_WAITING, size: (chunk) => chunk?.byteLength ?? 0 },
    )
    parts.setIdleTimeout(0)
    this.send('PB_CONNECT', encodeData({ clientId: this.id }))
  }

  /** Sends an event; a client with too much waiting is dropped instead. False when it is gone. */
  send(event: string, data: Uint8Array): boolean {
    const head = encoder.encode(`id:${this.id}\nevent:${event}\n`)
    const sent = this.#enqueue(head, data)
    if (sent) this.lastEventAt = this.#parts.clock.monotonic()
    return sent
  }

  /** Shows the client and every proxy on the way that the stream lives. False when it is gone. */
  beat(): boolean {
    return this.#enqueue(COMMENT)
  }

  /** Ends the stream. What a client does not read within seconds is dropped with its connection. */
  close(): void {
    const controller = this.#controller
    if (!controller) return
    this.#controller = undefined
    controller.close()
    this.#parts.setIdleTimeout(1)
    this.#parts.onEnd()
  }

  #enqueue(...chunks: Uint8Array[]): boolean {
    const controller = this.#controller
    if (!controller) return false
    // Checked before, so that one large event never drops a client that reads.
    if ((controller.desiredSize ?? 0) <= 0) {
      this.close()
      return false
    }
    for (const chunk of chunks) controller.enqueue(chunk)
    return true
  }
}
