import { adjoint, type Block, identity, weightOf, zeros } from '../../numeric/matrix.ts'
import { applyOperator, exchangeValues, isSwap, type LocalOperator } from '../../reduction/operator.ts'
import type { Algebra } from './algebra.ts'
import { gather, type Meeting } from './gathering.ts'
import { splitExactly, splitRightExactly, splitTruncated, type Truncation } from './split.ts'

/** Work of an operator at bond dimension 1 besides multiplications, in amplitude updates. */
const OPERATOR_WORK = 4_096

const X = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0)

/** How a chain computes. */
export interface ChainSettings {
  truncation: Truncation
  algebra: Algebra
  meeting: Meeting
}

/**
 * A pure state as a matrix product state: a chain of tensors, one per qubit, with a bond between neighbors
 * (Schollwöck, Annals of Physics 326, 96, 2011). Sites to the left of the orthogonality center have
 * orthonormal columns, those to the right orthonormal rows, so that weights at the center are probabilities
 * and truncation by singular values is optimal.
 */
export class TensorChain {
  readonly #settings: ChainSettings
  /** Tensor of each site as a matrix of (left bond, value of the qubit) by right bond. */
  #sites: Block[] = []
  /** The site of each qubit, and the qubit of each site. */
  #siteOf: number[] = []
  #qubitAt: number[] = []
  #center = 0
  /** Sum of the logarithms of the weights that each truncation kept. */
  #logKept = 0
  /** Largest bond dimension so far. */
  largestBondDimension = 1

  /** The state |0…0> of the given qubits, which have sites in this order. */
  constructor(qubits: readonly number[], settings: ChainSettings) {
    this.#settings = settings
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

  /** An independent copy, which may truncate otherwise. */
  clone(truncation = this.#settings.truncation): TensorChain {
    const copy = new TensorChain([], { ...this.#settings, truncation })
    // Shallow, because tensors are replaced and never modified.
    copy.#sites = [...this.#sites]
    copy.#siteOf = [...this.#siteOf]
    copy.#qubitAt = [...this.#qubitAt]
    copy.#center = this.#center
    copy.#logKept = this.#logKept
    copy.largestBondDimension = this.largestBondDimension
    return copy
  }

  /** Weight discarded so far: 1 - Π (1 - weight discarded by each truncation). */
  get discarded(): number {
    return -Math.expm1(this.#logKept)
  }

  /** Natural logarithm of the weight kept so far. */
  get logKept(): number {
    return this.#logKept
  }

  /** Work of an operator besides multiplications, in amplitude updates. */
  get work(): number {
    return OPERATOR_WORK
  }

  /** Applies a gate. */
  apply(op: LocalOperator): void {
    const [one, other] = op.targets
    if (op.targets.length + op.controls.length === 1) this.#applyAt(this.#siteOf[one as number] as number, op)
    else if (isSwap(op)) this.#rename(one as number, other as number)
    else this.#applyAtCenter(op)
  }

  /** Probability of a Kraus operator. */
  krausProbability(op: LocalOperator): number {
    const first = this.#gather(op)
    return weightOf(this.#applied(op, first, op.targets.length + op.controls.length).data)
  }

  /** Applies a Kraus operator with this probability. */
  applyKraus(op: LocalOperator, probability: number): void {
    const scale = 1 / Math.sqrt(probability)
    this.#applyAtCenter({ ...op, matrix: op.matrix.map((part) => part * scale) })
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
   * Extends vectors of the sites before `site`, one a row, by the values of the site: the first half of a
   * row of the result belongs to 0, the second to 1. With the center at the first of these sites, weights are
   * probabilities.
   */
  extend(site: number, before: Block): Block {
    return this.#settings.algebra.multiply(before, wide(this.#sites[site] as Block))
  }

  /** Moves the center to a site. */
  center(site: number): void {
    this.#moveTo(site)
  }

  /**
   * Real part of the overlap with a chain whose sites differ from `first` to `last` only, of the same bonds.
   * The center of both is at `first`, so that the other sites contribute the identity.
   */
  overlap(other: TensorChain, first: number, last: number): number {
    const { algebra } = this.#settings
    let environment = identity((this.#sites[first] as Block).rows / 2)
    for (let site = first; site <= last; site++) {
      const [own, changed] = [this.#sites[site] as Block, other.#sites[site] as Block]
      const { rows, columns, data } = algebra.multiply(environment, wide(changed))
      environment = algebra.multiply(adjoint(own), { rows: 2 * rows, columns: columns / 2, data })
    }
    let trace = 0
    for (let at = 0; at < environment.rows; at++)
      trace += environment.data[2 * at * (environment.columns + 1)] as number
    return trace
  }

  /** Dimension of the bond before a site. */
  bondBefore(site: number): number {
    return (this.#sites[site] as Block).rows / 2
  }

  siteOf(qubit: number): number {
    return this.#siteOf[qubit] as number
  }

  qubitAt(site: number): number {
    return this.#qubitAt[site] as number
  }

  get sites(): number {
    return this.#sites.length
  }

  /** One more than the largest qubit number. */
  get qubitIndexLimit(): number {
    return this.#siteOf.length
  }

  #centered(qubit: number): Block {
    this.#moveTo(this.#siteOf[qubit] as number)
    return this.#sites[this.#center] as Block
  }

  #moveTo(site: number): void {
    while (this.#center < site) this.#moveRight()
    while (this.#center > site) this.#moveLeft()
  }

  #moveRight(): void {
    const own = this.#sites[this.#center] as Block
    const next = this.#sites[this.#center + 1] as Block
    if (own.columns > 1) {
      const { algebra } = this.#settings
      const { left, right } = splitExactly(own, algebra)
      this.#sites[this.#center] = left
      const product = algebra.multiply(right, wide(next))
      this.#sites[this.#center + 1] = { rows: 2 * product.rows, columns: next.columns, data: product.data }
    } else this.#moveNorm(own, this.#center + 1, next)
    this.#center++
  }

  #moveLeft(): void {
    const own = this.#sites[this.#center] as Block
    const next = this.#sites[this.#center - 1] as Block
    if (own.rows > 2) {
      const { algebra } = this.#settings
      const { left, right } = splitRightExactly(wide(own), algebra)
      this.#sites[this.#center] = { rows: 2 * right.rows, columns: own.columns, data: right.data }
      this.#sites[this.#center - 1] = algebra.multiply(next, left)
    } else this.#moveNorm(own, this.#center - 1, next)
    this.#center--
  }

  /** Moves the center across a bond of dimension 1, where only its norm differs from 1, by rounding. */
  #moveNorm(own: Block, to: number, next: Block): void {
    const norm = Math.sqrt(weightOf(own.data))
    if (norm === 1) return
    this.#sites[this.#center] = { ...own, data: own.data.map((part) => part / norm) }
    this.#sites[to] = { ...next, data: next.data.map((part) => part * norm) }
  }

  /**
   * Moves the qubits of an operator to neighboring sites with the center among them; returns the first site.
   */
  #gather({ targets, controls }: LocalOperator): number {
    const sites = [...targets, ...controls]
      .map((qubit) => this.#siteOf[qubit] as number)
      .sort((a, b) => a - b)
    const first = gather(sites, this.#settings.meeting, (site) => this.#exchange(site))
    const last = first + sites.length - 1
    if (this.#center < first) this.#moveTo(first)
    if (this.#center > last) this.#moveTo(last)
    return first
  }

  /** Exchanges the qubits of a site and the next. */
  #exchange(site: number): void {
    const [one, other] = [this.#sites[site] as Block, this.#sites[site + 1] as Block]
    if (one.rows === 2 && one.columns === 1 && other.columns === 1) {
      this.#sites[site] = other
      this.#sites[site + 1] = one
    } else {
      if (this.#center < site) this.#moveTo(site)
      if (this.#center > site + 1) this.#moveTo(site + 1)
      this.#place(site, 2, exchangeValues(this.#joined(site, 2)))
    }
    this.#rename(this.#qubitAt[site] as number, this.#qubitAt[site + 1] as number)
  }

  /** Exchanges the names of two qubits, which is their exchange. */
  #rename(one: number, other: number): void {
    const [from, to] = [this.#siteOf[one] as number, this.#siteOf[other] as number]
    this.#qubitAt[from] = other
    this.#qubitAt[to] = one
    this.#siteOf[one] = to
    this.#siteOf[other] = from
  }

  /** Applies a unitary operator on one qubit: the chain keeps its form. */
  #applyAt(site: number, op: LocalOperator): void {
    this.#sites[site] = applyOperator(op, this.#sites[site] as Block, 2, () => 1)
  }

  #applyAtCenter(op: LocalOperator): void {
    const first = this.#gather(op)
    const width = op.targets.length + op.controls.length
    this.#place(first, width, this.#applied(op, first, width))
  }

  /** The tensor of neighboring sites with an operator applied: (left bond, values) by right bond. */
  #applied(op: LocalOperator, first: number, width: number): Block {
    // The value of the last site is the lowest bit of a row's index.
    const bitOf = (qubit: number) => 1 << (first + width - 1 - (this.#siteOf[qubit] as number))
    return applyOperator(op, this.#joined(first, width), 2 ** width, bitOf)
  }

  /** The tensor of neighboring sites: (left bond, values) by right bond. */
  #joined(first: number, width: number): Block {
    let joined = this.#sites[first] as Block
    for (let site = first + 1; site < first + width; site++) {
      const next = this.#sites[site] as Block
      const product = this.#settings.algebra.multiply(joined, wide(next))
      joined = { rows: 2 * product.rows, columns: next.columns, data: product.data }
    }
    return joined
  }

  /** Splits the tensor of neighboring sites and stores its parts; the last site becomes the center. */
  #place(first: number, width: number, tensor: Block): void {
    const { truncation, algebra } = this.#settings
    let rest = tensor
    for (let site = first; site < first + width - 1; site++) {
      const inner = rest.rows / 2 ** (first + width - 1 - site)
      const matrix = { rows: inner, columns: (rest.rows / inner) * rest.columns, data: rest.data }
      const { left, right, discarded } = splitTruncated(matrix, truncation, algebra)
      this.#sites[site] = left
      this.#logKept += Math.log1p(-discarded)
      this.largestBondDimension = Math.max(this.largestBondDimension, left.columns)
      const data = discarded > 0 ? right.data.map((part) => part / Math.sqrt(1 - discarded)) : right.data
      rest = { rows: (left.columns * matrix.columns) / tensor.columns, columns: tensor.columns, data }
    }
    this.#center = first + width - 1
    this.#sites[this.#center] = rest
  }
}

/** The tensor of a site as a matrix of its left bond by (value, right bond). */
function wide({ rows, columns, data }: Block): Block {
  return { rows: rows / 2, columns: 2 * columns, data }
}
