import { Budget } from '../../base/index.ts'
import type { Count } from './limits.ts'

/** Enforces a declared number of what there may be at the same time. */
export class Places extends Budget {
  readonly #count: Count

  /** As many works wait as `waiting` permits. */
  constructor(count: Count, waiting?: Count) {
    super(count.bounds, waiting)
    this.#count = count
  }

  /** Takes places; call the result once to give them back. @throws AppError as `assertFree` does. */
  enter(account = '', amount = 1): () => void {
    this.assertFree(account, amount)
    return this.take(account, amount)
  }

  /** @throws AppError with the reason and the remedy of the limit when there are fewer places. */
  assertFree(account = '', amount = 1): void {
    const bound = this.exceeded(account, amount)
    if (bound !== undefined) throw this.#count.refuse(bound, amount)
  }
}
