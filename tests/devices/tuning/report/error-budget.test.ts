import { expect, test } from 'bun:test'
import { coherenceLimit, disagree, errorBudget } from '../../../../src/devices/tuning/report/error-budget.ts'

/** Average fidelity of idling for `t` s, over the six states of the Bloch sphere. */
function idleFidelity(t: number, t1: number, t2: number): number {
  const poles = [1, 0.5 + 0.5 * (2 * Math.exp(-t / t1) - 1)]
  const equator = 0.5 + 0.5 * Math.exp(-t / t2)
  return ((poles[0] ?? 0) + (poles[1] ?? 0) + 4 * equator) / 6
}

test('coherenceLimit() is the error of idling, to first order, with the error of its times', () => {
  const error = 1 - idleFidelity(2e-9, 50e-6, 40e-6)
  const qubit = { t1: { value: 50e-6, error: 1e-6 }, t2: { value: 40e-6, error: 2e-6 } }
  const limit = coherenceLimit(2e-9, [qubit])
  expect(limit?.value).toBeCloseTo(error, 8)
  const changed = (times: Partial<typeof qubit>) =>
    (coherenceLimit(2e-9, [{ ...qubit, ...times }])?.value ?? Number.NaN) - (limit?.value ?? Number.NaN)
  const spread = Math.hypot(
    changed({ t1: { value: 50.01e-6, error: 0 } }),
    changed({ t2: { value: 40.02e-6, error: 0 } }),
  )
  expect((limit?.error ?? 0) / (100 * spread)).toBeCloseTo(1, 2)
  expect(coherenceLimit(20e-9, [{ t1: { value: 50e-6 } }])).toBeUndefined()
  expect(coherenceLimit(20e-9, [{ t1: { value: 50e-6 }, t2: { value: 40e-6 } }])?.error).toBeUndefined()
})

const NONE = { incoherent: undefined, leakage: undefined, readout: undefined }
const LONG = [{ t1: { value: 50e-6, error: 1e-6 }, t2: { value: 40e-6, error: 1e-6 } }]

test('errorBudget() leaves out what was not measured', () => {
  const measured = { value: 1e-3, error: 1e-5 }
  expect(errorBudget({ measured, gateDuration: undefined, qubits: [{}], ...NONE })).toEqual({
    ...{ measured: 1e-3, measured_error: 1e-5 },
  })
})

test('errorBudget() has an error for each part, and a bound for the rest that is not resolved', () => {
  const limit = coherenceLimit(56e-9, LONG) ?? { value: Number.NaN, error: Number.NaN }
  const above = errorBudget({
    ...{ measured: { value: 2e-3, error: 1e-5 }, gateDuration: 56e-9, qubits: LONG, ...NONE },
  })
  expect(above['coherent']).toBeCloseTo(2e-3 - limit.value, 10)
  expect(above['coherent_error']).toBeCloseTo(Math.hypot(1e-5, limit.error ?? Number.NaN), 10)
  // Less than its known causes: the rest is no zero, it is below what the errors allow.
  const below = errorBudget({
    ...{ measured: { value: 0.9 * limit.value, error: 1e-5 }, gateDuration: 56e-9, qubits: LONG, ...NONE },
  })
  expect(below['coherent']).toBeUndefined()
  expect(below).toMatchObject({ upper_bounds: { coherent: expect.any(Number) }, confidence: 0.95 })
})

test('errorBudget() says nothing about a rest of which nobody knows the error', () => {
  const measured = { value: 1e-3, error: 1e-5 }
  const qubits = [{ t1: { value: 50e-6 }, t2: { value: 40e-6, error: 1e-6 } }]
  const budget = errorBudget({ measured, gateDuration: 56e-9, qubits, ...NONE })
  expect([budget['coherent'], budget['upper_bounds']]).toEqual([undefined, undefined])
})

test('errorBudget() of an error that is not resolved has bounds alone', () => {
  expect(errorBudget({ measured: { below: 2e-5 }, gateDuration: undefined, qubits: [{}], ...NONE })).toEqual({
    ...{ upper_bounds: { measured: 2e-5, coherent: 2e-5 }, confidence: 0.95 },
  })
})

test.each([
  [{ value: 1e-3, error: 1e-4 }, { value: 1.2e-3, error: 1e-4 }, false],
  [{ value: 1.2e-4, error: 1e-5 }, { value: 9.9e-3, error: 1e-3 }, true],
  [{ value: 9.9e-3, error: 1e-3 }, { below: 2e-3 }, true],
  [{ below: 2e-3 }, { value: 2.5e-3, error: 1e-3 }, false],
  [{ below: 2e-3 }, { below: 1e-5 }, false],
] as const)('disagree(): %j and %j: %p', (one, other, expected) => {
  expect(disagree(one, other)).toBe(expected)
  expect(disagree(other, one)).toBe(expected)
})
