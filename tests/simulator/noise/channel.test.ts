import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  amplitudeDamping,
  type Channel,
  completenessError,
  depolarizing,
  isComplete,
  pauliChannel,
  phaseDamping,
  thermalRelaxation,
} from '../../../src/simulator/noise/channel.ts'

/** Σ K ρ K† of a qubit, by plain summation; ρ as [re, im] by row and column. */
function act({ kraus }: Channel, rho: readonly [number, number][]): [number, number][] {
  const sum = Array.from({ length: 4 }, (): [number, number] => [0, 0])
  for (const matrix of kraus) {
    for (let at = 0; at < 4; at++) {
      for (let from = 0; from < 4; from++) {
        const [row, column, inner, outer] = [at >> 1, at & 1, from >> 1, from & 1]
        const [left, right] = [2 * (2 * row + inner), 2 * (2 * column + outer)]
        const [a, b] = [matrix[left] ?? 0, matrix[left + 1] ?? 0]
        const [c, d] = [matrix[right] ?? 0, -(matrix[right + 1] ?? 0)]
        const [re, im] = [a * c - b * d, a * d + b * c]
        const [x, y] = rho[from] ?? [0, 0]
        const cell = sum[at] ?? [0, 0]
        cell[0] += re * x - im * y
        cell[1] += re * y + im * x
      }
    }
  }
  return sum
}

const PLUS: [number, number][] = [
  [0.5, 0],
  [0.5, 0],
  [0.5, 0],
  [0.5, 0],
]
const ONE: [number, number][] = [
  [0, 0],
  [0, 0],
  [0, 0],
  [1, 0],
]

const share = fc.double({ min: 0, max: 1, noNaN: true })

test('every channel preserves probabilities', () => {
  fc.assert(
    fc.property(share, share, fc.integer({ min: 1, max: 2 }), (p, q, qubits) => {
      for (const channel of [depolarizing(p, qubits), amplitudeDamping(p, q), phaseDamping(p)]) {
        expect(completenessError(channel)).toBeLessThan(1e-12)
      }
      for (const channel of thermalRelaxation({
        t1: 1 + p,
        t2: (1 + p) * 2 * q + 1e-3,
        duration: 3 * q,
        excited: p,
      })) {
        expect(isComplete(channel)).toBe(true)
      }
    }),
  )
  expect(isComplete({ qubits: 1, kraus: [Float64Array.of(1, 0, 0, 0, 0, 0, 0.9, 0)] })).toBe(false)
})

test('depolarizing mixes in a fraction p of the maximally mixed state', () => {
  const [[one = 0] = []] = [act(depolarizing(0.3, 1), ONE)[0]]
  expect(one).toBeCloseTo(0.15, 12)
  expect(act(depolarizing(0.3, 1), PLUS)[1]?.[0]).toBeCloseTo(0.35, 12)
})

test('a Pauli word acts with its last letter on the first qubit', () => {
  const { kraus, qubits } = pauliChannel(new Map([['XI', 1]]))
  expect(qubits).toBe(2)
  // |00> → |10>: row 2 of column 0.
  expect(kraus.map((matrix) => matrix[2 * (2 * 4)])).toEqual([1])
})

test('relaxation follows e^{-t/T1} and e^{-t/T2}, toward equilibrium', () => {
  const times = { t1: 50e-6, t2: 30e-6, duration: 20e-6 }
  const relaxed = (rho: [number, number][], excited = 0) =>
    thermalRelaxation({ ...times, excited }).reduce((state, channel) => act(channel, state), rho)
  expect(relaxed(ONE)[3]?.[0]).toBeCloseTo(Math.exp(-0.4), 12)
  expect(relaxed(PLUS)[1]?.[0]).toBeCloseTo(0.5 * Math.exp(-2 / 3), 12)
  expect(relaxed(ONE, 0.1)[3]?.[0]).toBeCloseTo(0.1 + 0.9 * Math.exp(-0.4), 12)
})

test('qubits that never relax have no noise', () => {
  expect(
    thermalRelaxation({ t1: Number.POSITIVE_INFINITY, t2: Number.POSITIVE_INFINITY, duration: 1 }),
  ).toEqual([])
})
