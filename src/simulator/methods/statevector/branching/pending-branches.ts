import { LAYOUT } from '../../../kernel/layout.ts'
import type { Statevector } from '../state/statevector.ts'

export type Outcome = 0 | 1

/** Qubits whose values are known from measurements, as bit masks. */
export interface KnownBits {
  mask: number
  value: number
}

/** No outcome since the last gate. */
export const NO_OUTCOMES: KnownBits = { mask: 0, value: 0 }

/** A state that waiting branches start from. */
export class SharedState {
  /** A copy, made when the state itself changes; until then it is the one that was worked on last. */
  copy: Float64Array | undefined
  /** Number of waiting branches that start from it. */
  waitingBranches = 0
}

/** Shots that have had the same outcomes so far. */
export interface Branch {
  shots: Uint32Array
  /** Outcomes so far, in the order they came about; resets and misread bits count. */
  history: readonly Outcome[]
  /** What `history` says about the qubits since the last gate: the state is not projected yet. */
  known: KnownBits
  /** Basis state of each shot, drawn since the last gate. */
  indices: Uint32Array | undefined
  /** How often basis states were drawn. */
  samplings: number
  /** The state after the last gate; absent at the start and when it has to be computed again. */
  sharedState: SharedState | undefined
}

/** Branches still to be walked, the last first. */
export class PendingBranches {
  readonly #branches: Branch[] = []
  readonly #bytes: number
  #copies = 0

  /** `bytes`: what all copies of states together may take. */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  push(branch: Branch): void {
    if (branch.sharedState) branch.sharedState.waitingBranches++
    this.#branches.push(branch)
  }

  pop(): Branch | undefined {
    const branch = this.#branches.pop()
    if (branch?.sharedState && --branch.sharedState.waitingBranches === 0 && branch.sharedState.copy)
      this.#copies--
    return branch
  }

  /**
   * Called before `state`, which is what `kept` stands for, changes. Waiting branches get a copy; without room for it
   * they lose the state and compute it again later.
   */
  shared(kept: SharedState, state: Statevector): SharedState {
    if (kept.waitingBranches === 0 || kept.copy) return new SharedState()
    if ((this.#copies + 1) * LAYOUT.amplitudeBytes * 2 ** state.qubits <= this.#bytes) {
      kept.copy = state.amplitudes.slice()
      this.#copies++
    } else {
      for (const branch of this.#branches) if (branch.sharedState === kept) branch.sharedState = undefined
      kept.waitingBranches = 0
    }
    return new SharedState()
  }
}
