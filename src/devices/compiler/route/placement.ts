/** Where the qubits of a circuit are on the chip; changes as states are exchanged. */
export class Placement {
  /** Physical qubit by qubit of the circuit; -1 for a qubit that the circuit does not use. */
  readonly physical: Int32Array
  /** Qubit of the circuit by physical qubit; -1 for none. */
  readonly #logical: Int32Array

  /** @param physical physical qubit by qubit of the circuit, -1 for none; copied. */
  constructor(physical: ArrayLike<number>, qubits: number) {
    this.physical = Int32Array.from(physical)
    this.#logical = new Int32Array(qubits).fill(-1)
    for (const [logical, at] of this.physical.entries()) if (at >= 0) this.#logical[at] = logical
  }

  at(logical: number): number {
    return this.physical[logical] ?? -1
  }

  /** Exchanges what is on two physical qubits. */
  swap(one: number, other: number): void {
    const first = this.#logical[one] ?? -1
    const second = this.#logical[other] ?? -1
    this.#logical[one] = second
    this.#logical[other] = first
    if (first >= 0) this.physical[first] = other
    if (second >= 0) this.physical[second] = one
  }
}
