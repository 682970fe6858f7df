import { UnsuitableMethodError } from '../../../errors.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'
import type { TensorChain } from '../tensor-chain.ts'

/**
 * Time of an operator on two sites, in s by the third power of the bond between them: measured 2e-8 to 5e-8.
 */
const SECONDS_PER_CUBE = 2e-8

/** Factor by which the rest may exceed the time left: the time above is that of one machine. */
const TOLERANCE = 3
/** With less time left, the time limit ends the run anyway. */
const LEAST_SECONDS = 1
/** Largest factor by which a gate on two sites divides the bond between them: the rank of its operator. */
const MAX_SHRINKING = 4

/** Least share of the time left for which the estimate is compared with the time that steps take, and s. */
const TRIAL_SHARE = 0.05
const LEAST_TRIAL_SECONDS = 0.1

/** Where a run is. */
interface Position {
  /** Index of the step reached, and number of steps. */
  step: number
  steps: number
  /** The sites behind the bonds on which all steps act, and the index of the first that is left. */
  pairs: Int32Array
  next: number
  /** Whether bonds may shrink again in the remaining steps; called only when the answer matters. */
  mayShrink(): boolean
}

/** Steps whose time is compared with the estimate. */
interface Trial {
  secondsLeft: number
  from: number
  /** Estimated time of a step by the site behind its bond, in s. */
  costs: Float64Array
}

/** Ends a run that cannot end in time although its bonds stay as they are. */
export class Outlook {
  readonly #timeBudget: TimeBudget
  #trial: Trial | undefined

  constructor(timeBudget: TimeBudget) {
    this.#timeBudget = timeBudget
  }

  /**
   * Estimates the rest. If bonds may shrink, as where a circuit undoes itself, only what the rest takes with
   * the fastest shrinking counts. Bonds also change as sites move, and machines differ: the estimate first
   * has to hold for some steps, and counts by the share of it that they took.
   * @throws UnsuitableMethodError with the step reached.
   */
  assertAffordable(chain: TensorChain, at: Position): void {
    const { secondsLeft } = this.#timeBudget
    const available = TOLERANCE * Math.max(secondsLeft, LEAST_SECONDS)
    const costs = costsOf(chain)
    const rest = at.pairs.subarray(at.next)
    if (secondsOf(rest, costs) <= available) {
      this.#trial = undefined
      return
    }
    this.#trial ??= { secondsLeft, from: at.next, costs }
    const share = this.#shareOfEstimate(at, secondsLeft)
    if (share === undefined) return
    const seconds = share * secondsOf(rest, costs, at.mayShrink() ? MAX_SHRINKING : 1)
    this.#trial = undefined
    if (seconds <= available) return
    const reached = `after step ${at.step} of ${at.steps} its bonds have reached ${chain.largestBondDimension}`
    const reason = `is too entangled: ${reached}, and the rest takes more than ${Math.floor(seconds)} s`
    throw new UnsuitableMethodError({ code: 'too_many_qubits', reason })
  }

  /** Time of the steps of the trial divided by their estimate, at most 1; undefined while it lasts. */
  #shareOfEstimate({ pairs, next }: Position, secondsLeft: number): number | undefined {
    if (!this.#trial) return undefined
    const { secondsLeft: before, from, costs } = this.#trial
    const elapsed = before - secondsLeft
    const estimate = secondsOf(pairs.subarray(from, next), costs)
    if (elapsed < Math.max(LEAST_TRIAL_SECONDS, TRIAL_SHARE * before) || estimate === 0) return undefined
    return Math.min(1, elapsed / estimate)
  }
}

function costsOf(chain: TensorChain): Float64Array {
  return Float64Array.from(
    { length: chain.sites },
    (_, site) => SECONDS_PER_CUBE * chain.bondBefore(site) ** 3,
  )
}

/** Time of operators on pairs of sites, if each divides the bond between them by a factor. */
function secondsOf(pairs: Int32Array, costs: Float64Array, shrinking = 1): number {
  const next = shrinking === 1 ? costs : costs.slice()
  let seconds = 0
  for (let at = 0; at < pairs.length; at++) {
    const site = pairs[at] as number
    seconds += next[site] as number
    if (shrinking !== 1) next[site] = (next[site] as number) / shrinking ** 3
  }
  return seconds
}
