import { AppError } from '../../../base/index.ts'
import { headerBytes, MAX_HEADER_BYTES, MORE, writeHeader } from '../framing/frame.ts'

/** A message: one frame, or several. The sender must not change the bytes once they are accepted. */
export type Message = Uint8Array | readonly Uint8Array[]

/** The part of a stream that `Output` needs; after `write` returned false, wait for `drain`. */
export interface Sink {
  write(bytes: Uint8Array): boolean
}

interface OutputOptions {
  sink: Sink
  /** High-water mark in messages and in bytes; reached by whichever comes first. */
  queuedMessages: number
  queuedBytes: number
  /** Called for each message that was written to the sink, with its size on the wire. */
  onWritten(bytes: number): void
}

interface Waiting {
  message: Message
  accept(): void
  fail(reason: unknown): void
}

/** Bodies up to this size are copied into a batch, larger ones are written by reference. */
const COPIED_BYTES = 8_192
const BATCH_BYTES = 65_536
/** This many waiting bytes are written immediately instead of at the end of the current turn. */
const EAGER_BYTES = BATCH_BYTES / 2
/** Queued commands for a peer that sends PINGs but does not read; further ones are dropped. */
const MAX_COMMANDS = 32
const NOTHING = Buffer.alloc(0)

/** Size of a message on the wire, in bytes. */
function wireBytes(message: Message): number {
  if (message instanceof Uint8Array) return headerBytes(message.length) + message.length
  return message.reduce((sum, frame) => sum + headerBytes(frame.length) + frame.length, 0)
}

/**
 * The sending half of a connection: a bounded queue of messages, written in batches while the stream accepts
 * them. Commands overtake waiting messages, so that a heartbeat is not delayed by data.
 */
export class Output {
  readonly #options: OutputOptions
  #queue: Message[] = []
  /** Index in `#queue` of the first message not written yet. */
  #head = 0
  #queuedBytes = 0
  #commands: Uint8Array[] = []
  #waiting: Waiting[] = []
  #batch = NOTHING
  #batchStart = 0
  #batchEnd = 0
  #scheduled = false
  #blocked = false
  #stopped = false
  /** Set once no more messages are accepted: called when all are written. */
  #whenEmpty: (() => void) | undefined

  constructor(options: OutputOptions) {
    this.#options = options
  }

  /** Accepts the message unless the high-water mark is reached or sending has stopped. */
  trySend(message: Message): boolean {
    if (this.#stopped || this.#whenEmpty || this.#isFull()) return false
    this.#accept(message)
    return true
  }

  /** Accepts the message as soon as there is space. Rejects when sending stops or the signal aborts first. */
  send(message: Message, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.trySend(message)) return Promise.resolve()
    if (this.#stopped || this.#whenEmpty) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(signal?.reason)
      }
      const settle = (action: () => void) => {
        signal?.removeEventListener('abort', onAbort)
        action()
      }
      const waiting: Waiting = {
        message,
        accept: () => settle(resolve),
        fail: (reason) => settle(() => reject(reason)),
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiting)
    })
  }

  /** Sends the bytes of complete command frames before the messages that wait. */
  command(bytes: Uint8Array): void {
    if (this.#stopped || this.#whenEmpty || this.#commands.length >= MAX_COMMANDS) return
    this.#commands.push(bytes)
    this.#schedule()
  }

  /** Called when the stream accepts more. */
  drained(): void {
    this.#blocked = false
    this.flush()
  }

  /** Accepts no more messages and calls back when all accepted ones are written to the stream. */
  finish(whenEmpty: () => void): void {
    this.#whenEmpty = whenEmpty
    this.#failWaiting()
    this.flush()
  }

  /** Drops all messages. */
  stop(): void {
    this.#stopped = true
    this.#queue = []
    this.#head = 0
    this.#queuedBytes = 0
    this.#commands = []
    this.#failWaiting()
  }

  /** Writes the messages that wait, as far as the stream accepts them. */
  flush(): void {
    if (this.#stopped) return
    this.#writeCommands()
    for (let next = this.#queue[this.#head]; next && !this.#blocked; next = this.#queue[this.#head]) {
      this.#queue[this.#head] = NOTHING
      this.#head += 1
      const bytes = wireBytes(next)
      this.#queuedBytes -= bytes
      this.#putMessage(next)
      this.#options.onWritten(bytes)
    }
    this.#writeBatch()
    this.#batch = NOTHING
    this.#batchStart = 0
    this.#batchEnd = 0
    this.#forgetWritten()
    this.#admitWaiting()
    if (this.#head === this.#queue.length && this.#commands.length === 0) this.#whenEmpty?.()
  }

  #isFull(): boolean {
    const { queuedMessages, queuedBytes } = this.#options
    return this.#queue.length - this.#head >= queuedMessages || this.#queuedBytes >= queuedBytes
  }

  #accept(message: Message): void {
    this.#queue.push(message)
    this.#queuedBytes += wireBytes(message)
    if (this.#queuedBytes >= EAGER_BYTES && !this.#blocked) this.flush()
    else this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (!this.#blocked) this.flush()
    })
  }

  #admitWaiting(): void {
    while (this.#waiting.length > 0 && !this.#isFull()) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#queue.push(next.message)
      this.#queuedBytes += wireBytes(next.message)
      next.accept()
      this.#schedule()
    }
  }

  #failWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const each of waiting) each.fail(closedError())
  }

  #writeCommands(): void {
    if (this.#blocked || this.#commands.length === 0) return
    const commands = Buffer.concat(this.#commands)
    this.#commands = []
    this.#write(commands)
  }

  #putMessage(message: Message): void {
    if (message instanceof Uint8Array) {
      this.#putFrame(0, message)
      return
    }
    message.forEach((frame, index) => {
      this.#putFrame(index < message.length - 1 ? MORE : 0, frame)
    })
  }

  #putFrame(flags: number, body: Uint8Array): void {
    const copied = body.length <= COPIED_BYTES
    this.#reserve(MAX_HEADER_BYTES + (copied ? body.length : 0))
    this.#batchEnd = writeHeader(this.#batch, this.#batchEnd, flags, body.length)
    if (copied) {
      this.#batch.set(body, this.#batchEnd)
      this.#batchEnd += body.length
      return
    }
    this.#writeBatch()
    this.#write(body)
  }

  /** A batch is as large as its messages, so that an idle or slow connection holds no buffer. */
  #reserve(bytes: number): void {
    if (this.#batchEnd + bytes <= this.#batch.length) return
    this.#writeBatch()
    this.#batch = Buffer.allocUnsafe(Math.max(bytes, Math.min(BATCH_BYTES, bytes + this.#queuedBytes)))
    this.#batchStart = 0
    this.#batchEnd = 0
  }

  #writeBatch(): void {
    if (this.#batchEnd === this.#batchStart) return
    const bytes = this.#batch.subarray(this.#batchStart, this.#batchEnd)
    this.#batchStart = this.#batchEnd
    this.#write(bytes)
  }

  #write(bytes: Uint8Array): void {
    if (!this.#options.sink.write(bytes)) this.#blocked = true
  }

  #forgetWritten(): void {
    if (this.#head === this.#queue.length) this.#queue = []
    else if (this.#head < 1_024) return
    else this.#queue.splice(0, this.#head)
    this.#head = 0
  }
}

function closedError(): AppError {
  return new AppError('unavailable', 'The message socket was closed before the message could be sent')
}
