import { FairQueue, type QueueLimits } from '../admission/fair-queue.ts'

/** Limits how many functions run at the same time. The others wait; callers take turns. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: FairQueue<() => void>
  #running = 0

  /** At most `limit` functions run at the same time, and as many wait as `waiting` permits. */
  constructor(limit: number, waiting?: QueueLimits) {
    this.#limit = limit
    this.#waiting = new FairQueue(waiting)
  }

  /**
   * Runs `work` when it is the turn of `caller`; settles like `work`. Without callers, works start in order.
   * Rejects when too many works wait.
   */
  async run<T>(work: () => Promise<T>, caller = ''): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1
    else await new Promise<void>((start) => this.#waiting.add(caller, start))
    try {
      return await work()
    } finally {
      const next = this.#waiting.take()
      if (next) next()
      else this.#running -= 1
    }
  }
}
