import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { digitsFor, isBeyond, metricOf, unitScale } from '../../../../ui/plots/chip/metric.ts'

test.each([
  ['coherence.t1', 't1', 'T1'],
  ['coherence.t2_star', 't2_star', 'T2*'],
  ['clock_freqs.f01', 'frequency', 'f01'],
  ['readout_assignment.fidelity', 'readout_fidelity', 'Readout fidelity'],
  ['randomized_benchmarking.fidelity', 'randomized_benchmarking.fidelity', '1-qubit fidelity by RB'],
  ['gate.cz', 'gate.cz', 'CZ fidelity'],
  ['rxy.amp180', 'rxy.amp180', 'rxy.amp180'],
])('metricOf(%s) is %s', (parameter, id, title) => {
  expect(metricOf(parameter)).toMatchObject({ id, title })
})

test('units have the prefix of the median; fractions are percent', () => {
  const scaleOf = (parameter: string, unit: string, values: number[]) =>
    unitScale(metricOf(parameter, unit), values)
  expect(scaleOf('coherence.t1', 's', [4e-5, 5e-5])).toEqual({ unit: 'µs', factor: 1 / 1e-6 })
  expect(scaleOf('clock_freqs.f01', 'Hz', [4.8e9])).toEqual({ unit: 'GHz', factor: 1e-9 })
  expect(scaleOf('gate.cz', '', [0.99])).toEqual({ unit: '%', factor: 100 })
  expect(scaleOf('rxy.amp180', '', [0.2])).toEqual({ unit: '', factor: 1 })
  expect(scaleOf('coherence.t1', 's', [])).toEqual({ unit: 's', factor: 1 })
})

test('all values of a map have the same number of digits, at most five characters', () => {
  const values = fc.array(fc.double({ min: 0, max: 999, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(values, (list) => {
      const digits = digitsFor(list)
      for (const value of list) expect(value.toFixed(digits).length).toBeLessThanOrEqual(6)
    }),
  )
  expect(digitsFor([97.1, 98.9])).toBe(1)
  expect(digitsFor([20, 80])).toBe(0)
})

test('a limit is a minimum for what should be high and a maximum for what should be low', () => {
  expect(isBeyond({ better: 'high' }, 97, 97.5)).toBe(true)
  expect(isBeyond({ better: 'high' }, 98, 97.5)).toBe(false)
  expect(isBeyond({ better: 'low' }, 98, 97.5)).toBe(true)
  expect(isBeyond({ better: 'none' }, 97, 97.5)).toBe(false)
  expect(isBeyond({ better: 'high' }, 97, undefined)).toBe(false)
})
