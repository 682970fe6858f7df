/** Lets a few works run at a time for each key; the others wait for their turn, in order. */
export class Turns {
  readonly #most: number
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  /** At most `most` at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Runs `work` when it is its turn; settles as it does. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? 0
    if (running < this.#most) this.#running.set(key, running + 1)
    else await new Promise<void>((resolve) => this.#queueOf(key).push(resolve))
    try {
      return await work()
    } finally {
      this.#passOn(key)
    }
  }

  #queueOf(key: string): (() => void)[] {
    const queue = this.#waiting.get(key) ?? []
    this.#waiting.set(key, queue)
    return queue
  }

  /** Gives the turn to the next, or back. */
  #passOn(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) {
      next()
      return
    }
    this.#waiting.delete(key)
    const left = (this.#running.get(key) ?? 1) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
  }
}
