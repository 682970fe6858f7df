import { rxMatrix, rzMatrix } from '../../../qasm/index.ts'
import { HADAMARD } from './matrix.ts'
import { NEGLIGIBLE } from './one-qubit.ts'
import type { StepList } from './step.ts'

/**
 * Adds the gate that multiplies the state with index x by e^{i phases[x]}, up to a global phase: 2^n - 2 CZ
 * for n qubits at most, and a single one for the CZ gate itself.
 *
 * The phases are a sum of parities of qubits, by a Walsh-Hadamard transform. A Gray code visits the parities
 * that contain one line by one CX each (Bullock and Markov, Quantum Inf. Comput. 4, 27 (2004)); the line
 * stays in its Hadamard basis meanwhile, in which a CX is a CZ.
 * @param phases rad, by index; 2^n for n qubits, the first of which is the least significant bit.
 */
export function addDiagonal(list: StepList, qubits: readonly number[], phases: Float64Array): void {
  const weights = parityWeights(phases.map(principal))
  if (qubits.length === 2 && addWithoutRotation(list, qubits, weights)) return
  for (let line = qubits.length - 1; line >= 0; line--) addParitiesOf(list, qubits, line, weights)
}

/** Weights w of the phases: sum over S of w[S] · (-1)^|S ∩ x|. */
function parityWeights(phases: Float64Array): Float64Array {
  const weights = phases.map((phase) => phase / phases.length)
  for (let step = 1; step < weights.length; step *= 2) {
    for (let index = 0; index < weights.length; index++) {
      if ((index & step) !== 0) continue
      const zero = weights[index] ?? 0
      const one = weights[index + step] ?? 0
      weights[index] = zero + one
      weights[index + step] = zero - one
    }
  }
  return weights
}

/** The angle within (-pi, pi], where -pi and what rounding makes of it counts as pi. */
function principal(angle: number): number {
  const wrapped = angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
  return wrapped < NEGLIGIBLE - Math.PI ? wrapped + 2 * Math.PI : wrapped
}

/** A weight k·pi/4 of the parity of two qubits turns either by -k·pi/2 about z, and takes a CZ for odd k. */
function addWithoutRotation(list: StepList, qubits: readonly number[], weights: Float64Array): boolean {
  const [low = 0, high = 0] = qubits
  const [, ofLow = 0, ofHigh = 0, ofBoth = 0] = weights
  const quarters = ofBoth / (Math.PI / 4)
  if (Math.abs(quarters - Math.round(quarters)) > NEGLIGIBLE) return false
  if (Math.round(quarters) % 2 !== 0) list.cz(low, high)
  for (const [qubit, own] of [
    [low, ofLow],
    [high, ofHigh],
  ] as const) {
    list.local(qubit, rzMatrix(-2 * own - (Math.PI / 2) * Math.round(quarters)))
  }
  return true
}

/** The parities of which `line` is the highest qubit. */
function addParitiesOf(list: StepList, qubits: readonly number[], line: number, weights: Float64Array): void {
  const size = 2 ** line
  const own = weights.subarray(size, 2 * size)
  const target = qubits[line] ?? 0
  if (own.subarray(1).every((weight) => Math.abs(weight) < NEGLIGIBLE)) {
    list.local(target, rzMatrix(-2 * (own[0] ?? 0)))
    return
  }
  list.local(target, HADAMARD)
  for (let index = 0; index < size; index++) {
    const gray = index ^ (index >> 1)
    list.local(target, rxMatrix(-2 * (own[gray] ?? 0)))
    // The bit by which the next number of the code differs; the last one returns to zero.
    const changed = index === size - 1 ? line - 1 : Math.log2((index + 1) & -(index + 1))
    list.cz(qubits[changed] ?? 0, target)
  }
  list.local(target, HADAMARD)
}
