import { UnsuitableMethodError } from '../errors.ts'
import { canMisread, type ReadoutError } from '../readout/readout.ts'
import { bitString } from '../tally/bit-string.ts'
import type { ResultBudget } from '../tally/result-budget.ts'
import type { WorkCounter } from '../timing/time-budget.ts'
import type { Observable } from './observables.ts'
import { expectationOf, type StateElements } from './state-elements.ts'

/** The values of a circuit, of all outcomes that it may have. */
export interface ExactValues {
  /** Mean of each observable in the state at the end; absent without observables. */
  expectationValues?: number[]
  /** Bit string to probability, in order of the bit strings; absent with observables. */
  probabilities?: Record<string, number>
}

/** What the end of a branch needs besides its state. */
interface Leaf {
  /** Probability of the branch. */
  weight: number
  state: StateElements
  /** Bit of a qubit in the indices of the state, 0 for one that has stayed |0⟩. */
  bitOf(qubit: number): number
  /** Classical bits of mid-circuit measurements. */
  bits: Uint8Array
}

/** Probabilities below this are rounding errors and left out. */
const MIN_PROBABILITY = 1e-15
/** Basis states between two counts of the work. */
const CHUNK = 2 ** 14
/** Measurements that may be misread: each doubles the outcomes of a final state. */
const MAX_MISREAD_BITS = 16
/** Characters of an outcome in the results besides its bits. */
const OUTCOME_LENGTH = 26

/** What is read at the end of a circuit. */
interface Measured {
  observables: readonly Observable[]
  /** Measurements after the last step. */
  terminal: readonly { qubit: number; clbit: number }[]
}

interface Surroundings {
  readoutErrorOf(qubit: number): ReadoutError
  resultBudget: ResultBudget
  timeBudget: WorkCounter
}

/** Adds up the values of the branches of a circuit. */
export class ExactSums {
  readonly #terminal: Measured['terminal']
  readonly #observables: readonly Observable[]
  readonly #values: number[]
  readonly #probabilities = new Map<string, number>()
  readonly #errorOf: (qubit: number) => ReadoutError
  /** Probability of what is left out of `values`. */
  dropped = 0
  readonly #budget: ResultBudget
  readonly #work: WorkCounter

  constructor({ observables, terminal }: Measured, run: Surroundings) {
    this.#terminal = terminal
    this.#observables = observables
    this.#values = this.#observables.map(() => 0)
    this.#errorOf = (qubit) => run.readoutErrorOf(qubit)
    this.#budget = run.resultBudget
    this.#work = run.timeBudget
  }

  /** The sums so far. */
  get values(): ExactValues {
    if (this.#observables.length > 0) return { expectationValues: this.#values }
    const outcomes = [...this.#probabilities].sort(([one], [other]) => (one < other ? -1 : 1))
    return { probabilities: Object.fromEntries(outcomes) }
  }

  /** @throws SimulationError `results_too_large`. */
  add(leaf: Leaf): void {
    const { weight, state, bitOf } = leaf
    for (const [index, observable] of this.#observables.entries()) {
      const value = expectationOf(observable, state, bitOf, this.#work)
      this.#values[index] = (this.#values[index] as number) + weight * value
    }
    if (this.#observables.length === 0) this.#addOutcomes(leaf)
  }

  #addOutcomes({ weight, state, bitOf, bits }: Leaf): void {
    const places = this.#terminal.map(({ qubit, clbit }) => ({
      bit: bitOf(qubit),
      clbit,
      error: this.#errorOf(qubit),
    }))
    const mask = places.reduce((all, { bit }) => all | bit, 0)
    const outcomes = new Map<number, number>()
    for (let index = 0; index < 2 ** state.qubits; index++) {
      if (index % CHUNK === 0) this.#work.spend(2 * CHUNK)
      // The probability within the state: an outcome of an improbable branch counts.
      const probability = state.re(index, index)
      if (probability < MIN_PROBABILITY) this.dropped += weight * Math.max(0, probability)
      else outcomes.set(index & mask, (outcomes.get(index & mask) ?? 0) + weight * probability)
    }
    const misread = places.filter(({ error }) => canMisread(error))
    assertFewMisread(misread.length)
    for (const [index, probability] of outcomes) {
      for (const { bit, clbit } of places) bits[clbit] = (index & bit) === 0 ? 0 : 1
      this.#addMisread(bits, misread, probability)
    }
  }

  /** Adds an outcome with each of the others as which it may be read. */
  #addMisread(
    bits: Uint8Array,
    misread: readonly { clbit: number; error: ReadoutError }[],
    probability: number,
  ): void {
    const [first, ...others] = misread
    if (probability < MIN_PROBABILITY && misread.length > 0) {
      this.dropped += probability
      return
    }
    this.#work.spend(CHUNK >> 4)
    if (!first) {
      const outcome = bitString(bits)
      const known = this.#probabilities.get(outcome)
      if (known === undefined) this.#budget.spend(bits.length + OUTCOME_LENGTH)
      this.#probabilities.set(outcome, (known ?? 0) + probability)
      return
    }
    const value = bits[first.clbit] === 1 ? 1 : 0
    const wrong = first.error[value]
    this.#addMisread(bits, others, probability * (1 - wrong))
    bits[first.clbit] = 1 - value
    this.#addMisread(bits, others, probability * wrong)
    bits[first.clbit] = value
  }
}

function assertFewMisread(count: number): void {
  if (count <= MAX_MISREAD_BITS) return
  const reason = `adds readout errors of ${count} bits, at most ${MAX_MISREAD_BITS} are exact`
  throw new UnsuitableMethodError({ code: 'unsupported', reason })
}
