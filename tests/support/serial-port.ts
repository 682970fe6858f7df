import { dlopen, FFIType, ptr } from 'bun:ffi'
import { createReadStream, type ReadStream, writeSync } from 'node:fs'
import type { SpiRack } from './spi-rack.ts'

const READ_WRITE_NO_CONTROL = 0o402

/** A serial port with an SPI rack at its other end: a pseudo terminal. */
export class SerialPort implements Disposable {
  /** As a device file of the machine: `/dev/pts/3`. */
  readonly path: string
  readonly #stream: ReadStream
  readonly #close: () => void

  constructor(rack: SpiRack) {
    const { path, primary, close } = openTerminal()
    this.path = path
    this.#close = close
    this.#stream = createReadStream('', { fd: primary, autoClose: false })
    let received: Buffer = Buffer.alloc(0)
    this.#stream.on('data', (chunk) => {
      const { rest, reply } = rack.receive(Buffer.concat([received, Buffer.from(chunk)]))
      received = rest
      if (reply.length > 0) writeSync(primary, reply)
    })
    this.#stream.on('error', () => undefined)
  }

  [Symbol.dispose](): void {
    this.#stream.destroy()
    this.#close()
  }
}

/** The two ends of a pseudo terminal. */
function openTerminal(): { path: string; primary: number; close(): void } {
  const { symbols, close } = dlopen('libc.so.6', {
    posix_openpt: { args: [FFIType.i32], returns: FFIType.i32 },
    grantpt: { args: [FFIType.i32], returns: FFIType.i32 },
    unlockpt: { args: [FFIType.i32], returns: FFIType.i32 },
    ptsname_r: { args: [FFIType.i32, FFIType.ptr, FFIType.u64], returns: FFIType.i32 },
  })
  const primary = symbols.posix_openpt(READ_WRITE_NO_CONTROL)
  const name = Buffer.alloc(128)
  if (symbols.grantpt(primary) || symbols.unlockpt(primary) || symbols.ptsname_r(primary, ptr(name), 128)) {
    throw new Error('no pseudo terminal')
  }
  return { path: name.toString('latin1', 0, name.indexOf(0)), primary, close }
}
