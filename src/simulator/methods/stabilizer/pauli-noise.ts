import type { Channel } from '../../noise/channel.ts'
import { type Complex, type Pauli, pauliOf } from './clifford.ts'

/** A Pauli operator with its probability. */
export interface PauliTerm extends Pauli {
  weight: number
}

/** The Pauli operators of a Pauli channel; undefined for any other channel. */
export function pauliTermsOf({ qubits, kraus }: Channel): PauliTerm[] | undefined {
  const terms = kraus.map((matrix) => termOf(matrix, 2 ** qubits))
  return terms.every((term) => term !== undefined) ? terms : undefined
}

function termOf(matrix: Float64Array, size: number): PauliTerm | undefined {
  const rows = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (__, column): Complex => {
      const at = 2 * (row * size + column)
      return [matrix[at] ?? 0, matrix[at + 1] ?? 0]
    }),
  )
  const [re, im] = rows.map(([first]) => first).find((first) => first && Math.hypot(...first) > 0) ?? [0, 0]
  const weight = re * re + im * im
  if (weight === 0) return undefined
  // Divided by its first element, because the phase does not matter.
  const pauli = pauliOf(
    rows.map((row) => row.map(([a, b]): Complex => [(a * re + b * im) / weight, (b * re - a * im) / weight])),
  )
  return pauli && { ...pauli, weight }
}

/** The term at `draw`, a number between 0 and the sum of all weights. */
export function pickTerm(terms: readonly PauliTerm[], draw: number): Pauli {
  let rest = draw
  for (const term of terms) {
    rest -= term.weight
    if (rest < 0) return term
  }
  return terms.at(-1) ?? { x: 0, z: 0, e: 0 }
}
