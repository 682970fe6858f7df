import { UnsuitableMethodError } from '../../../errors.ts'
import { operatorOf } from '../../../reduction/operator.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'
import type { ChainPlan } from '../plan-chain.ts'
import type { ChainSettings, TensorChain } from '../tensor-chain.ts'

/** Bonds of the two copies of a chain that run ahead: `explanation/simulation.md` has the rule. */
const [NARROW, WIDE] = [8, 16] as const
/** Pairs of sites on which the copies act at most: tenths of a second. */
const MAX_PAIRS = 2_000
/** Logarithm of the weight kept below which a chain is refused: a third, where a run ends at a half. */
const LOST = -1
/**
 * By how much more each doubling of the bond reduces the loss than the one between the copies does. Of deep
 * circuits the ratio hardly changes with the bond, of shallow ones it grows.
 */
const SAFETY = 2

/** A plan, and the chains and the time with which it runs. */
export interface PlanRun {
  plan: ChainPlan
  settings: ChainSettings
  timeBudget: TimeBudget
}

/** Whether the state of a chain may be lost: its bonds do grow, and an exact one may need larger bonds. */
export function mayBeLost({ largestBondDimension }: TensorChain, { plan, settings }: PlanRun): boolean {
  const { maxBondDimension } = settings.truncation
  return largestBondDimension > WIDE && maxBondDimension > WIDE && plan.largestBond > maxBondDimension
}

/**
 * Runs two copies of a chain with small bonds ahead, from step `from` on to the next that is not a gate, and
 * refuses the circuit when their losses mean that the bonds of the run lose more than half of the state too.
 * @throws UnsuitableMethodError with the step at which that is certain.
 */
export async function assertKeepable(
  chain: TensorChain,
  from: number,
  { plan: { ops, pairs, starts }, settings: { truncation }, timeBudget }: PlanRun,
): Promise<void> {
  const narrow = chain.clone({ ...truncation, maxBondDimension: NARROW })
  const wide = chain.clone({ ...truncation, maxBondDimension: WIDE })
  const end = (starts[from] ?? pairs.length) + MAX_PAIRS
  for (let step = from; step < ops.length && (starts[step] as number) < end; step++) {
    const op = ops[step]
    if (op?.kind !== 'unitary' && op?.kind !== 'phase') return
    const operator = operatorOf(op)
    if (!operator) continue
    for (const copy of [narrow, wide]) {
      copy.apply(operator)
      timeBudget.spend(copy.work)
    }
    const { maxBondDimension } = truncation
    if (forecast(narrow.logKept, wide.logKept, maxBondDimension) < LOST) {
      const kept = Math.exp(wide.logKept).toPrecision(1)
      const seen = `after step ${step + 1} of ${ops.length} bonds of ${WIDE} keep ${kept} of its state`
      const reason = `is too entangled: ${seen}, and bonds of ${maxBondDimension} lose more than half of it`
      throw new UnsuitableMethodError({ code: 'too_many_qubits', reason })
    }
    await timeBudget.yieldIfDue()
  }
}

/** The logarithm of the weight that bonds keep, at most, by those that the copies keep. */
function forecast(narrow: number, wide: number, bond: number): number {
  if (wide > LOST) return 0
  const ratio = 1 + SAFETY * Math.max(0, narrow / wide - 1)
  return wide / ratio ** Math.log2(bond / WIDE)
}
