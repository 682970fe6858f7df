import { UnsuitableMethodError } from '../../errors.ts'
import type { TimeBudget } from '../../timing/time-budget.ts'
import type { TensorChain } from './tensor-chain.ts'

/**
 * Time of an operator on two sites, in s by the third power of the bond between them: measured 2e-8 to 5e-8.
 */
const SECONDS_PER_CUBE = 2e-8

/** Factor by which the rest may exceed the time left: bonds of circuits that undo themselves shrink. */
const TOLERANCE = 3
/** With less time left, the time limit ends the run anyway. */
const LEAST_SECONDS = 1

/**
 * Ends a run that cannot end in time although its bonds stay as they are: a state that needs larger ones
 * takes longer still. `pairs` are the sites behind the bonds on which the remaining steps act.
 * @throws UnsuitableMethodError with the step reached.
 */
export function assertAffordable(
  chain: TensorChain,
  pairs: Int32Array,
  { step, steps }: { step: number; steps: number },
  timeBudget: TimeBudget,
): void {
  const seconds = Float64Array.from(
    { length: chain.sites },
    (_, site) => SECONDS_PER_CUBE * chain.bondBefore(site) ** 3,
  )
  let rest = 0
  for (let at = 0; at < pairs.length; at++) rest += seconds[pairs[at] as number] as number
  if (rest <= TOLERANCE * Math.max(timeBudget.secondsLeft, LEAST_SECONDS)) return
  const at = `after step ${step} of ${steps} its bonds have reached ${chain.largestBondDimension}`
  const reason = `is too entangled: ${at}, and the rest takes more than ${Math.floor(rest)} s`
  throw new UnsuitableMethodError({ code: 'too_many_qubits', reason })
}
