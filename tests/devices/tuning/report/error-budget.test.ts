import { expect, test } from 'bun:test'
import { coherenceLimit, errorBudget } from '../../../../src/devices/tuning/report/error-budget.ts'

/** Average fidelity of idling for `t` s, over the six states of the Bloch sphere. */
function idleFidelity(t: number, t1: number, t2: number): number {
  const poles = [1, 0.5 + 0.5 * (2 * Math.exp(-t / t1) - 1)]
  const equator = 0.5 + 0.5 * Math.exp(-t / t2)
  return ((poles[0] ?? 0) + (poles[1] ?? 0) + 4 * equator) / 6
}

test('coherenceLimit() is the error of idling, to first order', () => {
  const error = 1 - idleFidelity(2e-9, 50e-6, 40e-6)
  expect(coherenceLimit(2e-9, [{ t1: 50e-6, t2: 40e-6 }])).toBeCloseTo(error, 8)
  expect(coherenceLimit(20e-9, [{ t1: 50e-6 }])).toBeUndefined()
})

test('errorBudget() leaves out what was not measured, and never has a negative part', () => {
  const none = { incoherent: undefined, leakage: undefined, readout: undefined }
  expect(errorBudget({ measured: 1e-3, gateDuration: undefined, qubits: [{}], ...none })).toEqual({
    measured: 1e-3,
  })
  const qubits = [{ t1: 1e-6, t2: 1e-6 }]
  expect(errorBudget({ measured: 1e-3, gateDuration: 1e-6, qubits, ...none }).coherent).toBe(0)
})
