import { EventQueue } from '../../../src/server/simulate/event-queue.ts'
import type { FakeClock } from '../fake-clock.ts'

/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.between(0, list.length - 1)]
    if (one === undefined) throw new Error('the list is empty')
    return one
  }
}

/** A virtual clock on which asynchronous work runs at scheduled times, one after the other. */
export class Stage {
  readonly clock: FakeClock
  readonly random: Random
  readonly #agenda = new EventQueue()
  #due: (() => Promise<void>)[] = []

  constructor(clock: FakeClock, random: Random) {
    this.clock = clock
    this.random = random
  }

  /** Schedules `work` for `at`, ms since the epoch, rounded to whole ms; a past time means now. */
  at(at: number, work: () => Promise<void>): void {
    this.#agenda.add(Math.max(Math.round(at), this.clock.now()), () => this.#due.push(work))
  }

  /** Schedules `work` for `ms` from now. */
  later(ms: number, work: () => Promise<void>): void {
    this.at(this.clock.now() + ms, work)
  }

  /** Advances to the next scheduled time and runs all its work; false if nothing is scheduled. */
  async step(): Promise<boolean> {
    const { next } = this.#agenda
    if (next === undefined) return false
    await this.clock.advance(next - this.clock.now())
    this.#agenda.runNext()
    for (const work of this.#due.splice(0)) await work()
    return true
  }
}
