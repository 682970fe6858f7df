import type { Refusal } from '../../define-method.ts'
import { type Clifford, isOdd, type Pauli } from './clifford.ts'

/** With this number of qubits, a tableau takes 50 MB. */
const MAX_QUBITS = 5_000

/** Refuses a tableau of too many qubits. */
export function refuseSize(qubits: number): Refusal | undefined {
  if (qubits <= MAX_QUBITS) return undefined
  return { code: 'too_many_qubits', reason: `needs ${qubits} qubits, at most ${MAX_QUBITS} fit` }
}

/**
 * The state U|0…0> of a Clifford circuit U, stored as U† X_q U and U† Z_q U for each qubit q: Gidney, "Stim:
 * a fast stabilizer circuit simulator", Quantum 5, 497 (2021). The outcome of Z_q is certain exactly when its
 * image contains no X; then its sign is the outcome. Gates multiply a few rows; only a random outcome touches
 * all of them.
 */
export class Tableau {
  readonly qubits: number
  /** Words of 32 qubits. */
  readonly #words: number
  /**
   * Row 2q is the image of X_q, row 2q + 1 that of Z_q; of each, the words of its x and then those of its z.
   */
  readonly #rows: Uint32Array
  /** Exponents of i. */
  readonly #exponents: Uint8Array
  /** Rows under construction while a gate replaces several that depend on one another. */
  #drafts = new Uint32Array(0)

  /** The state |0…0>. */
  constructor(qubits: number) {
    this.qubits = qubits
    this.#words = Math.ceil(qubits / 32)
    this.#rows = new Uint32Array(2 * qubits * 2 * this.#words)
    this.#exponents = new Uint8Array(2 * qubits)
    for (let qubit = 0; qubit < qubits; qubit++) {
      const bit = 1 << (qubit % 32)
      this.#rows[this.#x(2 * qubit) + (qubit >> 5)] = bit
      this.#rows[this.#z(2 * qubit + 1) + (qubit >> 5)] = bit
    }
  }

  /** The same state with more qubits, in |0>, above the others. */
  grown(qubits: number): Tableau {
    const larger = new Tableau(qubits)
    for (let row = 0; row < 2 * this.qubits; row++) {
      const [x, z] = [this.#x(row), this.#z(row)]
      larger.#rows.set(this.#rows.subarray(x, x + this.#words), larger.#x(row))
      larger.#rows.set(this.#rows.subarray(z, z + this.#words), larger.#z(row))
    }
    larger.#exponents.set(this.#exponents)
    return larger
  }

  /** Applies a gate: the image of P becomes that of G† P G, a product of the rows of the gate's qubits. */
  apply({ qubits, inverseImages }: Clifford): void {
    const length = 2 * this.#words
    if (this.#drafts.length < inverseImages.length * length)
      this.#drafts = new Uint32Array(inverseImages.length * length)
    this.#drafts.fill(0)
    const exponents = inverseImages.map((image, index) => this.#multiply(image, qubits, index * length))
    for (const [index, exponent] of exponents.entries()) {
      const row = 2 * (qubits[index >> 1] ?? 0) + (index & 1)
      this.#rows.set(this.#drafts.subarray(index * length, (index + 1) * length), this.#x(row))
      this.#exponents[row] = exponent
    }
  }

  /** Whether a measurement of the qubit has a random outcome. */
  isRandom(qubit: number): boolean {
    return this.#pivot(qubit) >= 0
  }

  /** Measures a qubit. `draw` returns the outcome where both are possible. */
  measure(qubit: number, draw: () => 0 | 1): 0 | 1 {
    const pivot = this.#pivot(qubit)
    if (pivot >= 0) this.#collapse(2 * qubit + 1, pivot, draw())
    return this.#exponents[2 * qubit + 1] === 0 ? 0 : 1
  }

  /** Applies X to a qubit, which changes the sign of its Z. */
  flip(qubit: number): void {
    this.#add(2 * qubit + 1, 2)
  }

  /** Applies Z to a qubit, which changes the sign of its X. */
  flipPhase(qubit: number): void {
    this.#add(2 * qubit, 2)
  }

  #x(row: number): number {
    return row * 2 * this.#words
  }

  #z(row: number): number {
    return row * 2 * this.#words + this.#words
  }

  /** Builds the product of rows for a Pauli on the gate's qubits; returns its exponent. */
  #multiply({ x, z, e }: Pauli, qubits: readonly number[], draft: number): number {
    let exponent = e
    for (const [place, qubit] of qubits.entries()) {
      if ((x >> place) & 1) exponent += this.#factor(2 * qubit, draft)
    }
    for (const [place, qubit] of qubits.entries()) {
      if ((z >> place) & 1) exponent += this.#factor(2 * qubit + 1, draft)
    }
    return exponent % 4
  }

  /** Multiplies a row into the draft from the right: each Z that an X passes changes the sign. */
  #factor(row: number, draft: number): number {
    const words = this.#words
    const from = this.#x(row)
    const rows = this.#rows
    const drafts = this.#drafts
    let passed = 0
    for (let word = 0; word < words; word++) {
      const x = rows[from + word] as number
      passed ^= (drafts[draft + words + word] as number) & x
      ;(drafts[draft + word] as number) ^= x
      ;(drafts[draft + words + word] as number) ^= rows[from + words + word] as number
    }
    return (this.#exponents[row] as number) + (isOdd(passed) ? 2 : 0)
  }

  /** The lowest X in the image of Z of a qubit, or -1. */
  #pivot(qubit: number): number {
    const from = this.#x(2 * qubit + 1)
    for (let word = 0; word < this.#words; word++) {
      const bits = this.#rows[from + word] as number
      if (bits !== 0) return 32 * word + 31 - Math.clz32(bits & -bits)
    }
    return -1
  }

  /**
   * Makes an outcome certain. The measured image Q acts on |0…0> as X on its qubits, up to a phase.
   * Controlled X from the pivot reduce it to one X, an S† converts a Y to an X if necessary, and a Hadamard
   * converts the X to Z. All but the last preserve |0…0>, which thus becomes the eigenstate of Q. Each is a
   * change of columns in all rows.
   */
  #collapse(row: number, pivot: number, outcome: 0 | 1): void {
    const words = this.#words
    const others = this.#rows.slice(this.#x(row), this.#x(row) + words)
    const [at, bit] = [pivot >> 5, 1 << (pivot & 31)]
    ;(others[at] as number) &= ~bit
    for (let each = 0; each < 2 * this.qubits; each++) this.#spread(each, others, at, bit)
    const isY = ((this.#rows[this.#z(row) + at] as number) & bit) !== 0
    for (let each = 0; each < 2 * this.qubits; each++) this.#turn(each, at, bit, isY)
    if ((this.#exponents[row] === 0 ? 0 : 1) === outcome) return
    for (let each = 0; each < 2 * this.qubits; each++) {
      if (((this.#rows[this.#z(each) + at] as number) & bit) !== 0) this.#add(each, 2)
    }
  }

  /** Conjugates a row by controlled X from one column to others. */
  #spread(row: number, others: Uint32Array, at: number, bit: number): void {
    const rows = this.#rows
    const [x, z] = [this.#x(row), this.#z(row)]
    const isSet = ((rows[x + at] as number) & bit) !== 0
    let folded = 0
    for (let word = 0; word < others.length; word++) {
      const mask = others[word] as number
      folded ^= (rows[z + word] as number) & mask
      if (isSet) (rows[x + word] as number) ^= mask
    }
    if (isOdd(folded)) (rows[z + at] as number) ^= bit
  }

  /** Conjugates a row by S† if `isY`, X → -Y = -i X Z, and then by a Hadamard, on one column. */
  #turn(row: number, at: number, bit: number, isY: boolean): void {
    const rows = this.#rows
    const [x, z] = [this.#x(row) + at, this.#z(row) + at]
    const hasX = ((rows[x] as number) & bit) !== 0
    let hasZ = ((rows[z] as number) & bit) !== 0
    if (isY && hasX) {
      this.#add(row, 3)
      hasZ = !hasZ
    }
    if (hasX && hasZ) this.#add(row, 2)
    rows[x] = hasZ ? (rows[x] as number) | bit : (rows[x] as number) & ~bit
    rows[z] = hasX ? (rows[z] as number) | bit : (rows[z] as number) & ~bit
  }

  #add(row: number, exponent: number): void {
    this.#exponents[row] = ((this.#exponents[row] as number) + exponent) % 4
  }
}
