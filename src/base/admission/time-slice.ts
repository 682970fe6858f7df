import type { Clock } from '../clock.ts'
import { nextTurn } from '../concurrency/next-turn.ts'

/** The time in ms for which work occupies the event loop before it yields to other work. */
export class TimeSlice {
  readonly #clock: Clock
  readonly #ms: number
  #began: number

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
    this.#began = clock.monotonic()
  }

  /** ms since the slice began. */
  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#began
  }

  get isOver(): boolean {
    return this.elapsedMs >= this.#ms
  }

  /** Begins a slice, in a turn of the event loop in which this work has not been done before. */
  begin(): void {
    this.#began = this.#clock.monotonic()
  }

  /** Begins a slice and repeats `step` in it until that returns true; false if the slice is over before. */
  fill(step: () => boolean): boolean {
    this.begin()
    for (;;) {
      if (step()) return true
      if (this.isOver) return false
    }
  }

  /** Yields to other work, for `rest` times as long as the slice has taken, then begins the next one. */
  async next(rest = 0, signal?: AbortSignal): Promise<void> {
    const ms = Math.ceil(rest * this.elapsedMs)
    if (ms > 0) await this.#clock.sleep(ms, signal).catch(() => undefined)
    else await nextTurn()
    this.begin()
  }
}
