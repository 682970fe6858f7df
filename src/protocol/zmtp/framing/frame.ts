import { MIB } from '../../../base/index.ts'
import { WireError } from './wire-error.ts'

/** Bits of a frame's first byte (ZMTP 3.1, RFC 37 "Framing"). */
export const MORE = 1
const LONG = 2
export const COMMAND = 4

/** Largest header: flags and an 8-byte length. */
export const MAX_HEADER_BYTES = 9

/** Parts of a large frame are joined as they arrive, once this fraction of it is there. */
const JOINED_FROM = 1 / 8
const LARGE_FRAME_BYTES = MIB

/** Smaller chunks are copied together, so that a peer that sends single bytes causes no overhead per byte. */
const SMALL_CHUNK_BYTES = 1_024
const TAIL_BYTES = 16_384

/** One frame as received; `body` may be a view into the received chunk. */
export interface Frame {
  command: boolean
  more: boolean
  body: Uint8Array
}

/** Bytes of the header before a body of `length` bytes: 2, or 9 from 256 bytes on. */
export function headerBytes(length: number): number {
  return length < 256 ? 2 : MAX_HEADER_BYTES
}

/** Writes the header of a frame with a body of `length` bytes at `at`; returns the offset after it. */
export function writeHeader(target: Buffer, at: number, flags: number, length: number): number {
  if (length < 256) {
    target[at] = flags
    target[at + 1] = length
    return at + 2
  }
  target[at] = flags | LONG
  target.writeUInt32BE(Math.floor(length / 0x1_0000_0000), at + 1)
  target.writeUInt32BE(length % 0x1_0000_0000, at + 5)
  return at + MAX_HEADER_BYTES
}

/** A complete frame: for the short ones of handshake and heartbeat. */
export function encodeFrame(flags: number, body: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(headerBytes(body.length) + body.length)
  frame.set(body, writeHeader(frame, 0, flags, body.length))
  return frame
}

/** Decoded header of a frame. */
export interface FrameHeader {
  command: boolean
  more: boolean
  length: number
  /** Bytes of the header itself. */
  size: number
}

/** Reads the header at `at`; all of its bytes must be available. */
function parseHeader(bytes: Uint8Array, at: number): FrameHeader {
  const flags = bytes[at] ?? 0
  if (flags > (MORE | LONG | COMMAND)) throw new WireError(`frame flags ${flags} have reserved bits set`)
  const command = (flags & COMMAND) !== 0
  const more = (flags & MORE) !== 0
  if (command && more) throw new WireError('a command frame announces more frames')
  if ((flags & LONG) === 0) return { command, more, length: bytes[at + 1] ?? 0, size: 2 }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, MAX_HEADER_BYTES)
  if (view.getUint32(1) !== 0) throw new WireError('a frame announces 4 GiB or more')
  return { command, more, length: view.getUint32(5), size: MAX_HEADER_BYTES }
}

/**
 * Splits a byte stream into frames, however it is chunked. The chunks of a partial frame are collected in a
 * list and joined once when it is complete. Those of a large one are joined as they arrive, because a copy of
 * 64 MiB at its end would occupy the event loop; an announced length alone allocates nothing.
 */
export class FrameDecoder {
  #chunks: Uint8Array[] = []
  /** Read position in the first chunk. */
  #offset = 0
  #available = 0
  #header: FrameHeader | undefined
  readonly #check: (header: FrameHeader) => void
  /** Own buffer of which the last chunk is a view, while small chunks arrive. */
  #tail: Buffer | undefined
  #tailUsed = 0
  /** The body of a large frame, of which a part is filled. */
  #body: Buffer | undefined
  #filled = 0

  /** @param check is called with each header before its body is awaited; it throws to reject the frame. */
  constructor(check: (header: FrameHeader) => void) {
    this.#check = check
  }

  /** Bytes received but not consumed. */
  get available(): number {
    return this.#available
  }

  /** Whether a part of the next frame has arrived. */
  get isWithinFrame(): boolean {
    return this.#header !== undefined || this.#available > 0
  }

  push(chunk: Uint8Array): void {
    this.#available += chunk.length
    if (this.#body) this.#fill(chunk)
    else this.#append(chunk)
  }

  #append(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    if (this.#chunks.length === 0 || chunk.length >= SMALL_CHUNK_BYTES) {
      this.#chunks.push(chunk)
      this.#tail = undefined
      return
    }
    this.#appendSmall(chunk)
  }

  /** Copies a chunk to its place in the body; what follows the frame waits as usual. */
  #fill(chunk: Uint8Array): void {
    if (!this.#body) return
    const part = chunk.subarray(0, this.#body.length - this.#filled)
    this.#body.set(part, this.#filled)
    this.#filled += part.length
    this.#append(chunk.subarray(part.length))
  }

  /** Begins to join the parts of a large frame of which enough has arrived. */
  #joinLarge({ length }: FrameHeader): void {
    if (this.#body || length < LARGE_FRAME_BYTES || this.#available < length * JOINED_FROM) return
    const received = this.take(Math.min(length, this.#available))
    this.#body = Buffer.allocUnsafeSlow(length)
    this.#body.set(received)
    this.#filled = received.length
    this.#available += received.length
  }

  /** The next complete frame, or undefined until more bytes arrive. @throws WireError on a bad header. */
  next(): Frame | undefined {
    this.#header ??= this.#readHeader()
    const header = this.#header
    if (!header) return undefined
    this.#joinLarge(header)
    if (this.#available < header.length) return undefined
    this.#header = undefined
    return { command: header.command, more: header.more, body: this.#takeBody(header.length) }
  }

  #takeBody(length: number): Uint8Array {
    const body = this.#body
    if (!body) return this.take(length)
    this.#body = undefined
    this.#available -= length
    return body
  }

  /** Up to `length` of the received bytes, without consuming them. */
  peek(length: number): Uint8Array {
    const wanted = Math.min(length, this.#available)
    const first = this.#chunks[0]
    if (first && first.length - this.#offset >= wanted)
      return first.subarray(this.#offset, this.#offset + wanted)
    const joined = Buffer.allocUnsafe(wanted)
    let filled = 0
    let from = this.#offset
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(from, from + wanted - filled)
      joined.set(part, filled)
      filled += part.length
      from = 0
      if (filled === wanted) break
    }
    return joined
  }

  /** Consumes exactly `length` bytes, which must be available. */
  take(length: number): Uint8Array {
    const bytes = this.peek(length)
    this.#skip(length)
    return bytes
  }

  #skip(length: number): void {
    this.#available -= length
    let position = this.#offset + length
    let used = 0
    for (let chunk = this.#chunks[used]; chunk && position >= chunk.length; chunk = this.#chunks[used]) {
      position -= chunk.length
      used += 1
    }
    if (used === 1) this.#chunks.shift()
    else if (used > 1) this.#chunks.splice(0, used)
    this.#offset = position
    if (this.#chunks.length === 0) this.#tail = undefined
  }

  #readHeader(): FrameHeader | undefined {
    const first = this.#chunks[0]
    if (this.#available < 2 || !first) return undefined
    const flags = first[this.#offset] ?? 0
    const size = (flags & LONG) === 0 ? 2 : MAX_HEADER_BYTES
    if (this.#available < size) return undefined
    const header =
      this.#offset + size <= first.length ? parseHeader(first, this.#offset) : parseHeader(this.peek(size), 0)
    this.#check(header)
    this.#skip(size)
    return header
  }

  #appendSmall(chunk: Uint8Array): void {
    if (!this.#tail || this.#tailUsed + chunk.length > this.#tail.length) {
      this.#tail = Buffer.allocUnsafeSlow(TAIL_BYTES)
      this.#tail.set(chunk)
      this.#tailUsed = chunk.length
      this.#chunks.push(this.#tail.subarray(0, chunk.length))
      return
    }
    this.#tail.set(chunk, this.#tailUsed)
    this.#tailUsed += chunk.length
    this.#chunks[this.#chunks.length - 1] = this.#tail.subarray(0, this.#tailUsed)
  }
}
