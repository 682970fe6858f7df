import { close, constants, open, read, write } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock } from '../../../../base/index.ts'
import { type ByteLine, lineError, REPLY_TIMEOUT_MS } from './line.ts'

/**
 * Raw bytes at the speed of the controller; a read returns after 0.1 s at the latest. Without `-hupcl`
 * closing the port would reset the controller.
 */
const MODE = '1000000 raw -echo -hupcl clocal min 0 time 1'.split(' ')

/**
 * As a service the driver leads a session without a terminal. The port would become the terminal of that
 * session, and pulling its cable would end the driver.
 */
const FLAGS = constants.O_RDWR | constants.O_NOCTTY

const files = {
  open: promisify(open),
  read: promisify(read),
  write: promisify(write),
  close: promisify(close),
}

/**
 * Opens the serial port of a rack.
 * @throws OutputError when it does not exist or cannot be set up.
 */
export async function openSerialLine(path: string, clock: Clock): Promise<ByteLine> {
  let file: number
  try {
    file = await files.open(path, FLAGS)
  } catch (error) {
    throw lineError(path, error)
  }
  const stty = Bun.spawn(['stty', '-F', path, ...MODE], { stdio: ['ignore', 'ignore', 'pipe'] })
  if ((await stty.exited) !== 0) {
    await files.close(file)
    throw lineError(path, (await new Response(stty.stderr).text()).trim())
  }
  return new SerialLine(path, file, clock)
}

class SerialLine implements ByteLine {
  readonly #path: string
  readonly #file: number
  readonly #clock: Clock
  #received = Buffer.alloc(0)
  #reading: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(path: string, file: number, clock: Clock) {
    this.#path = path
    this.#file = file
    this.#clock = clock
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let sent = 0; sent < bytes.length; ) {
      const rest = bytes.subarray(sent)
      const { bytesWritten } = await files.write(this.#file, rest).catch((error: unknown) => {
        throw lineError(this.#path, error)
      })
      sent += bytesWritten
    }
  }

  async read(count: number): Promise<Uint8Array> {
    const due = this.#clock.monotonic() + REPLY_TIMEOUT_MS
    while (this.#received.length < count) {
      if (this.#isClosed) throw lineError(this.#path, 'the port is closed')
      if (this.#clock.monotonic() > due) {
        throw lineError(this.#path, `no reply within ${REPLY_TIMEOUT_MS / 1_000} s`)
      }
      await this.#receive()
    }
    const bytes = this.#received.subarray(0, count)
    this.#received = this.#received.subarray(count)
    return bytes
  }

  discard(): void {
    this.#received = Buffer.alloc(0)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#reading
    await files.close(this.#file)
  }

  /** Waits for bytes, 0.1 s at most. */
  async #receive(): Promise<void> {
    const buffer = Buffer.alloc(64)
    const reading = files.read(this.#file, buffer, 0, buffer.length, null)
    this.#reading = reading.catch(() => undefined)
    const { bytesRead } = await reading.catch((error: unknown) => {
      throw lineError(this.#path, error)
    })
    this.#received = Buffer.concat([this.#received, buffer.subarray(0, bytesRead)])
  }
}
