import { SimulationError } from '../errors.ts'

/**
 * Characters left for the results of a job, so that a job whose results cannot be sent ends before it fills
 * the memory.
 */
export class ResultBudget {
  readonly #limit: number
  /** Characters spent so far. */
  spent = 0

  constructor(characters: number) {
    this.#limit = characters
  }

  /** Characters that are not taken; none when more were asked for. */
  get left(): number {
    return Math.max(0, this.#limit - this.spent)
  }

  /**
   * Takes `length` characters from the budget.
   * @throws SimulationError `results_too_large` when fewer are left.
   */
  spend(length: number): void {
    this.spent += length
    if (this.spent <= this.#limit) return
    throw new SimulationError('the results are too large', { code: 'results_too_large', executed: true })
  }
}
