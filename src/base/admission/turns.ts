import type { Clock } from '../clock.ts'
import { FairQueue } from './fair-queue.ts'
import { TimeSlice } from './time-slice.ts'

/**
 * Lets works that arrive together start over several turns of the event loop, in each for a few ms, so that
 * many expensive ones of a caller add up to a long wait of that caller only: callers take turns, and other
 * work is done in between. Only the time of these works counts, not that of other work in the same turn.
 */
export class Turns {
  readonly #slice: TimeSlice
  readonly #rest: number
  /** How to start each work that waits. */
  readonly #waiting = new FairQueue<() => void>()
  #isOpen = false

  /**
   * Works start for `ms` in one turn. When these are used up, other work is done for `rest` times as long as
   * they took.
   */
  constructor(clock: Clock, ms: number, rest = 0) {
    this.#slice = new TimeSlice(clock, ms)
    this.#rest = rest
  }

  /** Whether work of `caller` may start now: undefined, or the promise of its turn. */
  enter(caller: string): Promise<void> | undefined {
    this.#open()
    return this.#waiting.size === 0 && !this.#slice.isOver ? undefined : this.wait(caller)
  }

  /**
   * Waits for a turn in any case. For works that one event lets go on: all of them ask before the first one
   * has taken any time, so that `enter` would let them start together.
   */
  wait(caller = ''): Promise<void> {
    this.#open()
    return new Promise((start) => this.#waiting.add(caller, start))
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#slice.begin()
    setImmediate(() => void this.#next())
  }

  /**
   * Each work starts in an immediate of its own, because only between these the runtime does what a work has
   * to do before it waits for something: the time until the next one is that of the work.
   */
  async #next(): Promise<void> {
    if (this.#rest > 0 && this.#slice.isOver) await this.#slice.next(this.#rest)
    this.#isOpen = this.#waiting.size > 0
    if (!this.#isOpen) return
    setImmediate(() => this.#slice.begin())
    for (let count = this.#waiting.size; count > 0; count -= 1) setImmediate(() => this.#startNext())
    setImmediate(() => void this.#next())
  }

  #startNext(): void {
    if (!this.#slice.isOver) this.#waiting.take()?.()
  }
}
