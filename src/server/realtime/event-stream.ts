import { type Clock, KIB } from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { readerOf } from '../http/reading.ts'
import { encodeData } from './encode-change.ts'
import { HEARTBEAT_TOPIC } from './topic.ts'

const MAX_UNREAD_BYTES = COUNTS.unreadEventBytes.bounds.account
/** Up to this size, gathered events are copied into one write. */
const MAX_COPIED_BYTES = 64 * KIB

const encoder = new TextEncoder()
const COMMENT = encoder.encode(':\n\n')
/** Heartbeats by kind of caller; what all streams have in common is encoded once. */
const HEARTBEATS = {
  guest: heartbeatOf('guest'),
  user: heartbeatOf('user'),
  superuser: heartbeatOf('superuser'),
} satisfies Record<Caller['kind'], Uint8Array>

function heartbeatOf(caller: Caller['kind']): Uint8Array {
  return encoder.encode(`event:${HEARTBEAT_TOPIC}\ndata:{"caller":"${caller}"}\n\n`)
}

interface EventStreamOptions {
  id: string
  /** Remote address: subscriptions can be set from this address only. */
  address: string
  caller: Caller
  /** The request that identified the caller; it is checked again when an account changes. */
  credentials: Request
  clock: Clock
  /** Sets the seconds after which the runtime closes the idle connection; 0 = never. */
  setIdleTimeout(seconds: number): void
  /** Called when the client has disconnected or was dropped. */
  onEnd(): void
}

/** The stream of one client: an open `text/event-stream` response. */
export class EventStream {
  readonly id: string
  readonly address: string
  readonly openedAt: number
  readonly body: ReadableStream<Uint8Array>
  caller: Caller
  credentials: Request
  /** Whether the client subscribes to heartbeats, which scripts see, other than comments. */
  wantsHeartbeats = false
  /** Monotonic time of the last event in ms; comments and heartbeats do not count. */
  lastEventAt: number
  readonly #options: EventStreamOptions
  /** The client while the caller is a guest. */
  readonly #guest: string
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.id = options.id
    this.address = options.address
    this.caller = options.caller
    this.#guest = readerOf({ kind: 'guest' }, options.address)
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

  /** The client that limits count for; see `readerOf`. */
  get client(): string {
    return this.caller.kind === 'guest' ? this.#guest : callerName(this.caller)
  }

  /** Bytes that the client has not read yet. */
  get unreadBytes(): number {
    return MAX_UNREAD_BYTES - (this.#controller?.desiredSize ?? MAX_UNREAD_BYTES) + this.#gatheredBytes
  }

  /**
   * Adds an event to the next write; a client with too many unread bytes is dropped. False when the stream is
   * closed.
   */
  send(event: string, data: Uint8Array): boolean {
    if (!this.#hasCapacity()) return false
    this.#gather(encoder.encode(`id:${this.id}\nevent:${event}\n`))
    this.#gather(data)
    this.lastEventAt = this.#options.clock.monotonic()
    return true
  }

  /** Writes the gathered events, in one piece if they are small. */
  flush(): void {
    const controller = this.#controller
    const chunks = this.#gathered
    if (!controller || chunks.length === 0) return
    // Large events are shared between streams, so they are not copied.
    const writes =
      this.#gatheredBytes <= MAX_COPIED_BYTES ? [Buffer.concat(chunks, this.#gatheredBytes)] : chunks
    this.#discard()
    for (const write of writes) controller.enqueue(write)
  }

  /** Sends a comment, which keeps the stream open in clients and proxies. False when it is closed. */
  sendComment(): boolean {
    return this.#sendNow(COMMENT)
  }

  /** Sends an event that names the kind of the current caller. */
  sendHeartbeat(): void {
    this.#sendNow(HEARTBEATS[this.caller.kind])
  }

  /** Closes the stream and discards the gathered events. */
  drop(): void {
    this.#discard()
    this.close()
  }

  /** Closes the stream. Data that a client does not read within seconds are dropped with its connection. */
  close(): void {
    this.flush()
    const controller = this.#controller
    if (!controller) return
    this.#controller = undefined
    controller.close()
    this.#options.setIdleTimeout(1)
    this.#options.onEnd()
  }

  /** Checked before an event is added, so that a single large event never drops a client that reads. */
  #hasCapacity(): boolean {
    if (!this.#controller) return false
    if (this.unreadBytes < MAX_UNREAD_BYTES) return true
    this.drop()
    return false
  }

  #sendNow(chunk: Uint8Array): boolean {
    if (!this.#hasCapacity()) return false
    this.#gather(chunk)
    this.flush()
    return true
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
