import type { Wait } from './wait.ts'

/** Requests that resume in one turn of the event loop: each reads and encodes a job in about 0.1 ms. */
const PER_TURN = 16

/**
 * Resumes waiting requests: the first ones at once and the others over later turns, so that the end of one
 * job that thousands wait for does not stop the event loop.
 */
export class Resumption {
  #resumed = 0
  #waiting: Wait[] = []

  add(wait: Wait): void {
    if (this.#resumed === 0) setImmediate(() => this.#nextTurn())
    if (this.#resumed >= PER_TURN) {
      this.#waiting.push(wait)
      return
    }
    this.#resumed += 1
    wait.resume()
  }

  #nextTurn(): void {
    this.#resumed = 0
    const waiting = this.#waiting
    this.#waiting = waiting.slice(PER_TURN)
    for (const wait of waiting.slice(0, PER_TURN)) this.add(wait)
  }
}
