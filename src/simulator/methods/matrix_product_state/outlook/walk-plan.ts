import { operatorOf } from '../../../reduction/operator.ts'
import type { StateOp } from '../../../reduction/reduce-circuit.ts'
import type { TimeBudget } from '../../../timing/time-budget.ts'
import type { ChainPlan } from '../plan-chain.ts'
import { assertKept } from '../refusals.ts'
import type { ChainSettings, TensorChain } from '../tensor-chain.ts'
import { Outlook } from './outlook.ts'
import { assertKeepable, mayBeLost, type TruncatedRun } from './probe.ts'
import { WindowBonds } from './window-bonds.ts'

/** A chain and the next step of its plan. */
interface Walker {
  chain: TensorChain
  step: number
}

/** Executes the steps of a plan on chains, and ends one that cannot complete within the time left. */
export class PlanWalk {
  readonly #plan: ChainPlan
  readonly #settings: ChainSettings
  readonly #timeBudget: TimeBudget
  readonly #truncated: TruncatedRun
  #isProbed = false
  #windows: WindowBonds | undefined

  constructor(plan: ChainPlan, settings: ChainSettings, timeBudget: TimeBudget) {
    this.#plan = plan
    this.#settings = settings
    this.#timeBudget = timeBudget
    this.#truncated = { plan, truncation: settings.truncation, timeBudget }
  }

  /**
   * Executes all steps from that of `walker` on. `onOther` executes those that are not gates.
   * @throws UnsuitableMethodError for a chain whose bonds grow too large, and for one that loses its state or
   *   is going to.
   */
  async run<W extends Walker>(walker: W, onOther?: (walker: W, op: StateOp) => void): Promise<void> {
    const { ops, pairs, starts } = this.#plan
    const outlook = new Outlook(this.#timeBudget)
    for (; walker.step < ops.length; walker.step++) {
      const op = ops[walker.step] as StateOp
      const isGate = op.kind === 'unitary' || op.kind === 'phase'
      const operator = isGate ? operatorOf(op) : undefined
      if (operator) walker.chain.apply(operator)
      else if (!isGate) onOther?.(walker, op)
      assertKept(walker.chain)
      if (!this.#isProbed && mayBeLost(walker.chain, this.#truncated)) {
        this.#isProbed = true
        await assertKeepable(walker.chain, walker.step + 1, this.#truncated)
      }
      this.#timeBudget.spend(walker.chain.work)
      if (!this.#timeBudget.isYieldDue) continue
      await this.#timeBudget.yieldIfDue()
      const { step } = walker
      const next = starts[step + 1] ?? pairs.length
      const mayShrink = () => this.#mayShrinkAfter(step)
      outlook.assertAffordable(walker.chain, { step, steps: ops.length, pairs, next, mayShrink })
    }
  }

  #mayShrinkAfter(step: number): boolean {
    this.#windows ??= new WindowBonds(this.#plan.ops, this.#settings)
    return this.#windows.mayShrinkAfter(step)
  }
}
