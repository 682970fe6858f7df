import type { Clock } from '../../base/index.ts'

/** Time in ms after which work yields to the other work of the server. */
const MAX_TURN_MS = 2

/** Divides work into short turns of the event loop. */
export class Turn {
  readonly #clock: Clock
  #began: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#began = clock.monotonic()
  }

  /** ms since the turn began. */
  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#began
  }

  get isOver(): boolean {
    return this.elapsedMs > MAX_TURN_MS
  }

  /** Yields to other work, then begins a new turn. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#began = this.#clock.monotonic()
  }
}
