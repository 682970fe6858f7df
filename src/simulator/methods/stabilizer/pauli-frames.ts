import { type FastRandom, gapOf } from '../../numeric/fast-random.ts'
import type { Clifford } from './clifford.ts'
import { type PauliNoise, type PauliTerm, pickTerm } from './pauli-noise.ts'
import { rowOperationsOf } from './row-operations.ts'

/**
 * Differences of shots from a reference run, 32 shots per word: a Pauli frame per shot, stored as X and Z of
 * each qubit (Gidney, "Stim: a fast stabilizer circuit simulator", Quantum 5, 497 (2021), section 2.3). A Z
 * on a qubit in
 * |0> changes nothing; drawn at random, it becomes the randomness of later outcomes.
 */
export class PauliFrames {
  readonly #words: number
  /** Rows of bits, one per shot: row 2q is X of qubit q and row 2q + 1 its Z, until gates exchange them. */
  readonly #rows: Uint32Array[]
  readonly #random: FastRandom

  /** Frames of shots of |0…0>. */
  constructor(qubits: number, shots: number, random: FastRandom) {
    const words = Math.ceil(shots / 32)
    const bits = new Uint32Array(2 * qubits * words)
    this.#words = words
    this.#rows = Array.from({ length: 2 * qubits }, (_, row) => bits.subarray(row * words, (row + 1) * words))
    this.#random = random
    for (let qubit = 0; qubit < qubits; qubit++) this.#randomize(this.#row(2 * qubit + 1))
  }

  /**
   * The shots whose outcome of a qubit differs from the reference, as bits. A view, valid until the next
   * call.
   */
  flippedShots(qubit: number): Uint32Array {
    return this.#row(2 * qubit)
  }

  /** Applies a gate: each X and Z becomes its image; signs do not matter. */
  apply({ qubits, images }: Clifford): void {
    const place = (row: number) => 2 * (qubits[row >> 1] as number) + (row & 1)
    for (const { kind, to, from } of rowOperationsOf(images)) {
      const [one, other] = [place(to), place(from)]
      const [target, source] = [this.#row(one), this.#row(other)]
      if (kind === 'exchange') {
        this.#rows[one] = source
        this.#rows[other] = target
      } else
        for (let word = 0; word < target.length; word++) (target[word] as number) ^= source[word] as number
    }
  }

  /** Applies Pauli noise to some qubits; each shot draws its own operator. */
  applyNoise(qubits: readonly number[], { terms, weight: p, factor }: PauliNoise): void {
    if (p <= 0) return
    const shots = 32 * this.#words
    // Noise is rare, so the gaps between affected shots are drawn: they have a geometric distribution.
    for (let shot = gapOf(this.#random, factor); shot < shots; shot += 1 + gapOf(this.#random, factor)) {
      const { x, z } = terms.length === 1 ? (terms[0] as PauliTerm) : pickTerm(terms, this.#random.next() * p)
      for (let place = 0; place < qubits.length; place++) {
        const qubit = qubits[place] as number
        if ((x >> place) & 1) toggle(this.#row(2 * qubit), shot)
        if ((z >> place) & 1) toggle(this.#row(2 * qubit + 1), shot)
      }
    }
  }

  /** Randomizes the phase of a measured qubit. */
  dephase(qubit: number): void {
    this.#randomize(this.#row(2 * qubit + 1))
  }

  /** Resets a qubit to |0>. */
  reset(qubit: number): void {
    this.#row(2 * qubit).fill(0)
    this.#randomize(this.#row(2 * qubit + 1))
  }

  #row(row: number): Uint32Array {
    return this.#rows[row] as Uint32Array
  }

  #randomize(bits: Uint32Array): void {
    for (let word = 0; word < bits.length; word++) bits[word] = this.#random.word()
  }
}

function toggle(bits: Uint32Array, shot: number): void {
  ;(bits[shot >> 5] as number) ^= 1 << (shot & 31)
}
