import type { Arity } from '../gates/native-gate.ts'

/**
 * A sequence of plain gate calls stored as numbers, so that a file of a million calls does not become a
 * million objects. `words` holds per call: index into `gates`, text offset, then (index into `registers`,
 * qubit) per operand. Register index -1 means a hardware qubit. `numbers` holds the parameters of all calls
 * in order.
 */
export class PackedCalls {
  readonly gates: { name: string; arity: Arity }[] = []
  readonly registers: string[] = []
  readonly words: number[] = []
  readonly numbers: number[] = []
  count = 0
  readonly #gateIndex = new Map<string, number>()
  readonly #registerIndex = new Map<string, number>()

  /** Index of a gate in `gates`. */
  indexOfGate(name: string, arity: Arity): number {
    const known = this.#gateIndex.get(name)
    if (known !== undefined) return known
    this.#gateIndex.set(name, this.gates.length)
    return this.gates.push({ name, arity }) - 1
  }

  /** Index of a register in `registers`. */
  indexOfRegister(name: string): number {
    const known = this.#registerIndex.get(name)
    if (known !== undefined) return known
    this.#registerIndex.set(name, this.registers.length)
    return this.registers.push(name) - 1
  }

  /**
   * Visits the calls in order with the index of the gate, the text offset, and the positions of operands and
   * parameters.
   */
  visit(visitor: (gate: number, at: number, operand: number, number: number) => void): void {
    let number = 0
    for (let at = 0; at < this.words.length; ) {
      const index = this.words[at] ?? 0
      const gate = this.gates[index]
      if (gate === undefined) return
      visitor(index, this.words[at + 1] ?? 0, at + 2, number)
      at += 2 + 2 * gate.arity.qubits
      number += gate.arity.parameters
    }
  }

  /** Index of the register of the operand at this place in `words`. */
  registerAt(place: number): number {
    return this.words[place] ?? 0
  }

  /** Number of the qubit in its register of the operand at this place in `words`. */
  qubitAt(place: number): number {
    return this.words[place + 1] ?? 0
  }
}
