import { LAYOUT } from '../../../kernel/layout.ts'
import type { Statevector } from '../state/statevector.ts'

export type Outcome = 0 | 1

/** Qubits whose values are known from measurements, as bit masks. */
export interface Known {
  mask: number
  value: number
}

/** No outcome since the last gate. */
export const NOTHING: Known = { mask: 0, value: 0 }

/** A state that waiting branches start from. */
export class KeptState {
  /** A copy, made when the state itself changes; until then it is the one that was worked on last. */
  copy: Float64Array | undefined
  /** Number of waiting branches that start from it. */
  waiting = 0
}

/** Shots that have had the same outcomes so far. */
export interface Branch {
  shots: Uint32Array
  /** Outcomes so far, in the order they came about; resets and misread bits count. */
  history: readonly Outcome[]
  /** What `history` says about the qubits since the last gate: the state is not projected yet. */
  known: Known
  /** Basis state of each shot, drawn since the last gate. */
  indices: Uint32Array | undefined
  /** How often basis states were drawn. */
  samplings: number
  /** The state after the last gate; absent at the start and when it has to be computed again. */
  kept: KeptState | undefined
}

/** Branches still to be walked, the last first. */
export class Pending {
  readonly #branches: Branch[] = []
  readonly #bytes: number
  #copies = 0

  /** `bytes`: what all copies of states together may take. */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  push(branch: Branch): void {
    if (branch.kept) branch.kept.waiting++
    this.#branches.push(branch)
  }

  pop(): Branch | undefined {
    const branch = this.#branches.pop()
    if (branch?.kept && --branch.kept.waiting === 0 && branch.kept.copy) this.#copies--
    return branch
  }

  /**
   * Called before `state`, which is what `kept` stands for, changes. Waiting branches get a copy; without room for it
   * they lose the state and compute it again later.
   */
  separate(kept: KeptState, state: Statevector): KeptState {
    if (kept.waiting === 0 || kept.copy) return new KeptState()
    if ((this.#copies + 1) * LAYOUT.amplitudeBytes * 2 ** state.qubits <= this.#bytes) {
      kept.copy = state.amplitudes.slice()
      this.#copies++
    } else {
      for (const branch of this.#branches) if (branch.kept === kept) branch.kept = undefined
      kept.waiting = 0
    }
    return new KeptState()
  }
}
