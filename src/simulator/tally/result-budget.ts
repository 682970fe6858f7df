import { SimulationError } from '../errors.ts'

interface BudgetOptions {
  /** Whether results may come without counts, because the memory says the same. */
  mayOmitCounts?: boolean
  /** The numbers of a budget that another thread has created, which share its job. */
  shared?: SharedArrayBuffer
}

/** Places of the shared numbers: characters of counts and of all else, and whether counts are omitted. */
const [COUNTS, OTHERS, OMITTED] = [0, 1, 2]

/** What one thread has taken from a budget. */
interface Taken {
  counts: number
  others: number
}

/**
 * Characters left for the results of a job, which all threads that run its circuits take from, so that a job
 * whose results cannot be sent ends before it fills the memory, and not at its end.
 */
export class ResultBudget {
  /** The numbers that other threads share. */
  readonly shared: SharedArrayBuffer
  readonly #limit: number
  readonly #mayOmitCounts: boolean
  readonly #words: Int32Array
  #own: Taken = { counts: 0, others: 0 }

  constructor(characters: number, { mayOmitCounts = false, shared }: BudgetOptions = {}) {
    this.#limit = characters
    this.#mayOmitCounts = mayOmitCounts
    this.shared = shared ?? new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)
    this.#words = new Int32Array(this.shared)
  }

  /** Characters that this thread has taken. */
  get taken(): Readonly<Taken> {
    return this.#own
  }

  /**
   * Whether the results of the job come without counts. It depends on the sum of all lengths only, not on the
   * order in which threads take them.
   */
  get omitsCounts(): boolean {
    return Atomics.load(this.#words, OMITTED) === 1
  }

  /** Characters that are not taken; none when more were asked for. */
  get left(): number {
    return Math.max(0, this.#limit - this.#spent)
  }

  /**
   * Takes `length` characters for anything but counts.
   * @throws SimulationError `results_too_large` when fewer are left.
   */
  spend(length: number): void {
    this.#take(OTHERS, length)
    this.#own = { ...this.#own, others: this.#own.others + length }
    if (this.#spent > this.#limit) this.#omitCounts()
    if (this.#spent > this.#limit) throw tooLarge()
  }

  /**
   * Takes `length` characters for counts. False if the results come without counts.
   * @throws SimulationError `results_too_large` when fewer are left and counts may not be omitted.
   */
  spendCounts(length: number): boolean {
    if (this.omitsCounts) return false
    this.#take(COUNTS, length)
    this.#own = { ...this.#own, counts: this.#own.counts + length }
    if (this.#spent <= this.#limit) return true
    this.#omitCounts()
    return false
  }

  /** Gives back what this thread has taken since `taken` was read. */
  giveBack({ counts, others }: Readonly<Taken>): void {
    Atomics.sub(this.#words, COUNTS, this.#clamped(this.#own.counts - counts))
    Atomics.sub(this.#words, OTHERS, this.#clamped(this.#own.others - others))
    this.#own = { counts, others }
  }

  get #spent(): number {
    const counts = this.omitsCounts ? 0 : Atomics.load(this.#words, COUNTS)
    return counts + Atomics.load(this.#words, OTHERS)
  }

  #take(place: number, length: number): void {
    Atomics.add(this.#words, place, this.#clamped(length))
  }

  /** A single length above the limit does not overflow the sum. */
  #clamped(length: number): number {
    return Math.min(length, this.#limit + 1)
  }

  #omitCounts(): void {
    if (!this.#mayOmitCounts) throw tooLarge()
    Atomics.store(this.#words, OMITTED, 1)
  }
}

function tooLarge(): SimulationError {
  return new SimulationError('the results are too large', { code: 'results_too_large', executed: true })
}
