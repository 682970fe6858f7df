/** Limits how many functions run at the same time; the others wait in order. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** At most `limit` functions run at the same time. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Runs `work` as soon as the limit permits; settles like `work`. */
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
