import { type Clock, nextTurn } from '../../../base/index.ts'

/** Longest time for which other tasks of the thread wait, ms; a machine under load needs a margin to 50. */
const TURN_MS = 10
/** Work after which they have a turn in any case: pulses, steps and drawn values, about as many µs. */
const WORK_PER_TURN = 10_000

/** Gives other tasks of the thread a turn during long work, and stops when aborted. */
export class Turns {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #work = 0
  #since: number

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#since = clock.monotonic()
  }

  /** @param work done since the last call */
  async after(work = 0): Promise<void> {
    this.#work += work
    if (this.#clock.monotonic() - this.#since < TURN_MS && this.#work < WORK_PER_TURN) return
    await nextTurn()
    this.#signal.throwIfAborted()
    this.#work = 0
    this.#since = this.#clock.monotonic()
  }
}
