import type { PhaseOp, UnitaryOp } from '../../../qasm/index.ts'
import { UNLIMITED, type WorkCounter } from '../../timing/time-budget.ts'
import { type Matrix, multiply, transpose, weightOf, zeros } from './matrix.ts'
import { splitExactly, splitTruncated, type Truncation } from './split.ts'

/** A matrix on some qubits, with controls; not necessarily unitary. */
type LocalOperator = Pick<UnitaryOp, 'targets' | 'controls' | 'controlValues' | 'matrix'>

/** Work of an operator at bond dimension 1 besides multiplications, in amplitude updates. */
const OPERATOR_WORK = 4_096

const X = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0)

/** The swap gate, row-major. */
const SWAP = Float64Array.of(
  ...[1, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 1, 0, 0, 0],
  ...[0, 0, 1, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 1, 0],
)

/** A gate or phase as an operator; undefined for a global phase, which affects no outcome. */
export function operatorOf(op: UnitaryOp | PhaseOp): LocalOperator | undefined {
  if (op.kind === 'unitary') return op
  const [last, ...controls] = op.controls.toReversed()
  if (last === undefined) return undefined
  const isOne = (op.controlValues >> (op.controls.length - 1)) & 1
  const [re, im] = [Math.cos(op.angle), Math.sin(op.angle)]
  const matrix = isOne ? Float64Array.of(1, 0, 0, 0, 0, 0, re, im) : Float64Array.of(re, im, 0, 0, 0, 0, 1, 0)
  const controlValues = op.controlValues & (2 ** controls.length - 1)
  return { targets: [last], controls: controls.toReversed(), controlValues, matrix }
}

/**
 * A pure state as a matrix product state: a chain of tensors, one per qubit, with a bond between neighbors
 * (Schollwöck, Annals of Physics 326, 96, 2011). Sites to the left of the orthogonality center have
 * orthonormal columns, those to the right orthonormal rows, so that weights at the center are probabilities
 * and truncation by singular values is optimal.
 */
export class TensorChain {
  readonly #truncation: Truncation
  readonly #work: WorkCounter
  /** Tensor of each site as a matrix of (left bond, value of the qubit) by right bond. */
  #sites: Matrix[] = []
  /** The site of each qubit, and the qubit of each site. */
  #siteOf: number[] = []
  #qubitAt: number[] = []
  #center = 0
  /** Weight discarded so far: 1 - Π (1 - weight discarded by each truncation). */
  discarded = 0
  /** Largest bond dimension so far. */
  largestBondDimension = 1

  /** The state |0…0> of the given qubits. */
  constructor(qubits: readonly number[], truncation: Truncation, work: WorkCounter = UNLIMITED) {
    this.#truncation = truncation
    this.#work = work
    for (const qubit of qubits) this.add(qubit)
  }

  /** Whether a qubit has a site. */
  has(qubit: number): boolean {
    return this.#siteOf[qubit] !== undefined
  }

  /** Adds a qubit in |0> at the end. */
  add(qubit: number): void {
    this.#siteOf[qubit] = this.#sites.length
    this.#qubitAt.push(qubit)
    this.#sites.push({ rows: 2, columns: 1, data: Float64Array.of(1, 0, 0, 0) })
  }

  /** An independent copy. */
  clone(): TensorChain {
    const copy = new TensorChain([], this.#truncation, this.#work)
    // Shallow, because tensors are replaced and never modified.
    copy.#sites = [...this.#sites]
    copy.#siteOf = [...this.#siteOf]
    copy.#qubitAt = [...this.#qubitAt]
    copy.#center = this.#center
    copy.discarded = this.discarded
    copy.largestBondDimension = this.largestBondDimension
    return copy
  }

  /** Work of an operator besides multiplications, in amplitude updates. */
  get work(): number {
    return OPERATOR_WORK * this.largestBondDimension ** 2
  }

  /** Applies a gate. */
  apply(op: LocalOperator): void {
    const first = this.#gather(op)
    const width = op.targets.length + op.controls.length
    this.#place(first, width, this.#applied(op, first, width))
  }

  /** Probability of a Kraus operator. */
  krausProbability(op: LocalOperator): number {
    const first = this.#gather(op)
    return weightOf(this.#applied(op, first, op.targets.length + op.controls.length).data)
  }

  /** Applies a Kraus operator with this probability. */
  applyKraus(op: LocalOperator, probability: number): void {
    const scale = 1 / Math.sqrt(probability)
    this.apply({ ...op, matrix: op.matrix.map((part) => part * scale) })
  }

  /** Exchanges |0> and |1>. */
  flip(qubit: number): void {
    this.apply({ targets: [qubit], controls: [], controlValues: 0, matrix: X })
  }

  /** Probability that a qubit is 1. */
  probabilityOfOne(qubit: number): number {
    const { rows, columns, data } = this.#centered(qubit)
    let [zero, one] = [0, 0]
    for (let row = 0; row < rows; row++) {
      const weight = weightOf(data.subarray(2 * row * columns, 2 * (row + 1) * columns))
      if (row % 2 === 0) zero += weight
      else one += weight
    }
    return one / (zero + one)
  }

  /** Projects a qubit onto a value whose probability is not zero. */
  project(qubit: number, value: 0 | 1): void {
    const { rows, columns, data } = this.#centered(qubit)
    const projected = zeros(rows, columns)
    for (let row = value; row < rows; row += 2) {
      projected.data.set(data.subarray(2 * row * columns, 2 * (row + 1) * columns), 2 * row * columns)
    }
    const scale = 1 / Math.sqrt(weightOf(projected.data))
    this.#sites[this.#center] = { ...projected, data: projected.data.map((part) => part * scale) }
  }

  /**
   * Extends the row vector of the sites before `site` by the values 0 and 1 of the site; also returns the
   * qubit of the site. Weights are probabilities after `alignLeft`.
   */
  extend(site: number, before: Float64Array): { qubit: number; zero: Float64Array; one: Float64Array } {
    const { rows, columns, data } = this.#sites[site] as Matrix
    const wide: Matrix = { rows: rows / 2, columns: 2 * columns, data }
    const both = multiply({ rows: 1, columns: rows / 2, data: before }, wide, this.#work).data
    const half = 2 * columns
    return { qubit: this.#qubitAt[site] as number, zero: both.subarray(0, half), one: both.subarray(half) }
  }

  /** Moves the center to the first site. */
  alignLeft(): void {
    this.#moveTo(0)
  }

  get sites(): number {
    return this.#sites.length
  }

  /** One more than the largest qubit number. */
  get qubitIndexLimit(): number {
    return this.#siteOf.length
  }

  #centered(qubit: number): Matrix {
    this.#moveTo(this.#siteOf[qubit] as number)
    return this.#sites[this.#center] as Matrix
  }

  #moveTo(site: number): void {
    while (this.#center < site) this.#moveRight()
    while (this.#center > site) this.#moveLeft()
  }

  #moveRight(): void {
    const { left, right } = splitExactly(this.#sites[this.#center] as Matrix, this.#work)
    this.#sites[this.#center++] = left
    const next = this.#sites[this.#center] as Matrix
    const after = { rows: next.rows / 2, columns: 2 * next.columns, data: next.data }
    const wide = multiply(right, after, this.#work)
    this.#sites[this.#center] = { rows: 2 * wide.rows, columns: next.columns, data: wide.data }
  }

  #moveLeft(): void {
    const { rows, columns, data } = this.#sites[this.#center] as Matrix
    const wide = { rows: rows / 2, columns: 2 * columns, data }
    const { left, right } = splitExactly(transpose(wide), this.#work)
    const own = transpose(left)
    this.#sites[this.#center--] = { rows: 2 * own.rows, columns, data: own.data }
    this.#sites[this.#center] = multiply(this.#sites[this.#center] as Matrix, transpose(right), this.#work)
  }

  /**
   * Moves the qubits of an operator to neighboring sites with the center among them; returns the first site.
   */
  #gather({ targets, controls }: LocalOperator): number {
    const sites = [...targets, ...controls]
      .map((qubit) => this.#siteOf[qubit] as number)
      .sort((a, b) => a - b)
    const [first = 0, ...others] = sites
    for (const [place, site] of others.entries()) {
      for (let at = site; at > first + 1 + place; at--) this.#exchange(at - 1)
    }
    const last = first + sites.length - 1
    if (this.#center < first) this.#moveTo(first)
    if (this.#center > last) this.#moveTo(last)
    return first
  }

  /** Exchanges the qubits of a site and the next. */
  #exchange(site: number): void {
    const [one, other] = [this.#qubitAt[site] as number, this.#qubitAt[site + 1] as number]
    this.apply({ targets: [one, other], controls: [], controlValues: 0, matrix: SWAP })
    this.#qubitAt[site] = other
    this.#qubitAt[site + 1] = one
    this.#siteOf[other] = site
    this.#siteOf[one] = site + 1
  }

  /** The tensor of neighboring sites with an operator applied: (left bond, values) by right bond. */
  #applied(op: LocalOperator, first: number, width: number): Matrix {
    let joined = this.#sites[first] as Matrix
    for (let site = first + 1; site < first + width; site++) {
      const next = this.#sites[site] as Matrix
      const after = { rows: next.rows / 2, columns: 2 * next.columns, data: next.data }
      const product = multiply(joined, after, this.#work)
      joined = { rows: 2 * product.rows, columns: next.columns, data: product.data }
    }
    // The value of the last site is the lowest bit of a row's index.
    const bitOf = (qubit: number) => 1 << (first + width - 1 - (this.#siteOf[qubit] as number))
    return applyOperator(op, joined, 2 ** width, bitOf)
  }

  /** Splits the tensor of neighboring sites and stores its parts; the last site becomes the center. */
  #place(first: number, width: number, tensor: Matrix): void {
    let rest = tensor
    for (let site = first; site < first + width - 1; site++) {
      const inner = rest.rows / 2 ** (first + width - 1 - site)
      const matrix = { rows: inner, columns: (rest.rows / inner) * rest.columns, data: rest.data }
      const { left, right, discarded } = splitTruncated(matrix, this.#truncation, this.#work)
      this.#sites[site] = left
      this.discarded = 1 - (1 - this.discarded) * (1 - discarded)
      this.largestBondDimension = Math.max(this.largestBondDimension, left.columns)
      const data = discarded > 0 ? right.data.map((part) => part / Math.sqrt(1 - discarded)) : right.data
      rest = { rows: (left.columns * matrix.columns) / tensor.columns, columns: tensor.columns, data }
    }
    this.#center = first + width - 1
    this.#sites[this.#center] = rest
  }
}

/**
 * Applies an operator to a tensor of neighboring sites; `values` consecutive rows are the values of their
 * qubits.
 */
function applyOperator(
  op: LocalOperator,
  tensor: Matrix,
  values: number,
  bitOf: (qubit: number) => number,
): Matrix {
  const targets = op.targets.map(bitOf)
  const all = targets.reduce((sum, bit) => sum | bit, 0)
  const controls = op.controls.map((qubit, place) => ({
    bit: bitOf(qubit),
    value: (op.controlValues >> place) & 1,
  }))
  const places = Array.from({ length: 2 ** targets.length }, (_, index) =>
    targets.reduce((sum, bit, place) => ((index >> place) & 1 ? sum | bit : sum), 0),
  )
  const data = tensor.data.slice()
  const length = 2 * tensor.columns
  for (let block = 0; block < tensor.rows; block += values) {
    for (let value = 0; value < values; value++) {
      const isMet = controls.every(({ bit, value: wanted }) => ((value & bit) === 0 ? 0 : 1) === wanted)
      if ((value & all) !== 0 || !isMet) continue
      const rows = places.map((place) => (block + value + place) * length)
      combine(op.matrix, rows, tensor.data, data, length)
    }
  }
  return { rows: tensor.rows, columns: tensor.columns, data }
}

/** Writes to the rows of `to` the linear combinations of rows of `from` given by a matrix. */
function combine(
  matrix: Float64Array,
  rows: readonly number[],
  from: Float64Array,
  to: Float64Array,
  length: number,
): void {
  for (const [index, into] of rows.entries()) {
    to.fill(0, into, into + length)
    for (const [inner, source] of rows.entries()) {
      const at = 2 * (index * rows.length + inner)
      const [re, im] = [matrix[at] as number, matrix[at + 1] as number]
      if (re === 0 && im === 0) continue
      for (let part = 0; part < length; part += 2) {
        const [a, b] = [from[source + part] as number, from[source + part + 1] as number]
        to[into + part] = (to[into + part] as number) + re * a - im * b
        to[into + part + 1] = (to[into + part + 1] as number) + re * b + im * a
      }
    }
  }
}
