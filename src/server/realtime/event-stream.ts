import type { Clock } from '../../base/index.ts'
import type { Caller } from '../http/caller.ts'
import { encodeData } from './encode-change.ts'

/** Bytes that may wait for a slow client before it is dropped; one event more may come on top. */
export const MAX_UNREAD_BYTES = 1024 * 1024
/** Bytes up to which what waits is copied into one write. */
const MAX_COPIED_BYTES = 64 * 1024

const encoder = new TextEncoder()
const COMMENT = encoder.encode(':\n\n')

interface EventStreamOptions {
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

/** One client that listens: an open `text/event-stream` answer. */
export class EventStream {
  readonly id: string
  readonly address: string
  readonly openedAt: number
  readonly body: ReadableStream<Uint8Array>
  caller: Caller
  credentials: Request
  /** Monotonic ms of the last event; comments do not count. */
  lastEventAt: number
  readonly #options: EventStreamOptions
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.id = options.id
    this.address = options.address
    this.caller = options.caller
    this.credentials = options.credentials
    this.openedAt = options.clock.monotonic()
    this.lastEventAt = this.openedAt
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => {
          this.#controller = undefined
          options.onEnd()
        },
      },
      { highWaterMark: MAX_UNREAD_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    )
    options.setIdleTimeout(0)
    this.send('PB_CONNECT', encodeData({ clientId: this.id }))
    this.flush()
  }

  /** Bytes that the client has not taken yet. */
  get unreadBytes(): number {
    return MAX_UNREAD_BYTES - (this.#controller?.desiredSize ?? MAX_UNREAD_BYTES) + this.#gatheredBytes
  }

  /** Adds an event to the next write; a client with too much waiting is dropped instead. False when it is gone. */
  send(event: string, data: Uint8Array): boolean {
    if (!this.#hasCapacity()) return false
    this.#gather(encoder.encode(`id:${this.id}\nevent:${event}\n`))
    this.#gather(data)
    this.lastEventAt = this.#options.clock.monotonic()
    return true
  }

  /** Writes what was gathered, in one piece while it is small. */
  flush(): void {
    const controller = this.#controller
    const chunks = this.#gathered
    if (!controller || chunks.length === 0) return
    // Large events are shared by all streams that carry them, so they are not copied.
    const writes =
      this.#gatheredBytes <= MAX_COPIED_BYTES ? [Buffer.concat(chunks, this.#gatheredBytes)] : chunks
    this.#discard()
    for (const write of writes) controller.enqueue(write)
  }

  /** Shows the client and every proxy on the way that the stream lives. False when it is gone. */
  sendHeartbeat(): boolean {
    if (!this.#hasCapacity()) return false
    this.#gather(COMMENT)
    this.flush()
    return true
  }

  /** Ends the stream without what was still gathered for it. */
  drop(): void {
    this.#discard()
    this.close()
  }

  /** Ends the stream. What a client does not read within seconds is dropped with its connection. */
  close(): void {
    this.flush()
    const controller = this.#controller
    if (!controller) return
    this.#controller = undefined
    controller.close()
    this.#options.setIdleTimeout(1)
    this.#options.onEnd()
  }

  /** Asked before an event is added, so that one large event never drops a client that reads. */
  #hasCapacity(): boolean {
    if (!this.#controller) return false
    if (this.unreadBytes < MAX_UNREAD_BYTES) return true
    this.drop()
    return false
  }

  #gather(chunk: Uint8Array): void {
    this.#gathered.push(chunk)
    this.#gatheredBytes += chunk.byteLength
  }

  #discard(): void {
    this.#gathered = []
    this.#gatheredBytes = 0
  }
}
