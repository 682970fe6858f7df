import { expect, test } from 'bun:test'
import { limitOfValue } from '../../../../../ui/pages/calibrations/reading/limits.ts'

const RB = 'randomized_benchmarking.fidelity'

test('the limit of a report precedes that of the QPU, which precedes the usual one', () => {
  const limits = { [RB]: 0.995 }
  const limitOf = (more: object) => limitOfValue({ parameter: RB, element: 'q0', limits: {}, ...more })?.value
  expect(limitOf({})).toBe(0.99)
  expect(limitOf({ limits })).toBe(0.995)
  expect(limitOf({ limits, reported: 0.999 })).toBe(0.999)
  expect(limitOfValue({ parameter: 'cz_rb.fidelity', element: 'q0_q1', limits })?.value).toBe(0.95)
})

test('only gates have usual limits, and only what is better high or low has any', () => {
  const limitOf = (parameter: string, limits = {}) => limitOfValue({ parameter, element: 'q0', limits })
  expect(limitOf('readout_fidelity.fidelity')).toBeUndefined()
  expect(limitOf('readout_fidelity.fidelity', { readout_fidelity: 0.97 })).toEqual({
    ...{ value: 0.97, side: 'below' },
  })
  expect(limitOf('coherence.t1', { t1: 2e-5 })).toEqual({ value: 2e-5, side: 'below' })
  expect(limitOf('clock_freqs.f01', { frequency: 5e9 })).toBeUndefined()
})
