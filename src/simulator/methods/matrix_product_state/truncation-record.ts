import { assertKept } from './refusals.ts'
import type { TensorChain } from './tensor-chain.ts'

/** Largest discarded weight and bond dimension of all states of a workload. */
export class TruncationRecord {
  discarded = 0
  largestBondDimension = 1

  /**
   * Includes a state at the end of its circuit.
   * @throws UnsuitableMethodError for one that its last step has made another state.
   */
  add(chain: TensorChain): void {
    assertKept(chain)
    this.discarded = Math.max(this.discarded, chain.discarded)
    this.largestBondDimension = Math.max(this.largestBondDimension, chain.largestBondDimension)
  }
}
