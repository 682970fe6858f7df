import { reasonOf } from '../../../../base/index.ts'
import { OutputError } from '../output.ts'

/** The byte stream to the controller of an SPI rack: a serial port, or a TCP connection that leads to one. */
export interface ByteLine {
  /** Writes bytes. */
  write(bytes: Uint8Array): Promise<void>
  /** Waits for exactly `count` bytes; rejects after the time limit, and when the line is closed. */
  read(count: number): Promise<Uint8Array>
  /** Drops what has arrived and was not read. */
  discard(): void
  close(): Promise<void>
}

/** Time for the controller to reply. */
export const REPLY_TIMEOUT_MS = 1_000

/** Where a rack is: `tcp://host:port`, or the path of a serial port. */
type RackAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'serial'; readonly path: string }

/**
 * Reads the option `spi_rack_address`.
 * @throws OutputError that shows the two forms.
 */
export function parseRackAddress(text: string): RackAddress {
  if (/^\/dev\/[\w./-]+$/.test(text)) return { kind: 'serial', path: text }
  try {
    const { protocol, hostname, port, pathname } = new URL(text)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    if (protocol === 'tcp:' && host !== '' && Number(port) > 0 && /^\/?$/.test(pathname)) {
      return { kind: 'tcp', host, port: Number(port) }
    }
  } catch {
    // Reported below: it is not an address at all.
  }
  throw new OutputError(
    `"${text}" is not the address of an SPI rack; expected a serial port such as /dev/ttyACM0, or tcp://host:port`,
  )
}

/** The error for a rack that cannot be used, with its address. */
export function lineError(address: string, reason: unknown): OutputError {
  const text = typeof reason === 'string' ? reason : reasonOf(reason)
  return new OutputError(`SPI rack ${address}: ${text}`)
}
