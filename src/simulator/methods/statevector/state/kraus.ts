import type { KernelCall } from '../../../kernel/kernel-call.ts'
import { type Channel, effectOf } from '../../../noise/channel.ts'
import { isDiagonal } from '../../../reduction/reduce-circuit.ts'
import { OP_WORK } from '../../../timing/time-budget.ts'
import type { Statevector } from './statevector.ts'

/** A Kraus operator of a channel. */
export interface KrausOperator {
  matrix: Float64Array
  /** K† K: its expectation value in a state is the probability of the operator. */
  effect: Float64Array
  /** The probability, if it is the same for all states. */
  fixedProbability: number | undefined
  /** Whether it is a multiple of the identity. */
  isScaledIdentity: boolean
}

/** Maximum deviation of an element from that of a multiple of the identity. */
const TOLERANCE = 1e-12

/** The Kraus operators of channels; each channel is analyzed once. */
export class KrausTable {
  readonly #known = new Map<Channel, readonly KrausOperator[]>()

  /** The operators of a channel, in descending order of fixed probability. */
  operatorsOf(channel: Channel): readonly KrausOperator[] {
    const known = this.#known.get(channel)
    if (known) return known
    const operators = channel.kraus.map((matrix) => krausOf(matrix, 2 ** channel.qubits))
    operators.sort((one, other) => (other.fixedProbability ?? 0) - (one.fixedProbability ?? 0))
    this.#known.set(channel, operators)
    return operators
  }
}

function krausOf(matrix: Float64Array, size: number): KrausOperator {
  const effect = effectOf(matrix, size)
  return {
    matrix,
    effect,
    fixedProbability: scalarOf(effect, size),
    isScaledIdentity: scalarOf(matrix, size) !== undefined,
  }
}

/** The real part of c if the matrix is c times the identity. */
function scalarOf(matrix: Float64Array, size: number): number | undefined {
  const [re = 0, im = 0] = matrix
  const isMultiple = matrix.every((part, index) => {
    const isOnDiagonal = (index >> 1) % (size + 1) === 0
    const expected = isOnDiagonal ? (index % 2 === 0 ? re : im) : 0
    return Math.abs(part - expected) < TOLERANCE
  })
  return isMultiple ? re : undefined
}

/** The call that applies an operator of this probability to qubits given as bits. */
export function krausCall({ matrix }: KrausOperator, targets: number[], probability: number): KernelCall {
  const scaled = matrix.map((part) => part / Math.sqrt(probability))
  const [target] = targets
  const isOne = target !== undefined && targets.length === 1
  return isOne
    ? { kind: 'one', target, controls: 0, value: 0, matrix: scaled }
    : { kind: 'many', targets, controls: 0, value: 0, matrix: scaled }
}

/** Probability of an operator in a normalized state. */
export function probabilityIn(
  state: Statevector,
  { effect, fixedProbability }: KrausOperator,
  targets: readonly number[],
): number {
  if (fixedProbability !== undefined) return fixedProbability
  const bitsOf = (index: number) =>
    targets.reduce((bits, bit, place) => ((index >> place) & 1 ? bits | bit : bits), 0)
  const size = 2 ** targets.length
  const mask = bitsOf(size - 1)
  if (!isDiagonal(effect))
    return expectationValue(
      state,
      effect,
      Array.from({ length: size }, (_, each) => bitsOf(each)),
      mask,
    )
  let mean = 0
  for (let index = 0; index < size; index++) {
    const factor = effect[2 * index * (size + 1)] as number
    if (factor !== 0) mean += factor * state.weight(mask, bitsOf(index))
  }
  return mean
}

/** <ψ|E|ψ> by summation, for the rare operators whose K† K is not diagonal. */
function expectationValue(
  state: Statevector,
  effect: Float64Array,
  places: readonly number[],
  mask: number,
): number {
  const { amplitudes, work } = state
  let mean = 0
  for (let base = 0; base < amplitudes.length / 2; base++) {
    if ((base & mask) !== 0) continue
    work.spend(OP_WORK)
    for (const [row, left] of places.entries()) {
      for (const [column, right] of places.entries()) {
        const at = 2 * (row * places.length + column)
        const [a, b] = [
          amplitudes[2 * (base + left)] as number,
          -(amplitudes[2 * (base + left) + 1] as number),
        ]
        const [c, d] = [
          amplitudes[2 * (base + right)] as number,
          amplitudes[2 * (base + right) + 1] as number,
        ]
        mean += (effect[at] as number) * (a * c - b * d) - (effect[at + 1] as number) * (a * d + b * c)
      }
    }
  }
  return mean
}

/** Estimated fraction of shots that branch off at a channel: those that do not choose its first operator. */
export function branchProbability(operators: readonly KrausOperator[], qubits: number): number {
  const [first] = operators
  if (!first) return 0
  const size = 2 ** qubits
  let trace = 0
  for (let index = 0; index < size; index++) trace += first.effect[2 * index * (size + 1)] as number
  return 1 - (first.fixedProbability ?? trace / size)
}
