/** Prepared states of each qubit, in this order: 0, 1, + (x) and +i (y), as Pauli vectors of 1, X, Y, Z. */
const PREPARATIONS = [
  [1, 0, 0, 1],
  [1, 0, 0, -1],
  [1, 1, 0, 0],
  [1, 0, 1, 0],
] as const
/** Coefficients of 1, X, Y, Z in the preparations: the inverse of their matrix. */
const OF_PREPARATIONS = [
  [0.5, -0.5, -0.5, 0.5],
  [0.5, -0.5, -0.5, -0.5],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
] as const
/** Measured bases of each qubit, in this order. */
const BASES = 3
/** States of two qubits. */
export const STATES = 4
/** Rows and columns of the transfer matrix of two qubits. */
export const SIZE = 16
/** Bases of two qubits. */
export const SETTINGS = 9
/** Counts as shares of their sum. */
export function shares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => count / total)
}

/** Rows of numbers. */
export type RealMatrix = readonly (readonly number[])[]

/** Determinant of a matrix of two rows. */
export function determinant(matrix: RealMatrix): number {
  return (matrix[0]?.[0] ?? 0) * (matrix[1]?.[1] ?? 0) - (matrix[0]?.[1] ?? 0) * (matrix[1]?.[0] ?? 0)
}

/** Row j, column k: weight of reading k in the probability of state j. */
export function inverseAssignment(
  matrix: RealMatrix = [
    [1, 0],
    [0, 1],
  ],
): RealMatrix {
  const scale = 1 / determinant(matrix)
  const [[a = 1, b = 0] = [], [c = 0, d = 1] = []] = matrix
  return [
    [d * scale, -c * scale],
    [-b * scale, a * scale],
  ]
}

/** Probabilities of the states from those of the readings. */
export function correct(readings: readonly number[], inverses: readonly RealMatrix[]): number[] {
  return Array.from({ length: STATES }, (_, state) =>
    readings.reduce((sum, share, reading) => sum + share * weightOf(inverses, state, reading), 0),
  )
}

/** Weight of a reading of two qubits in the probability of a state. */
export function weightOf([left, right]: readonly RealMatrix[], state: number, reading: number): number {
  return (left?.[state >> 1]?.[reading >> 1] ?? 0) * (right?.[state & 1]?.[reading & 1] ?? 0)
}

/** Sign of outcome `state` in the product of Z on the qubits that `pauli` involves. */
export function signOf(pauli: number, state: number): number {
  const left = pauli >> 2 === 0 ? 0 : state >> 1
  const right = (pauli & 3) === 0 ? 0 : state & 1
  return left === right ? 1 : -1
}

/** Bases in which a Pauli product is measured: one, or the three that share one factor. */
export function basesOf(pauli: number): number[] {
  const [a, b] = [pauli >> 2, pauli & 3]
  return Array.from({ length: SETTINGS }, (_, basis) => basis).filter(
    (basis) => (a === 0 || a - 1 === Math.floor(basis / BASES)) && (b === 0 || b - 1 === basis % BASES),
  )
}

/** Weight of preparation `preparation` in column `pauli` of the transfer matrix. */
export function preparationWeight(preparation: number, pauli: number): number {
  const left = OF_PREPARATIONS[preparation >> 2]?.[pauli >> 2] ?? 0
  return left * (OF_PREPARATIONS[preparation & 3]?.[pauli & 3] ?? 0)
}

/** Expectation values of all Pauli products in a preparation. */
export function pauliVector(preparation: number): number[] {
  const [left, right] = [PREPARATIONS[preparation >> 2] ?? [], PREPARATIONS[preparation & 3] ?? []]
  return left.flatMap((a) => right.map((b) => a * b))
}
