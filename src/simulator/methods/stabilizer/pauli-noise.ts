import type { Matrix } from '../../../qasm/index.ts'
import type { Channel } from '../../noise/channel.ts'
import { gapFactor } from '../../numeric/fast-random.ts'
import { firstOfColumn, type Pauli, pauliOf } from './clifford.ts'

/** A Pauli operator with its probability. */
export interface PauliTerm extends Pauli {
  weight: number
}

/** Pauli noise, for many shots together. */
export interface PauliNoise {
  /** Operators other than the identity. */
  terms: readonly PauliTerm[]
  /** The sum of their probabilities. */
  weight: number
  /** For the gaps between shots that are affected. */
  factor: number
}

/** Channels are analyzed once: those of equal gates are one object. */
const known = new WeakMap<Channel, readonly PauliTerm[] | null>()

/** The Pauli operators of a Pauli channel; undefined for any other channel. */
export function pauliTermsOf(channel: Channel): readonly PauliTerm[] | undefined {
  const before = known.get(channel)
  if (before !== undefined) return before ?? undefined
  const { qubits, kraus } = channel
  const terms = kraus.map((matrix) => termOf(matrix, 2 ** qubits))
  const isPauli = terms.every((term) => term !== undefined)
  known.set(channel, isPauli ? terms : null)
  return isPauli ? terms : undefined
}

const noiseOfTerms = new WeakMap<readonly PauliTerm[], PauliNoise>()

/** The operators of a channel as noise. */
export function pauliNoiseOf(all: readonly PauliTerm[]): PauliNoise {
  const before = noiseOfTerms.get(all)
  if (before) return before
  const terms = all.filter(({ x, z }) => x !== 0 || z !== 0)
  const weight = terms.reduce((sum, term) => sum + term.weight, 0)
  const noise = { terms, weight, factor: gapFactor(weight) }
  noiseOfTerms.set(all, noise)
  return noise
}

function termOf(matrix: Matrix, size: number): PauliTerm | undefined {
  const row = firstOfColumn(matrix, size, 0)
  if (row === undefined) return undefined
  const [re = 0, im = 0] = matrix.subarray(2 * row * size)
  const weight = re * re + im * im
  // Divided by its first element, because the phase does not matter.
  const scaled = new Float64Array(matrix.length)
  for (let at = 0; at < matrix.length; at += 2) {
    const [a = 0, b = 0] = matrix.subarray(at)
    scaled[at] = (a * re + b * im) / weight
    scaled[at + 1] = (b * re - a * im) / weight
  }
  const pauli = pauliOf(scaled)
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
