import { connect, type Socket } from 'node:net'
import { type Clock, withTimeout } from '../../../../base/index.ts'
import { type ByteLine, lineError, REPLY_TIMEOUT_MS } from './line.ts'

const CONNECT_TIMEOUT_MS = 5_000
/** Time in which a serial server may send a line of greeting, which is no reply of the controller. */
const GREETING_MS = 100

/** A server may notice only after a moment that its last client, maybe this program itself, is gone. */
const RETRY_PAUSES_MS = [50, 100, 200, 400, 800]
/** Time for a server to notice the end of a connection, so that the next one is not refused. */
const CLOSE_TIMEOUT_MS = 500

/** A server that serves another client closes the connection, with or without the word BUSY. */
class RackBusyError extends Error {}

/**
 * Connects to a serial server that leads to a rack.
 * @throws OutputError when it cannot be reached, or goes on serving another client.
 */
export async function openTcpLine(
  { host, port }: { host: string; port: number },
  clock: Clock,
): Promise<ByteLine> {
  const name = `tcp://${host}:${port}`
  for (let tries = 0; ; tries += 1) {
    const line = new TcpLine(name, connect({ host, port, noDelay: true }), clock)
    try {
      await line.opened()
      await clock.sleep(GREETING_MS)
      line.assertFree()
      return line
    } catch (error) {
      await line.close()
      if (!(error instanceof RackBusyError)) throw error
      const pauseMs = RETRY_PAUSES_MS[tries]
      if (pauseMs === undefined) {
        throw lineError(name, 'it closes the connection; another program uses the rack')
      }
      await clock.sleep(pauseMs)
    }
  }
}

class TcpLine implements ByteLine {
  readonly #name: string
  readonly #socket: Socket
  readonly #clock: Clock
  #received = Buffer.alloc(0)
  #closed: Error | undefined
  #onChange: () => void = () => undefined

  constructor(name: string, socket: Socket, clock: Clock) {
    this.#name = name
    this.#socket = socket
    this.#clock = clock
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#onChange()
    })
    socket.on('error', (error) => this.#end(lineError(name, error)))
    socket.on('close', () => this.#end(lineError(name, 'the connection was closed')))
  }

  opened(): Promise<void> {
    const connected = Promise.withResolvers<void>()
    this.#socket.once('connect', () => connected.resolve())
    this.#onChange = () => this.#closed && connected.reject(this.#closed)
    return withTimeout(connected.promise, {
      clock: this.#clock,
      ms: CONNECT_TIMEOUT_MS,
      onTimeout: () => {
        throw lineError(this.#name, `no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`)
      },
    })
  }

  assertFree(): void {
    if (this.#closed || this.#received.toString('latin1').startsWith('BUSY')) throw new RackBusyError()
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw this.#closed
    this.#socket.write(bytes)
  }

  read(count: number): Promise<Uint8Array> {
    const complete = Promise.withResolvers<Uint8Array>()
    this.#onChange = () => {
      if (this.#closed) complete.reject(this.#closed)
      if (this.#received.length < count) return
      complete.resolve(this.#received.subarray(0, count))
      this.#received = this.#received.subarray(count)
      this.#onChange = () => undefined
    }
    this.#onChange()
    return withTimeout(complete.promise, {
      clock: this.#clock,
      ms: REPLY_TIMEOUT_MS,
      onTimeout: () => {
        throw lineError(this.#name, `no reply within ${REPLY_TIMEOUT_MS / 1_000} s`)
      },
    })
  }

  discard(): void {
    this.#received = Buffer.alloc(0)
  }

  async close(): Promise<void> {
    const closed = Promise.withResolvers<void>()
    this.#onChange = () => closed.resolve()
    if (this.#closed) closed.resolve()
    this.#socket.end()
    await withTimeout(closed.promise, {
      clock: this.#clock,
      ms: CLOSE_TIMEOUT_MS,
      onTimeout: () => undefined,
    })
    this.#socket.destroy()
  }

  #end(reason: Error): void {
    this.#closed ??= reason
    this.#onChange()
  }
}
