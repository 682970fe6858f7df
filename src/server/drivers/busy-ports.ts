import type { Clock } from '../../base/index.ts'

/** How long a port that another program holds is left alone. */
const TAKEN_TTL_MS = 10 * 60_000

/** Ports of the range that must not be handed out now, although no driver in the database has them. */
export class BusyPorts {
  readonly #clock: Clock
  /** Bound by another program: until when they are left alone. */
  readonly #taken = new Map<number, number>()
  /** Still bound by sockets of ours that are closing, with the end of that. */
  readonly #closing = new Map<number, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The ports to leave out. */
  list(): ReadonlySet<number> {
    const list = this.#clock.monotonic()
    for (const [port, until] of this.#taken) if (until <= list) this.#taken.delete(port)
    return new Set([...this.#taken.keys(), ...this.#closing.keys()])
  }

  /** Another program has the port. */
  markTaken(port: number): void {
    this.#taken.set(port, this.#clock.monotonic() + TAKEN_TTL_MS)
  }

  /** The ports are ours until `closed` settles. */
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
   * Makes room when nothing else is free: waits for a port that is closing, else, with `retryForeign`, gives
   * the ports of other programs another chance. False when there is nothing to be won.
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
