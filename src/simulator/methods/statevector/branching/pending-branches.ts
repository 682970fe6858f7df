import type { AmplitudeArray } from '../../../kernel/layout.ts'
import type { QubitPlaces } from '../../../reduction/qubit-places.ts'
import type { Statevector } from '../state/statevector.ts'

export type Outcome = 0 | 1

/** Qubits whose values are known from measurements, as bit masks. */
export interface KnownBits {
  mask: number
  value: number
}

/** No outcomes since the last gate. */
export const NO_OUTCOMES: KnownBits = { mask: 0, value: 0 }

/** A state from which pending branches start. */
export class SharedState {
  /** A copy, made before the state changes; until then the engine's memory contains the state. */
  copy: AmplitudeArray | undefined
  /** Number of pending branches that start from it. */
  waitingBranches = 0
}

/** Shots with equal outcomes so far. */
export interface Branch {
  shots: Uint32Array
  /** Outcomes so far, in order; includes resets, readout errors and choices of channels. */
  history: readonly Outcome[]
  /** Qubits measured since the last gate: the state is not projected yet. */
  known: KnownBits
  /** Basis state of each shot, drawn since the last gate. */
  indices: Uint32Array | undefined
  /** Number of times that basis states were drawn. */
  samplings: number
  /** Places of the qubits in the state; absent at the start. */
  places: QubitPlaces | undefined
  /** The state after the last gate; absent at the start and when it has to be recomputed. */
  sharedState: SharedState | undefined
}

/** Branches still to be walked, last in first out. */
export class PendingBranches {
  readonly #branches: Branch[] = []
  readonly #bytes: number
  #copied = 0

  /** `bytes` limits the memory of all copies of states together. */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  push(branch: Branch): void {
    if (branch.sharedState) branch.sharedState.waitingBranches++
    this.#branches.push(branch)
  }

  pop(): Branch | undefined {
    const branch = this.#branches.pop()
    if (branch?.sharedState && --branch.sharedState.waitingBranches === 0)
      this.#copied -= branch.sharedState.copy?.byteLength ?? 0
    return branch
  }

  /**
   * To be called before the engine's `state`, which `shared` stands for, changes. Pending branches get a
   * copy; without memory for it they lose the state and recompute it later.
   */
  detach(shared: SharedState, state: Statevector): SharedState {
    if (shared.waitingBranches === 0 || shared.copy) return new SharedState()
    if (this.#copied + state.bytes <= this.#bytes) {
      shared.copy = state.copy()
      this.#copied += state.bytes
    } else {
      for (const branch of this.#branches) if (branch.sharedState === shared) branch.sharedState = undefined
      shared.waitingBranches = 0
    }
    return new SharedState()
  }
}
