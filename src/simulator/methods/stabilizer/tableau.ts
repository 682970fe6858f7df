import { type Refusal, refuseQubits } from '../../define-method.ts'
import { type Clifford, isOdd, type Pauli } from './clifford.ts'

/** With this number of qubits, a tableau takes 50 MB. */
const MAX_QUBITS = 5_000

/** Refuses a tableau of too many qubits. */
export function refuseSize(qubits: number): Refusal | undefined {
  return refuseQubits(qubits, MAX_QUBITS)
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
   * Row 2q is the image of X_q, row 2q + 1 that of Z_q; of each, the words of its x, of its z, and of the
   * open outcomes on which its sign depends (Fang and Ying, "Symbolic execution for quantum error correction
   * programs", Proc. ACM Program. Lang. 8, 189, 2024).
   */
  #rows: Uint32Array
  /** Exponents of i, for open outcomes that are all 0. */
  readonly #exponents: Uint8Array
  /** Words of open outcomes in each row. */
  #signWords = 0
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
    larger.#reserve(32 * this.#signWords)
    for (let row = 0; row < 2 * this.qubits; row++) {
      const [x, z, sign] = [this.#x(row), this.#z(row), this.#sign(row)]
      larger.#rows.set(this.#rows.subarray(x, x + this.#words), larger.#x(row))
      larger.#rows.set(this.#rows.subarray(z, z + this.#words), larger.#z(row))
      larger.#rows.set(this.#rows.subarray(sign, sign + this.#signWords), larger.#sign(row))
    }
    larger.#exponents.set(this.#exponents)
    return larger
  }

  /** An independent copy. */
  clone(): Tableau {
    return this.grown(this.qubits)
  }

  /** Applies a gate: the image of P becomes that of G† P G, a product of the rows of the gate's qubits. */
  apply({ qubits, inverseImages }: Clifford): void {
    const length = this.#length
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

  /**
   * Measures a qubit whose outcome is random and leaves it open: number `outcome` of the open outcomes, which
   * has to be new.
   */
  measureOpen(qubit: number, outcome: number): void {
    this.#reserve(outcome + 1)
    const row = 2 * qubit + 1
    const [at, bit] = this.#align(row, this.#pivot(qubit))
    // The sign becomes the open outcome: all rows with Z there change by the difference.
    const change = this.#rows.slice(this.#sign(row), this.#sign(row) + this.#signWords)
    ;(change[outcome >> 5] as number) ^= 1 << (outcome & 31)
    const exponent = this.#exponents[row] as number
    for (let each = 0; each < 2 * this.qubits; each++) {
      if (((this.#rows[this.#z(each) + at] as number) & bit) === 0) continue
      this.#add(each, exponent)
      const sign = this.#sign(each)
      for (const [word, bits] of change.entries()) (this.#rows[sign + word] as number) ^= bits
    }
  }

  /** The outcome of a qubit that is not random: its value, with all open outcomes that invert it. */
  outcomeOf(qubit: number): { value: 0 | 1; inverters: number[] } {
    const inverters: number[] = []
    const from = this.#sign(2 * qubit + 1)
    for (let word = 0; word < this.#signWords; word++) {
      let bits = this.#rows[from + word] as number
      for (; bits !== 0; bits &= bits - 1) inverters.push(32 * word + 31 - Math.clz32(bits & -bits))
    }
    return { value: this.#exponents[2 * qubit + 1] === 0 ? 0 : 1, inverters }
  }

  /** Applies X to a qubit, Z if `isPhase`, where an open outcome is 1. */
  flipIf(outcome: number, qubit: number, isPhase: boolean): void {
    this.#reserve(outcome + 1)
    const row = 2 * qubit + (isPhase ? 0 : 1)
    ;(this.#rows[this.#sign(row) + (outcome >> 5)] as number) ^= 1 << (outcome & 31)
  }

  /** Makes a qubit whose outcome is not random |0>. */
  clear(qubit: number): void {
    const row = 2 * qubit + 1
    this.#exponents[row] = 0
    this.#rows.fill(0, this.#sign(row), this.#sign(row) + this.#signWords)
  }

  /** Applies X to a qubit, which changes the sign of its Z. */
  flip(qubit: number): void {
    this.#add(2 * qubit + 1, 2)
  }

  /** Applies Z to a qubit, which changes the sign of its X. */
  flipPhase(qubit: number): void {
    this.#add(2 * qubit, 2)
  }

  /** Words of a row. */
  get #length(): number {
    return 2 * this.#words + this.#signWords
  }

  #x(row: number): number {
    return row * this.#length
  }

  #z(row: number): number {
    return row * this.#length + this.#words
  }

  #sign(row: number): number {
    return row * this.#length + 2 * this.#words
  }

  /** Makes room for a number of open outcomes. */
  #reserve(outcomes: number): void {
    if (outcomes <= 32 * this.#signWords) return
    const [rows, length] = [this.#rows, this.#length]
    this.#signWords = Math.max(2 * this.#signWords, Math.ceil(outcomes / 32))
    this.#rows = new Uint32Array(2 * this.qubits * this.#length)
    for (let row = 0; row < 2 * this.qubits; row++) {
      this.#rows.set(rows.subarray(row * length, (row + 1) * length), this.#x(row))
    }
    this.#drafts = new Uint32Array(0)
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
    for (let word = 2 * words; word < this.#length; word++) {
      ;(drafts[draft + word] as number) ^= rows[from + word] as number
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

  /** Makes an outcome certain. */
  #collapse(row: number, pivot: number, outcome: 0 | 1): void {
    const [at, bit] = this.#align(row, pivot)
    if ((this.#exponents[row] === 0 ? 0 : 1) === outcome) return
    for (let each = 0; each < 2 * this.qubits; each++) {
      if (((this.#rows[this.#z(each) + at] as number) & bit) !== 0) this.#add(each, 2)
    }
  }

  /**
   * Makes an outcome certain, with the sign that its row has. The measured image Q acts on |0…0> as X on its
   * qubits, up to a phase. Controlled X from the pivot reduce it to one X, an S† converts a Y to an X if
   * necessary, and a Hadamard converts the X to Z. All but the last preserve |0…0>, which thus becomes the
   * eigenstate of Q. Each is a change of columns in all rows. Returns the word and the bit of the pivot.
   */
  #align(row: number, pivot: number): [word: number, bit: number] {
    const words = this.#words
    const others = this.#rows.slice(this.#x(row), this.#x(row) + words)
    const [at, bit] = [pivot >> 5, 1 << (pivot & 31)]
    ;(others[at] as number) &= ~bit
    for (let each = 0; each < 2 * this.qubits; each++) this.#spread(each, others, at, bit)
    const isY = ((this.#rows[this.#z(row) + at] as number) & bit) !== 0
    for (let each = 0; each < 2 * this.qubits; each++) this.#turn(each, at, bit, isY)
    return [at, bit]
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
