import type { AmplitudeArray } from '../kernel/layout.ts'
import type { WorkCounter } from '../timing/time-budget.ts'
import type { Observable } from './observables.ts'

/** A state by the elements ρ_ij = ⟨i|ρ|j⟩ of its density matrix; qubits are bits of i and j. */
export interface StateElements {
  qubits: number
  re(i: number, j: number): number
  im(i: number, j: number): number
}

/** Basis states between two counts of the work. */
const CHUNK = 2 ** 14

/** The elements of a pure state `[2^qubits][re, im]`. */
export function elementsOfState(amplitudes: AmplitudeArray, qubits: number): StateElements {
  const at = (index: number) => amplitudes[index] as number
  return {
    qubits,
    re: (i, j) => at(2 * i) * at(2 * j) + at(2 * i + 1) * at(2 * j + 1),
    im: (i, j) => at(2 * i + 1) * at(2 * j) - at(2 * i) * at(2 * j + 1),
  }
}

/** The elements of a density matrix `[2^qubits column][2^qubits row][re, im]`. */
export function elementsOfDensity(elements: AmplitudeArray, qubits: number): StateElements {
  const size = 2 ** qubits
  return {
    qubits,
    re: (i, j) => elements[2 * (i + size * j)] as number,
    im: (i, j) => elements[2 * (i + size * j) + 1] as number,
  }
}

/**
 * The expectation value Tr(P ρ) of a Pauli sum.
 * @param bitOf the bit of a qubit in the indices of the state, 0 for one that has stayed |0⟩
 */
export function expectationOf(
  observable: Observable,
  state: StateElements,
  bitOf: (qubit: number) => number,
  work: WorkCounter,
): number {
  let sum = 0
  for (const { coefficient, letters } of observable) {
    // A qubit that has stayed |0⟩ has the mean 0 of X and Y, and 1 of Z.
    if (letters.some(({ qubit, letter }) => letter !== 'Z' && bitOf(qubit) === 0)) continue
    const maskOf = (without: string) =>
      letters.reduce((mask, { qubit, letter }) => (letter === without ? mask : mask | bitOf(qubit)), 0)
    const ys = letters.filter(({ letter }) => letter === 'Y').length
    sum += coefficient * traceOf(state, { flipped: maskOf('Z'), signed: maskOf('X'), ys }, work)
  }
  return sum
}

/** Whether the number of set bits is odd. */
function isOdd(mask: number): boolean {
  let folded = mask ^ (mask >> 16)
  folded ^= folded >> 8
  folded ^= folded >> 4
  return ((0x69_96 >> (folded & 15)) & 1) === 1
}

/** Tr(P ρ) with P = Σ_i i^ys (−1)^|i ∧ signed| |i ⊕ flipped⟩⟨i|. */
function traceOf(
  state: StateElements,
  { flipped, signed, ys }: { flipped: number; signed: number; ys: number },
  work: WorkCounter,
): number {
  // Real part of i^ys ρ: the imaginary parts of the terms add up to 0.
  const part = ys % 2 === 0 ? state.re : state.im
  let sum = 0
  for (let index = 0; index < 2 ** state.qubits; index++) {
    if (index % CHUNK === 0) work.spend(2 * CHUNK)
    const element = part(index, index ^ flipped)
    sum += isOdd(index & signed) ? -element : element
  }
  return ys % 4 === 0 || ys % 4 === 3 ? sum : -sum
}
