/** Bytes that get through, and whether the connection is cut after them. */
interface Passed {
  bytes: Buffer
  isCut: boolean
}

/** What stands between a fake cluster and its clients; tests break connections with it. */
export interface Wire {
  /** Bytes of a client on their way to the cluster (slot 0) or to a module. */
  received(slot: number, chunk: Buffer): Passed
  /** The reply to a command on its way to the client. */
  sent(slot: number, reply: Buffer, command: string): Passed
}

/** Towards the cluster, or towards its client. */
export type Direction = 'received' | 'sent'

/** Everything gets through. */
export const wholeWire: Wire = {
  received: (_, bytes) => ({ bytes, isCut: false }),
  sent: (_, bytes) => ({ bytes, isCut: false }),
}

/** Everything gets through, and is counted. */
export class CountingWire implements Wire {
  /** Bytes in each direction. */
  readonly bytes: Record<Direction, number> = { received: 0, sent: 0 }
  /** Commands that were answered. */
  readonly answered: string[] = []

  received(_: number, bytes: Buffer): Passed {
    this.bytes.received += bytes.length
    return { bytes, isCut: false }
  }

  sent(_: number, bytes: Buffer, command: string): Passed {
    this.bytes.sent += bytes.length
    this.answered.push(command)
    return { bytes, isCut: false }
  }
}

/** Lets this many bytes of one direction through, all connections together, then cuts the one of the next. */
export class CutWire implements Wire {
  readonly #direction: Direction
  #left: number
  /** Whether a connection has been cut; only one is. */
  hasCut = false

  constructor(direction: Direction, bytes: number) {
    this.#direction = direction
    this.#left = bytes
  }

  received(_: number, chunk: Buffer): Passed {
    return this.#pass('received', chunk)
  }

  sent(_: number, reply: Buffer): Passed {
    return this.#pass('sent', reply)
  }

  #pass(direction: Direction, bytes: Buffer): Passed {
    if (this.hasCut || direction !== this.#direction) return { bytes, isCut: false }
    this.hasCut = this.#left < bytes.length
    const passed = bytes.subarray(0, this.#left)
    this.#left -= passed.length
    return { bytes: passed, isCut: this.hasCut }
  }
}

/** Lets this many replies through; then commands are carried out, but never answered any more. */
export class SilentWire implements Wire {
  readonly #onSilent: () => void
  #left: number

  constructor(replies: number, onSilent: () => void) {
    this.#left = replies
    this.#onSilent = onSilent
  }

  received(_: number, bytes: Buffer): Passed {
    return { bytes, isCut: false }
  }

  sent(_: number, bytes: Buffer): Passed {
    this.#left -= 1
    if (this.#left >= 0) return { bytes, isCut: false }
    if (this.#left === -1) this.#onSilent()
    return { bytes: Buffer.alloc(0), isCut: false }
  }
}

/** Calls back when a command with this text arrives, before it is carried out, once. */
export class TriggerWire implements Wire {
  readonly #text: string
  #onArrival: (() => void) | undefined

  constructor(text: string, onArrival: () => void) {
    this.#text = text
    this.#onArrival = onArrival
  }

  received(_: number, bytes: Buffer): Passed {
    if (this.#onArrival && bytes.includes(this.#text)) {
      this.#onArrival()
      this.#onArrival = undefined
    }
    return { bytes, isCut: false }
  }

  sent(_: number, bytes: Buffer): Passed {
    return { bytes, isCut: false }
  }
}

/** Has something else in the place of the reply to a command, once. */
export class ReplyWire implements Wire {
  readonly #command: string
  #replace: ((reply: Buffer) => Buffer) | undefined

  constructor(command: string, replace: (reply: Buffer) => Buffer) {
    this.#command = command
    this.#replace = replace
  }

  received(_: number, bytes: Buffer): Passed {
    return { bytes, isCut: false }
  }

  sent(_: number, bytes: Buffer, command: string): Passed {
    const replace = command.endsWith(this.#command) ? this.#replace : undefined
    if (replace) this.#replace = undefined
    return { bytes: replace?.(bytes) ?? bytes, isCut: false }
  }
}
