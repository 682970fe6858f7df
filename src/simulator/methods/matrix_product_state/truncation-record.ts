import type { TensorChain } from './tensor-chain.ts'

/** Largest loss and bond of all states of a workload. */
export class TruncationRecord {
  discarded = 0
  largestBondDimension = 1

  /** Takes account of a state at its end. */
  add(chain: TensorChain): void {
    this.discarded = Math.max(this.discarded, chain.discarded)
    this.largestBondDimension = Math.max(this.largestBondDimension, chain.largestBondDimension)
  }
}
