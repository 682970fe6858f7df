import { Budget } from '../../base/index.ts'
import type { Count } from './limits.ts'

/** Enforces a declared number of what there may be at the same time. */
export class Places {
  readonly #count: Count
  readonly #budget: Budget

  constructor(count: Count) {
    this.#count = count
    this.#budget = new Budget(count.bounds)
  }

  /** What all accounts use. */
  get used(): number {
    return this.#budget.used
  }

  /** Takes places; call the result once to give them back. @throws AppError as `assertFree` does. */
  take(account = '', amount = 1): () => void {
    this.assertFree(account, amount)
    return this.#budget.take(account, amount)
  }

  /** @throws AppError `limited`, with the reason and the remedy of the limit, when there are fewer places. */
  assertFree(account = '', amount = 1): void {
    const bound = this.#budget.exceeded(account, amount)
    if (bound !== undefined) throw this.#count.refusal(bound)
  }
}
