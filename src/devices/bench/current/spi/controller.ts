import { Budget, type Clock } from '../../../../base/index.ts'
import { type ByteLine, parseRackAddress } from './line.ts'
import { openSerialLine } from './serial-line.ts'
import { openTcpLine } from './tcp-line.ts'

/** Commands of the controller, one byte each. */
const COMMAND = { select: 0x63, write: 0x77, read: 0x72, unlock: 0x75 }
/** Clock mode and speeds of the converters (LTC2758). */
const MODE = 0
const WRITE_SPEED = 6
const READ_SPEED = 8

/** A chip on the bus of a rack. */
export interface ChipAddress {
  /** 0..15. */
  module: number
  /** 0..7. */
  chip: number
}

/**
 * The controller of an SPI rack. It selects a chip with `c`, writes to it with `w` and exchanges bytes with
 * it by `r`; after power-up it ignores writes until it receives `u`. Protocol: spirack, `spi_rack.py`
 * (published by the makers of the rack).
 *
 * The connection is opened when it is needed, and again after an exchange has failed: bytes of an unfinished
 * reply would be taken for the next one.
 */
export class RackController {
  readonly #open: () => Promise<ByteLine>
  readonly #turns = new Budget({ all: 1 })
  #line: ByteLine | undefined

  constructor(open: () => Promise<ByteLine>) {
    this.#open = open
  }

  /** Connects, without sending anything. */
  open(): Promise<void> {
    return this.#use(async () => undefined)
  }

  /** Permits writes until the controller loses power. */
  unlock(): Promise<void> {
    return this.#use((line) => line.write(Uint8Array.of(COMMAND.unlock)))
  }

  /** Sends `bytes` to a chip and returns as many bytes of its reply. */
  read(address: ChipAddress, bytes: readonly number[]): Promise<Uint8Array> {
    return this.#use((line) => exchange(line, address, bytes))
  }

  /** Writes `written` to a chip and then reads from it; nothing else uses the rack between the two. */
  writeAndRead(
    address: ChipAddress,
    written: readonly number[],
    read: readonly number[],
  ): Promise<Uint8Array> {
    return this.#use(async (line) => {
      await line.write(select(address, WRITE_SPEED))
      await line.write(Uint8Array.of(COMMAND.write, ...written))
      return exchange(line, address, read)
    })
  }

  async close(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.close()
  }

  #use<T>(work: (line: ByteLine) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      this.#line ??= await this.#open()
      try {
        return await work(this.#line)
      } catch (error) {
        await this.close()
        throw error
      }
    })
  }
}

// Each command is a write of its own, as in the published interface: it may be a packet of its own on the
// bus.
async function exchange(line: ByteLine, address: ChipAddress, bytes: readonly number[]): Promise<Uint8Array> {
  line.discard()
  await line.write(select(address, READ_SPEED))
  await line.write(Uint8Array.of(COMMAND.read, ...bytes))
  return line.read(bytes.length)
}

function select({ module, chip }: ChipAddress, speed: number): Uint8Array {
  return Uint8Array.of(COMMAND.select, (chip << 4) | module, MODE, speed)
}

/**
 * The controller at an address such as `/dev/ttyACM0` or `tcp://host:port`.
 * @throws OutputError when the text is not an address.
 */
export function rackAt(text: string, clock: Clock): RackController {
  const address = parseRackAddress(text)
  return new RackController(() =>
    address.kind === 'tcp' ? openTcpLine(address, clock) : openSerialLine(address.path, clock),
  )
}
