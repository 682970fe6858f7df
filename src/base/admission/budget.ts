import { type Bounds, FairQueue, type QueueLimits } from './fair-queue.ts'

interface Waiting {
  readonly account: string
  readonly amount: number
  readonly start: (release: () => void) => void
}

/**
 * Bounds what is in use at the same time. Works that do not fit wait in the order of turns: those of an
 * account that uses its part let others pass, but none overtakes one that waits for the part of all, or a
 * large one would never start. A single amount above a bound is admitted while nothing else is in use.
 */
export class Budget {
  readonly #bounds: Bounds
  readonly #waiting: FairQueue<Waiting>
  readonly #byAccount = new Map<string, number>()
  #used = 0

  /** As many works wait as `waiting` permits. */
  constructor(bounds: Bounds, waiting?: QueueLimits) {
    this.#bounds = bounds
    this.#waiting = new FairQueue(waiting)
  }

  /** What all accounts use. */
  get used(): number {
    return this.#used
  }

  usedBy(account: string): number {
    return this.#byAccount.get(account) ?? 0
  }

  /** The bound that `amount` more of an account would exceed; undefined if none. */
  exceeded(account: string, amount = 1): keyof Bounds | undefined {
    const { account: most = Number.POSITIVE_INFINITY, all = Number.POSITIVE_INFINITY } = this.#bounds
    if (!fits(this.usedBy(account), amount, most)) return 'account'
    return fits(this.#used, amount, all) ? undefined : 'all'
  }

  /** Takes `amount`, whether it fits or not; call the result once to give it back. */
  take(account: string, amount = 1): () => void {
    this.#use(account, amount)
    return () => {
      this.#use(account, -amount)
      this.#grant()
    }
  }

  /** Takes `amount` if it fits and nobody waits; call the result once to give it back. */
  takeFree(account: string, amount: number): (() => void) | undefined {
    const isFree = this.#waiting.size === 0 && this.exceeded(account, amount) === undefined
    return isFree ? this.take(account, amount) : undefined
  }

  /**
   * Waits until `amount` fits and takes it; call the result once to give it back. Rejects when too many wait,
   * and with the reason of `signal` when it ends the wait.
   */
  wait(account: string, amount: number, signal?: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const item = { account, amount, start: resolve }
    this.#waiting.add(account, item)
    const leave = () => {
      this.#waiting.remove(account, item)
      // What does not fit may have been in the way of others.
      this.#grant()
      reject(signal?.reason)
    }
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
    this.#grant()
    return promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  /**
   * Runs `work` when `amount` fits, immediately if it does now; settles like `work`. Rejects as `wait` does.
   */
  async run<T>(work: () => Promise<T>, account = '', amount = 1): Promise<T> {
    const release = this.takeFree(account, amount) ?? (await this.wait(account, amount))
    try {
      return await work()
    } finally {
      release()
    }
  }

  #grant(): void {
    let isFull = false
    const mayStart = ({ account, amount }: Waiting) => {
      const bound = isFull ? 'all' : this.exceeded(account, amount)
      isFull = bound === 'all'
      return bound === undefined
    }
    for (let next = this.#waiting.take(mayStart); next; next = this.#waiting.take(mayStart))
      next.start(this.take(next.account, next.amount))
  }

  #use(account: string, amount: number): void {
    this.#used += amount
    const used = this.usedBy(account) + amount
    if (used > 0) this.#byAccount.set(account, used)
    else this.#byAccount.delete(account)
  }
}

function fits(used: number, amount: number, bound: number): boolean {
  return used === 0 || used + amount <= bound
}
