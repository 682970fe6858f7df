import type { Statevector } from './statevector.ts'

export type Outcome = 0 | 1

/** Qubits whose values are known from measurements, as bit masks. */
export interface Known {
  mask: number
  value: number
}

/** No outcome since the last gate. */
export const NOTHING: Known = { mask: 0, value: 0 }

/** A state that waiting branches may share with the one that is being walked. */
export class KeptState {
  readonly state: Statevector
  /** Number of waiting branches that start from it. */
  waiting = 0

  constructor(state: Statevector) {
    this.state = state
  }
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
  #states = 0

  /** `bytes`: what all states together may take. */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  push(branch: Branch): void {
    if (branch.kept && branch.kept.waiting++ === 0) this.#states++
    this.#branches.push(branch)
  }

  pop(): Branch | undefined {
    const branch = this.#branches.pop()
    if (branch?.kept && --branch.kept.waiting === 0) this.#states--
    return branch
  }

  /**
   * A state equal to `kept` that may be changed: itself when no waiting branch needs it, else a copy. Without room
   * for a copy the branches that need it lose it and compute it again later.
   */
  separate(kept: KeptState): KeptState {
    if (kept.waiting === 0) return kept
    const bytes = kept.state.amplitudes.byteLength
    if ((this.#states + 1) * bytes <= this.#bytes) return new KeptState(kept.state.clone())
    for (const branch of this.#branches) if (branch.kept === kept) branch.kept = undefined
    kept.waiting = 0
    this.#states--
    return kept
  }
}
