import { createRng } from '../../src/simulator/numeric/random.ts'

/** A gate rule of a noise file; `width` is for Aer, which requires the number of qubits. */
export interface NoiseRule {
  gate: string
  width: number
  qubits?: number[]
  errors: Record<string, unknown>[]
}

/** The contents of a noise file. */
export interface NoiseContent {
  gates: NoiseRule[]
  readout: { qubits: number[]; matrix: [[number, number], [number, number]] }[]
}

/** Gates with the same names in Qiskit and here, which Aer does not rewrite. */
export const NOISY_GATES: readonly string[] = ['x', 'h', 'sx', 'rx', 'ry', 's', 't', 'cx', 'cz', 'swap']
const TWO = new Set(['cx', 'cz', 'swap'])

/** Noise of every kind on most gates, determined by its seed; the strength of each is about `strength`. */
export function randomNoise(seed: number, strength: number): NoiseContent {
  const rng = createRng(seed)
  const share = () => strength * (0.2 + rng.next())
  const kinds = [
    () => ({ depolarizing: share() }),
    () => ({ amplitude_damping: share() }),
    () => ({ phase_damping: share() }),
    () => ({ thermal: { t1: 1, t2: 0.3 + 1.6 * rng.next(), duration: share(), excited: 0.1 * rng.next() } }),
    (width: number) => ({
      pauli: { ['XYZ'.repeat(2).slice(0, width)]: share(), ['ZX'.slice(0, width)]: share() },
    }),
    (width: number) => ({ kraus: krausOf(width, share()) }),
  ]
  const rules = NOISY_GATES.filter(() => rng.next() < 0.8).map((gate): NoiseRule => {
    const width = TWO.has(gate) ? 2 : 1
    const count = 1 + Math.floor(rng.next() * 2)
    const errors = Array.from(
      { length: count },
      () => kinds[Math.floor(rng.next() * kinds.length)]?.(width) ?? {},
    )
    return { gate, width, errors }
  })
  const own = { gate: 'cx', width: 2, qubits: [0, 1], errors: [{ depolarizing: share() }] }
  return {
    gates: [...rules, own],
    readout: [0, 1, 2, 3].map((qubit) => {
      const [one, zero] = [share(), share()]
      return {
        qubits: [qubit],
        matrix: [
          [1 - one, one],
          [zero, 1 - zero],
        ],
      }
    }),
  }
}

/** Two operators that are not multiples of unitaries: √(1 - p) and √p next to a damping toward |1…1>. */
function krausOf(width: number, p: number): [number, number][][][] {
  const size = 2 ** width
  const last = size - 1
  const matrix = (element: (row: number, column: number) => number) =>
    Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (__, column): [number, number] => [element(row, column), 0]),
    )
  return [
    matrix((row, column) => (row === column ? (row === 0 ? Math.sqrt(1 - p) : 1) : 0)),
    matrix((row, column) => (row === last && column === 0 ? Math.sqrt(p) : 0)),
  ]
}
