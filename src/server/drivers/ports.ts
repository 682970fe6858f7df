import type { Clock } from '../../base/index.ts'

/** How long a port that another program holds is left alone. */
const FORGET_AFTER_MS = 10 * 60_000

/** Ports of the range that must not be handed out now, although no driver in the database has them. */
export class BusyPorts {
  readonly #clock: Clock
  /** Bound by another program: until when they are left alone. */
  readonly #foreign = new Map<number, number>()
  /** Still bound by sockets of ours that are closing, with the end of that. */
  readonly #closing = new Map<number, Promise<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The ports to leave out. */
  now(): ReadonlySet<number> {
    const now = this.#clock.monotonic()
    for (const [port, until] of this.#foreign) if (until <= now) this.#foreign.delete(port)
    return new Set([...this.#foreign.keys(), ...this.#closing.keys()])
  }

  /** Another program has the port. */
  foreign(port: number): void {
    this.#foreign.set(port, this.#clock.monotonic() + FORGET_AFTER_MS)
  }

  /** The ports are ours until `closed` settles. */
  closing(ports: readonly number[], closed: Promise<unknown>): void {
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
  async makeRoom(retryForeign: boolean): Promise<boolean> {
    if (this.#closing.size > 0) {
      await Promise.race(this.#closing.values())
      return true
    }
    if (!retryForeign || this.#foreign.size === 0) return false
    this.#foreign.clear()
    return true
  }
}
