import { operatorOf } from '../../../reduction/operator.ts'
import type { StateOp } from '../../../reduction/reduce-circuit.ts'
import { assertKept } from '../refusals.ts'
import type { TensorChain } from '../tensor-chain.ts'
import { Outlook } from './outlook.ts'
import { assertKeepable, mayBeLost, type PlanRun } from './probe.ts'
import { WindowBonds } from './window-bonds.ts'

/** A chain and the next step of its plan. */
interface Walker {
  chain: TensorChain
  step: number
}

/** Executes the steps of a plan on chains, and ends one that cannot complete within the time left. */
export class PlanWalk {
  readonly #run: PlanRun
  #isProbed = false
  #windows: WindowBonds | undefined

  constructor(run: PlanRun) {
    this.#run = run
  }

  /**
   * Executes all steps from that of `walker` on. `onOther` executes those that are not gates.
   * @throws UnsuitableMethodError for a chain whose bonds grow too large, and for one that loses its state or
   *   is going to.
   */
  async run<W extends Walker>(walker: W, onOther?: (walker: W, op: StateOp) => void): Promise<void> {
    const { plan, timeBudget } = this.#run
    const { ops, pairs, starts } = plan
    const outlook = new Outlook(timeBudget)
    for (; walker.step < ops.length; walker.step++) {
      const op = ops[walker.step] as StateOp
      const isGate = op.kind === 'unitary' || op.kind === 'phase'
      const operator = isGate ? operatorOf(op) : undefined
      if (operator) walker.chain.apply(operator)
      else if (!isGate) onOther?.(walker, op)
      assertKept(walker.chain)
      if (!this.#isProbed && mayBeLost(walker.chain, this.#run)) {
        this.#isProbed = true
        await assertKeepable(walker.chain, walker.step + 1, this.#run)
      }
      timeBudget.spend(walker.chain.work)
      if (!timeBudget.isYieldDue) continue
      await timeBudget.yieldIfDue()
      const { step } = walker
      const next = starts[step + 1] ?? pairs.length
      const mayShrink = () => this.#mayShrinkAfter(step)
      outlook.assertAffordable(walker.chain, { step, steps: ops.length, pairs, next, mayShrink })
    }
  }

  #mayShrinkAfter(step: number): boolean {
    const { plan, settings } = this.#run
    this.#windows ??= new WindowBonds(plan.ops, settings)
    return this.#windows.mayShrinkAfter(step)
  }
}
