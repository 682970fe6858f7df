/** Lets a few works run at a time; the others wait for their turn, in order. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** At most `most` at a time. */
  constructor(most: number) {
    this.#limit = most
  }

  /** Works that have not begun. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs `work` when it is its turn; settles as it does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
