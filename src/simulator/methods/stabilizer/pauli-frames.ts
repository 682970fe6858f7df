import type { Rng } from '../../numeric/random.ts'
import type { Clifford, Pauli } from './clifford.ts'
import { type PauliTerm, pickTerm } from './pauli-noise.ts'

/**
 * Differences of shots from a reference run, 32 shots per word: a Pauli frame per shot, stored as X and Z of
 * each qubit (Gidney, "Stim: a fast stabilizer circuit simulator", Quantum 5, 497 (2021), section 2.3). A Z
 * on a qubit in
 * |0> changes nothing; drawn at random, it becomes the randomness of later outcomes.
 */
export class PauliFrames {
  readonly #words: number
  /** Per qubit, the bits of X and then those of Z, one per shot. */
  readonly #bits: Uint32Array
  readonly #rng: Rng
  /** Bits of a gate's qubits before the gate. */
  readonly #before: Uint32Array

  /** Frames of shots of |0…0>; random numbers are taken from the current position of `rng`. */
  constructor(qubits: number, shots: number, rng: Rng) {
    this.#words = Math.ceil(shots / 32)
    this.#bits = new Uint32Array(2 * qubits * this.#words)
    this.#before = new Uint32Array(4 * this.#words)
    this.#rng = rng
    for (let qubit = 0; qubit < qubits; qubit++) this.#randomize(this.#z(qubit))
  }

  /**
   * The shots whose outcome of a qubit differs from the reference, as bits. A view, valid until the next
   * call.
   */
  flippedShots(qubit: number): Uint32Array {
    return this.#x(qubit)
  }

  /** Applies a gate: each X and Z becomes its image; signs do not matter. */
  apply({ qubits, images }: Clifford): void {
    const words = this.#words
    for (const [place, qubit] of qubits.entries()) {
      this.#before.set(this.#x(qubit), 2 * place * words)
      this.#before.set(this.#z(qubit), (2 * place + 1) * words)
    }
    for (const [place, qubit] of qubits.entries()) {
      this.#combine(this.#x(qubit), images, ({ x }) => (x >> place) & 1)
      this.#combine(this.#z(qubit), images, ({ z }) => (z >> place) & 1)
    }
  }

  /** Applies Pauli noise to some qubits; each shot draws its own operator. */
  applyNoise(qubits: readonly number[], terms: readonly PauliTerm[]): void {
    const some = terms.filter(({ x, z }) => x !== 0 || z !== 0)
    const p = some.reduce((sum, { weight }) => sum + weight, 0)
    // Noise is rare, so the gaps between affected shots are drawn: they have a geometric distribution.
    const gap = () => (p < 1 ? Math.floor(Math.log(1 - this.#rng.next()) / Math.log(1 - p)) : 0)
    if (p <= 0) return
    for (let shot = gap(); shot < 32 * this.#words; shot += 1 + gap()) {
      const { x, z } = pickTerm(some, this.#rng.next() * p)
      for (const [place, qubit] of qubits.entries()) {
        if ((x >> place) & 1) this.#toggle(this.#x(qubit), shot)
        if ((z >> place) & 1) this.#toggle(this.#z(qubit), shot)
      }
    }
  }

  /** Randomizes the phase of a measured qubit. */
  dephase(qubit: number): void {
    const bits = this.#z(qubit)
    for (let word = 0; word < bits.length; word++) (bits[word] as number) ^= this.#draw()
  }

  /** Resets a qubit to |0>. */
  reset(qubit: number): void {
    this.#x(qubit).fill(0)
    this.#randomize(this.#z(qubit))
  }

  #combine(into: Uint32Array, images: readonly Pauli[], has: (image: Pauli) => number): void {
    into.fill(0)
    for (const [index, image] of images.entries()) {
      if (has(image) === 0) continue
      const from = index * this.#words
      for (let word = 0; word < into.length; word++) {
        ;(into[word] as number) ^= this.#before[from + word] as number
      }
    }
  }

  #x(qubit: number): Uint32Array {
    return this.#bits.subarray(2 * qubit * this.#words, (2 * qubit + 1) * this.#words)
  }

  #z(qubit: number): Uint32Array {
    return this.#bits.subarray((2 * qubit + 1) * this.#words, (2 * qubit + 2) * this.#words)
  }

  #randomize(bits: Uint32Array): void {
    for (let word = 0; word < bits.length; word++) bits[word] = this.#draw()
  }

  #toggle(bits: Uint32Array, shot: number): void {
    ;(bits[shot >> 5] as number) ^= 1 << (shot & 31)
  }

  /** 32 random bits. */
  #draw(): number {
    return Math.floor(this.#rng.next() * 2 ** 32)
  }
}
