import { AppError, MIB, messageOf } from '../../base/index.ts'

/** Maximum size of a frame, in bytes of JSON text. */
export const MAX_FRAME_BYTES = 64 * MIB

const HEAD_BYTES = 4

/** A message: `m` names it, the other keys depend on it. */
export interface Message {
  m: string
  [key: string]: unknown
}

/** The stream does not follow the protocol; nothing after it can be understood. */
export class FrameError extends AppError {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'FrameError'
  }
}

/**
 * The frame of a message: 4 bytes of length (big-endian), then JSON in UTF-8.
 * @throws FrameError for a message above 64 MiB.
 */
export function writeFrame(message: Message): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  if (body.length > MAX_FRAME_BYTES) throw new FrameError(`the message ${message.m} is larger than 64 MiB`)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Reads frames from a stream that arrives in pieces of any size. */
export class FrameReader {
  #chunks: Uint8Array[] = []
  #bytes = 0

  /**
   * The messages that are complete with `chunk`.
   * @throws FrameError for a frame that is too long, or is no message.
   */
  push(chunk: Uint8Array): Message[] {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    const messages: Message[] = []
    for (;;) {
      const length = this.#nextLength()
      if (length === undefined || this.#bytes < HEAD_BYTES + length) return messages
      messages.push(readMessage(this.#take(HEAD_BYTES + length).subarray(HEAD_BYTES)))
    }
  }

  /** The length of the next frame, if its head has arrived. */
  #nextLength(): number | undefined {
    if (this.#bytes < HEAD_BYTES) return undefined
    const [first] = this.#chunks
    if (first === undefined || first.length < HEAD_BYTES) this.#chunks = [Buffer.concat(this.#chunks)]
    const length = asBuffer(this.#chunks[0] ?? new Uint8Array(HEAD_BYTES)).readUInt32BE()
    if (length > MAX_FRAME_BYTES)
      throw new FrameError(`a frame of ${length} bytes; at most ${MAX_FRAME_BYTES} are allowed`)
    return length
  }

  #take(size: number): Buffer {
    const [first] = this.#chunks
    const all = first && this.#chunks.length === 1 ? asBuffer(first) : Buffer.concat(this.#chunks)
    this.#chunks = all.length > size ? [all.subarray(size)] : []
    this.#bytes = all.length - size
    return all.subarray(0, size)
  }
}

/** The same memory as a buffer. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function readMessage(body: Buffer): Message {
  let message: unknown
  try {
    message = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new FrameError(`a frame is not JSON: ${messageOf(error).slice(0, 200)}`)
  }
  if (isMessage(message)) return message
  throw new FrameError('a frame is not a message: it has no m')
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'm' in value && typeof value.m === 'string'
}
