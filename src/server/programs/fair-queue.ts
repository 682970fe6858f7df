/**
 * Runs one function at a time. Accounts take turns, so that the work of one does not delay the others.
 */
export class FairQueue {
  /** The functions that wait, by account; the account whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isBusy = false

  /** Number of functions of all accounts that have not started. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, each) => sum + each.length, 0)
  }

  /** Number of functions of one account that have not started. */
  waitingOf(account: string): number {
    return this.#waiting.get(account)?.length ?? 0
  }

  /** Runs `work` when it is the turn of `account`; settles like `work`. */
  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((start) => this.#add(account, start))
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#startNext()
    }
  }

  #add(account: string, start: () => void): void {
    const own = this.#waiting.get(account)
    if (own) own.push(start)
    else this.#waiting.set(account, [start])
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#isBusy = false
      return
    }
    const [account, [start, ...others]] = next
    this.#waiting.delete(account)
    if (others.length > 0) this.#waiting.set(account, others)
    start?.()
  }
}
