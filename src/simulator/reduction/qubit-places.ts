/**
 * The places of qubits in a state. A qubit gets the next free place when a program first changes it, so that
 * qubits which a program only declares or measures take none.
 */
export class QubitPlaces {
  readonly #places = new Map<number, number>()
  readonly #assertUsable: ((qubit: number) => void) | undefined

  /** The first places are those of `qubits`. `assertUsable` throws for a qubit that may not be used. */
  constructor(qubits: readonly number[] = [], assertUsable?: (qubit: number) => void) {
    for (const [place, qubit] of qubits.entries()) this.#places.set(qubit, place)
    this.#assertUsable = assertUsable
  }

  /** The same places, to which others are added apart. */
  clone(): QubitPlaces {
    return new QubitPlaces([...this.#places.keys()], this.#assertUsable)
  }

  /** Number of qubits with a place. */
  get size(): number {
    return this.#places.size
  }

  /** The place of a qubit; undefined for one that is still |0>. */
  find(qubit: number): number | undefined {
    return this.#places.get(qubit)
  }

  /** The place of a qubit that a step changes. */
  take(qubit: number): number {
    const known = this.#places.get(qubit)
    if (known !== undefined) return known
    this.#assertUsable?.(qubit)
    const place = this.#places.size
    this.#places.set(qubit, place)
    return place
  }
}
