import { SimulationError } from '../errors.ts'

/** A sum of Pauli operators: label, such as `ZIX` with qubit 0 rightmost, to real coefficient. */
export type PauliSum = Readonly<Record<string, number>>

/** One term of a sum; the identity acts on no qubit. */
export interface PauliTerm {
  coefficient: number
  letters: readonly { qubit: number; letter: 'X' | 'Y' | 'Z' }[]
}

/** A Pauli sum by its terms. */
export type Observable = readonly PauliTerm[]

/**
 * The observables of a circuit.
 * @throws SimulationError `observable_width` for a label that has not one letter for each qubit.
 */
export function observablesOf(
  sums: readonly PauliSum[],
  qubits: number,
  circuitIndex: number,
): readonly Observable[] {
  return sums.map((sum, index) =>
    Object.entries(sum).map(([label, coefficient]) => {
      if (label.length !== qubits) {
        const where = `circuits.${circuitIndex}.expectation_values.${index}`
        const text = `${where} has a label of ${label.length} letters; the program has ${qubits} qubits, I for those it leaves out`
        throw new SimulationError(text, { code: 'observable_width', circuitIndex })
      }
      return { coefficient, letters: lettersOf(label) }
    }),
  )
}

function lettersOf(label: string): PauliTerm['letters'] {
  const letters = [...label].reverse().map((letter, qubit) => ({ qubit, letter }))
  return letters.filter((each): each is PauliTerm['letters'][number] => each.letter !== 'I')
}

/** Qubits on which observables act: ascending, and whether one of them is an X or a Y. */
export function observedQubits(
  observables: readonly Observable[],
): { qubit: number; isDisturbed: boolean }[] {
  const observed = new Map<number, boolean>()
  for (const { letters } of observables.flat()) {
    for (const { qubit, letter } of letters) {
      observed.set(qubit, (observed.get(qubit) ?? false) || letter !== 'Z')
    }
  }
  return [...observed]
    .sort(([one], [other]) => one - other)
    .map(([qubit, isDisturbed]) => ({ qubit, isDisturbed }))
}
