import { SimulationError } from '../errors.ts'

/**
 * Characters left for the results of a job, so that a job whose results cannot be sent ends before it fills
 * the memory.
 */
export class ResultBudget {
  #left: number

  constructor(characters: number) {
    this.#left = characters
  }

  /**
   * Takes `length` characters from the budget.
   * @throws SimulationError `results_too_large` when fewer are left.
   */
  spend(length: number): void {
    this.#left -= length
    if (this.#left >= 0) return
    throw new SimulationError('the results are too large', { code: 'results_too_large', executed: true })
  }
}
