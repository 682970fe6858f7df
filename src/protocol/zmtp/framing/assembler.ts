import type { Frame, FrameHeader } from './frame.ts'
import { WireError } from './wire-error.ts'

interface AssemblerOptions {
  /** False at a PUSH socket, which receives commands only. */
  mayReceive: boolean
  /** Maximum size of a message, all frames together, in bytes. */
  messageBytes: number
  commandBytes: number
  /** Maximum number of frames in a message. */
  frames: number
}

/** @throws WireError when a command announces more than `most` bytes. */
export function checkCommandBytes(header: FrameHeader, most: number): void {
  if (header.length > most) {
    throw new WireError(`a command announces ${header.length} bytes, at most ${most} are allowed`)
  }
}

/** Assembles messages from frames and rejects headers that exceed a limit. */
export class MessageAssembler {
  readonly #options: AssemblerOptions
  #frames: Uint8Array[] = []
  #bytes = 0

  constructor(options: AssemblerOptions) {
    this.#options = options
  }

  /** Checks a header before its body is awaited. @throws WireError naming the limit. */
  check(header: FrameHeader): void {
    const { mayReceive, messageBytes, commandBytes, frames } = this.#options
    if (header.command) {
      checkCommandBytes(header, commandBytes)
      if (this.#frames.length > 0) throw new WireError('a command arrived inside a message')
      return
    }
    if (!mayReceive) throw new WireError('a message arrived at a PUSH socket')
    const total = this.#bytes + header.length
    if (total > messageBytes) {
      throw new WireError(`a message has ${total} bytes or more, at most ${messageBytes} are allowed`)
    }
    if (this.#frames.length >= frames) throw new WireError(`a message has more than ${frames} frames`)
  }

  /** Adds a message frame; returns all frames of the message when it is complete. */
  add(frame: Frame): readonly Uint8Array[] | undefined {
    this.#frames.push(frame.body)
    this.#bytes += frame.body.length
    if (frame.more) return undefined
    const frames = this.#frames
    this.#frames = []
    this.#bytes = 0
    return frames
  }
}
