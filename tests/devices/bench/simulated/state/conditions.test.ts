import { describe, expect, test } from 'bun:test'
import { conditionsOf } from '../../../../../src/devices/bench/simulated/state/conditions.ts'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { Drift } from '../../../../../src/devices/bench/simulated/truth/drift.ts'
import { truthAt } from '../../../../../src/devices/bench/simulated/truth/truth-at.ts'
import { quietTruth } from '../../../../support/simulated-chip/chips.ts'

/** The chip with other currents than at its start, A. */
function conditionsAt(truth: ChipTruth, changed: Record<string, number> = {}) {
  const now = truthAt(truth, new Drift(truth.seed), 0)
  return conditionsOf(truth, now, (name) => changed[name] ?? truth.edges[name]?.held_at_start ?? 0)
}

function edgeOf(truth: ChipTruth, name = 'q0_q1') {
  const edge = truth.edges[name]
  if (!edge) throw new Error(`no edge ${name}`)
  return edge
}

const frequency = (truth: ChipTruth, name: string, changed: Record<string, number> = {}) =>
  conditionsAt(truth, changed).transmons.get(name)?.f01 ?? 0

describe('couplers', () => {
  test('at the start, frequencies are those of the truth', () => {
    const truth = quietTruth(3)
    for (const [name, { f01 }] of Object.entries(truth.qubits))
      expect(Math.abs(frequency(truth, name) - f01)).toBeLessThan(1)
  })

  test('a coupler that comes down to a transmon pushes it down, and up once it is below', () => {
    const truth = quietTruth(2)
    const { high, offset, period, max_frequency, coupling_high } = edgeOf(truth)
    const bare = truth.qubits[high]?.f01 ?? 0
    const currentAt = (coupler: number) =>
      offset + (period / Math.PI) * Math.acos((coupler / max_frequency) ** 2)
    const above = frequency(truth, high, { q0_q1: currentAt(bare + 3 * coupling_high) })
    const below = frequency(truth, high, { q0_q1: currentAt(bare - 3 * coupling_high) })
    expect(above - bare).toBeLessThan(-0.2 * coupling_high)
    expect(below - bare).toBeGreaterThan(0.2 * coupling_high)
    // The sweet spot is symmetric.
    const mirrored = frequency(truth, high, { q0_q1: 2 * offset - currentAt(bare + 3 * coupling_high) })
    expect(Math.abs(mirrored - above)).toBeLessThan(1)
  })

  test('the interaction that is always on is 1 to 30 kHz at the start', () => {
    for (let seed = 0; seed < 10; seed++) {
      for (const { gate } of conditionsAt(quietTruth(5, seed)).couplings) {
        expect(Math.abs(gate.conditional)).toBeGreaterThan(0.9e3)
        expect(Math.abs(gate.conditional)).toBeLessThan(31e3)
      }
    }
  })

  test('a share of the current of a neighbor moves the transmons of a coupler', () => {
    const truth = quietTruth(3)
    const changed = { q1_q2: edgeOf(truth, 'q1_q2').held_at_start + 1e-3 }
    expect(Math.abs(frequency(truth, 'q0', changed) - frequency(truth, 'q0'))).toBeLessThan(1)
    edgeOf(truth).flux_leak = { q1_q2: 0.05 }
    expect(Math.abs(frequency(truth, 'q0', changed) - frequency(truth, 'q0'))).toBeGreaterThan(1e3)
  })

  test('noise of the flux is noise of the gate', () => {
    const truth = quietTruth(2)
    const noiseOf = () => conditionsAt(truth).couplings[0]?.gate.slowNoise ?? 0
    expect(noiseOf()).toBeGreaterThan(100)
    edgeOf(truth).flux_noise = 0
    expect(noiseOf()).toBe(0)
  })

  test('gaps are playable from a baseband output', () => {
    for (let seed = 0; seed < 10; seed++) {
      const truth = quietTruth(5, seed)
      for (const { high, low, shift } of Object.values(truth.edges)) {
        const [a, b] = [truth.qubits[high], truth.qubits[low]]
        const gap = (a?.f01 ?? 0) - (b?.f01 ?? 0) + (a?.anharmonicity ?? 0)
        expect(Math.abs(gap) + Math.abs(shift)).toBeLessThan(550e6)
        expect(Math.abs(gap)).toBeLessThan(500e6)
        expect(Math.abs(gap)).toBeGreaterThan(50e6)
      }
    }
  })
})
