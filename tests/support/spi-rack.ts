import { createServer, type Socket } from 'node:net'

const CODES = 2 ** 18
/** Which converter drives each output of an S4g module. */
const CONVERTERS = [7, 6, 3, 2]
/** Bytes of a message to a converter. */
const MESSAGE = 4

/** Analog output of a converter, A, by span and code. */
function ampsOf(span: number, code: number): number {
  if (span === 0) return (code * 50e-3) / CODES
  const fullScale = span === 2 ? 50e-3 : 25e-3
  return (code * 2 * fullScale) / CODES - fullScale
}

/** Registers of one LTC2758 converter; a buffer takes effect by an update. */
interface Converter {
  span: number
  code: number
  spanBuffer: number
  codeBuffer: number
}

/** One change of an analog output. */
export interface CurrentChange {
  module: number
  output: number
  from: number
  to: number
  /** Ms of `performance.now()`. */
  at: number
}

/** What happens with a message to a converter. */
export type MessageFate = 'serve' | 'ignore' | 'disconnect'

interface Transfer {
  kind: 'write' | 'read'
  /** Counted from 1 over the life of the rack. */
  number: number
}

/**
 * An SPI rack with S4g current source modules behind a serial server: the byte protocol of its controller
 * (`c` select, `w` write, `r` exchange, `u` unlock, `l` lock) and the registers of its converters. It is
 * built from the published interface of its makers (spirack), which drives it in the oracles, and shares no
 * code with our client. As a real rack it is locked after power-up, keeps its outputs when the client goes
 * away, and serves one client at a time.
 */
export class SpiRack implements AsyncDisposable {
  readonly changes: CurrentChange[] = []
  /** Decides what happens with each message that reaches a converter. */
  onTransfer: (transfer: Transfer) => MessageFate = () => 'serve'
  /** Sent to a client when it connects, as some serial servers do. */
  greeting = ''
  /** Spans written since the start: a tuner must not write any. */
  spanWrites = 0
  transfers = 0
  readonly #converters = new Map<string, Converter>()
  readonly #server = createServer((socket) => this.#serve(socket))
  #client: Socket | undefined
  #isLocked = true
  #selected = { module: 0, chip: 0, speed: 0 }

  private constructor() {}

  static async start(): Promise<SpiRack> {
    const rack = new SpiRack()
    await new Promise<void>((resolve) => rack.#server.listen(0, '127.0.0.1', () => resolve()))
    return rack
  }

  get address(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the rack is not listening')
    return `tcp://127.0.0.1:${address.port}`
  }

  get isLocked(): boolean {
    return this.#isLocked
  }

  /** The current of an output, A. */
  current(module: number, output: number): number {
    const { span, code } = this.#output(module, output)
    return ampsOf(span, code)
  }

  /** Sets an output as the software of the makers does, without a ramp. */
  preset(module: number, output: number, { span = 2, amps = 0 }: { span?: number; amps?: number }): void {
    const fullScale = span === 4 ? 25e-3 : 50e-3
    const wanted = Math.round(((amps + fullScale) * CODES) / (2 * fullScale))
    const code = span === 0 ? 0 : Math.min(wanted, CODES - 1)
    Object.assign(this.#output(module, output), { span, code, spanBuffer: span, codeBuffer: code })
  }

  /** Takes the power away and back: outputs at 0 in the unipolar span, and locked. */
  powerCycle(): void {
    this.#converters.clear()
    this.#isLocked = true
    this.disconnect()
  }

  disconnect(): void {
    this.#client?.destroy()
    this.#client = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disconnect()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Handles the bytes of the client of a serial port, or of a TCP client; returns the reply. */
  receive(bytes: Buffer): { rest: Buffer; reply: Buffer; isOver: boolean } {
    let rest = bytes
    const replies: Buffer[] = []
    for (;;) {
      const length = lengthOf(rest)
      if (length === 0 || rest.length < length) break
      const reply = this.#execute(rest.subarray(0, length))
      rest = rest.subarray(length)
      if (reply === 'disconnect') return { rest, reply: Buffer.concat(replies), isOver: true }
      replies.push(reply)
    }
    return { rest, reply: Buffer.concat(replies), isOver: false }
  }

  #serve(socket: Socket): void {
    if (this.#client) {
      socket.end('BUSY\n')
      return
    }
    this.#client = socket
    socket.setNoDelay(true)
    socket.write(this.greeting)
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const { rest, reply, isOver } = this.receive(Buffer.concat([received, chunk]))
      received = rest
      socket.write(reply)
      if (isOver) this.disconnect()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#client === socket) this.#client = undefined
    })
  }

  #execute(message: Buffer): Buffer | 'disconnect' {
    const nothing = Buffer.alloc(0)
    const [command, ...data] = message
    if (command === 0x75) this.#isLocked = false
    if (command === 0x6c) this.#isLocked = true
    if (command === 0x63) {
      const [target = 0, , speed = 0] = data
      this.#selected = { module: target & 15, chip: target >> 4, speed }
    }
    if (command !== 0x77 && command !== 0x72) return nothing
    this.transfers += 1
    const kind = command === 0x77 ? 'write' : 'read'
    const fate = this.onTransfer({ kind, number: this.transfers })
    if (fate === 'disconnect') return fate
    if (fate === 'ignore') return nothing
    if (kind === 'read') return this.#read(data)
    if (!this.#isLocked) this.#write(data)
    return nothing
  }

  #read([head = 0]: number[]): Buffer {
    const { span, code } = this.#converter(head)
    if (head >> 4 === 0xc) return Buffer.from([0, 0, span, 0])
    if (head >> 4 === 0xd) return Buffer.from([0, code >> 10, (code >> 2) & 0xff, (code & 3) << 6])
    return Buffer.from([0, 0, 0, 0])
  }

  #write([head = 0, high = 0, middle = 0, low = 0]: number[]): void {
    const converter = this.#converter(head)
    const before = ampsOf(converter.span, converter.code)
    const operation = head >> 4
    if (operation === 0x2 || operation === 0x6) {
      converter.spanBuffer = middle
      this.spanWrites += 1
    }
    if (operation === 0x3 || operation === 0x7)
      converter.codeBuffer = (high << 10) | (middle << 2) | (low >> 6)
    if (operation === 0x4 || operation === 0x6 || operation === 0x7) {
      converter.span = converter.spanBuffer
      converter.code = converter.codeBuffer
    }
    const to = ampsOf(converter.span, converter.code)
    if (to === before) return
    const { module, chip } = this.#selected
    const output = CONVERTERS.indexOf(chip * 2 + ((head >> 1) & 1))
    this.changes.push({ module, output, from: before, to, at: performance.now() })
  }

  #converter(head: number): Converter {
    const { module, chip } = this.#selected
    return this.#at(module, chip * 2 + ((head >> 1) & 1))
  }

  #output(module: number, output: number): Converter {
    return this.#at(module, CONVERTERS[output] ?? 0)
  }

  #at(module: number, converter: number): Converter {
    const key = `${module}.${converter}`
    const found = this.#converters.get(key) ?? { span: 0, code: 0, spanBuffer: 0, codeBuffer: 0 }
    this.#converters.set(key, found)
    return found
  }
}

/** Bytes of the message that starts here; 0 when there is none. */
function lengthOf(bytes: Buffer): number {
  const [command] = bytes
  if (command === undefined) return 0
  if (command === 0x63) return 4
  return command === 0x77 || command === 0x72 ? 1 + MESSAGE : 1
}
