/**
 * A quantum channel ρ → Σ K ρ K† on a few qubits: the effect of noise on a state. Matrices are 2^k x 2^k,
 * row-major with real and imaginary parts interleaved; the first qubit is the least significant bit of their
 * index.
 */
export interface Channel {
  qubits: number
  kraus: readonly Float64Array[]
}

/** Maximum deviation of Σ K† K from the identity. */
const TOLERANCE = 1e-8

/** √weight times a matrix. */
function scaled(weight: number, matrix: Float64Array): Float64Array {
  return matrix.map((part) => part * Math.sqrt(weight))
}

const PAULI: Readonly<Record<string, Float64Array>> = {
  I: Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0),
  X: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
  Y: Float64Array.of(0, 0, 0, -1, 0, 1, 0, 0),
  Z: Float64Array.of(1, 0, 0, 0, 0, 0, -1, 0),
}

/**
 * The tensor product of Pauli matrices; the last one acts on the first qubit, in the order of bit strings.
 */
function pauliMatrix(paulis: string): Float64Array {
  const factors = [...paulis].map((pauli) => PAULI[pauli] ?? new Float64Array(8))
  const size = 2 ** paulis.length
  const matrix = new Float64Array(2 * size * size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let [re, im] = [1, 0]
      for (const [place, factor] of factors.entries()) {
        const shift = paulis.length - 1 - place
        const at = 2 * (2 * ((row >> shift) & 1) + ((column >> shift) & 1))
        const [a, b] = [factor[at] ?? 0, factor[at + 1] ?? 0]
        ;[re, im] = [re * a - im * b, re * b + im * a]
      }
      matrix[2 * (row * size + column)] = re
      matrix[2 * (row * size + column) + 1] = im
    }
  }
  return matrix
}

/** Applies one of several Pauli operators with the given probabilities; the identity has the rest. */
export function pauliChannel(probabilities: ReadonlyMap<string, number>): Channel {
  const [first = 'I'] = probabilities.keys()
  const rest = 1 - [...probabilities.values()].reduce((sum, each) => sum + each, 0)
  const terms: [string, number][] = [['I'.repeat(first.length), Math.max(0, rest)], ...probabilities]
  return {
    qubits: first.length,
    kraus: terms
      .filter(([, weight]) => weight > 0)
      .map(([paulis, weight]) => scaled(weight, pauliMatrix(paulis))),
  }
}

/** (1 - p) ρ + p I / 2^k on k qubits: each Pauli operator but the identity has probability p / 4^k. */
export function depolarizing(p: number, qubits: number): Channel {
  let words = ['']
  for (let qubit = 0; qubit < qubits; qubit++)
    words = words.flatMap((word) => [...'IXYZ'].map((pauli) => word + pauli))
  const each = p / 4 ** qubits
  return pauliChannel(new Map(words.slice(1).map((word) => [word, each])))
}

/**
 * Decay with probability `gamma` towards a state with the given population of |1> (Nielsen and Chuang,
 * "Quantum computation and quantum information", section 8.3.5, generalized amplitude damping).
 */
export function amplitudeDamping(gamma: number, excited = 0): Channel {
  const kept = Math.sqrt(1 - gamma)
  const jump = Math.sqrt(gamma)
  const down = [Float64Array.of(1, 0, 0, 0, 0, 0, kept, 0), Float64Array.of(0, 0, jump, 0, 0, 0, 0, 0)]
  const up = [Float64Array.of(kept, 0, 0, 0, 0, 0, 1, 0), Float64Array.of(0, 0, 0, 0, jump, 0, 0, 0)]
  const kraus = [
    ...down.map((matrix) => scaled(1 - excited, matrix)),
    ...up.map((matrix) => scaled(excited, matrix)),
  ]
  return { qubits: 1, kraus: kraus.filter((matrix) => matrix.some((part) => part !== 0)) }
}

/**
 * Loss of phase: coherences shrink by √(1 - gamma), as if Z acted with probability (1 - √(1 - gamma)) / 2.
 */
export function phaseDamping(gamma: number): Channel {
  return pauliChannel(new Map([['Z', (1 - Math.sqrt(1 - gamma)) / 2]]))
}

/** Relaxation times of a qubit, in s. */
export interface Relaxation {
  t1: number
  /** At most 2 t1. */
  t2: number
  duration: number
  /** Population of |1> in equilibrium. */
  excited?: number
}

/**
 * Relaxation of an idle qubit during `duration`: coherences shrink by e^{-duration/t2}, populations approach
 * equilibrium by e^{-duration/t1}. Decay alone shrinks coherences by e^{-duration/(2 t1)}; a phase channel
 * does the rest.
 */
export function thermalRelaxation({ t1, t2, duration, excited = 0 }: Relaxation): Channel[] {
  const dephasing = Math.exp(-2 * duration * Math.max(0, 1 / t2 - 1 / (2 * t1)))
  const channels = [amplitudeDamping(1 - Math.exp(-duration / t1), excited), phaseDamping(1 - dephasing)]
  // A single operator is the identity.
  return channels.filter(({ kraus }) => kraus.length > 1)
}

/** K† K of a matrix of `size` rows: its expectation value in a state is the probability of K. */
export function effectOf(matrix: Float64Array, size: number): Float64Array {
  const effect = new Float64Array(matrix.length)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = 2 * (row * size + column)
      for (let inner = 0; inner < size; inner++) {
        const [left, right] = [2 * (inner * size + row), 2 * (inner * size + column)]
        const [a, b] = [matrix[left] as number, -(matrix[left + 1] as number)]
        const [c, d] = [matrix[right] as number, matrix[right + 1] as number]
        effect[at] = (effect[at] as number) + a * c - b * d
        effect[at + 1] = (effect[at + 1] as number) + a * d + b * c
      }
    }
  }
  return effect
}

/** Largest absolute value of an element of Σ K† K - 1: 0 for a channel that preserves probabilities. */
export function completenessError({ qubits, kraus }: Channel): number {
  const size = 2 ** qubits
  const effects = kraus.map((matrix) => effectOf(matrix, size))
  let largest = 0
  for (let at = 0; at < 2 * size * size; at += 2) {
    const one = (at / 2) % (size + 1) === 0 ? 1 : 0
    const re = effects.reduce((sum, effect) => sum + (effect[at] as number), -one)
    const im = effects.reduce((sum, effect) => sum + (effect[at + 1] as number), 0)
    largest = Math.max(largest, Math.hypot(re, im))
  }
  return largest
}

/** Whether the channel preserves probabilities, to 1e-8. */
export function isComplete(channel: Channel): boolean {
  return completenessError(channel) <= TOLERANCE
}
