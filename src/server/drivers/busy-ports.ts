import { type Clock, MINUTE_MS } from '../../base/index.ts'

/** How long a port that another program uses is left out. */
const TAKEN_TTL_MS = 10 * MINUTE_MS

/** Ports of the range that are in use although no driver in the database has them. */
export class BusyPorts {
  readonly #clock: Clock
  /** Bound by another program: monotonic ms until which each is left out. */
  readonly #taken = new Map<number, number>()
  /** Still bound by our own sockets: settles when those are closed. */
  readonly #closing = new Map<number, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The ports that must not be assigned now. */
  list(): ReadonlySet<number> {
    const list = this.#clock.monotonic()
    for (const [port, until] of this.#taken) if (until <= list) this.#taken.delete(port)
    return new Set([...this.#taken.keys(), ...this.#closing.keys()])
  }

  /** Records that another program uses a port, if that is what the error says, and returns the port. */
  takenBy(error: unknown): number | undefined {
    const port = portOfError(error)
    if (port !== undefined) this.#taken.set(port, this.#clock.monotonic() + TAKEN_TTL_MS)
    return port
  }

  /** Records that our own sockets use the ports until `closed` settles. */
  markClosing(ports: readonly number[], closed: Promise<unknown>): void {
    const settled = closed.catch(() => undefined)
    for (const port of ports) {
      this.#closing.set(port, settled)
      void settled.then(() => {
        if (this.#closing.get(port) === settled) this.#closing.delete(port)
      })
    }
  }

  /**
   * Frees a port if the whole range is in use: waits for one that is closing, or else, with `retryTaken`,
   * stops leaving out the ports of other programs. Returns false if neither is possible.
   */
  async freeUp(retryTaken: boolean): Promise<boolean> {
    if (this.#closing.size > 0) {
      await Promise.race(this.#closing.values())
      return true
    }
    if (!retryTaken || this.#taken.size === 0) return false
    this.#taken.clear()
    return true
  }
}

function portOfError(error: unknown): number | undefined {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  return isTaken && 'port' in error && typeof error.port === 'number' ? error.port : undefined
}
