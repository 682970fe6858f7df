import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fitDampedCosine, solveDetuning } from '../../../../src/devices/fitting/models/damped-cosine.ts'
import { finished } from '../../../support/fitting/finished.ts'
import { spaced } from '../../../support/fitting/trials.ts'

const ARTIFICIAL = [-1e6, 0.4e6, 1e6]
const fringesOf = (detuning: number, error = 500) =>
  ARTIFICIAL.map((artificial) => ({
    artificial,
    frequency: { value: Math.abs(artificial + detuning), error },
  }))

test('solveDetuning() finds the sign of any detuning', () => {
  fc.assert(
    fc.property(fc.double({ min: -4e6, max: 4e6, noNaN: true }), (detuning) => {
      const solved = solveDetuning(fringesOf(detuning))
      expect(solved.ok && Math.abs(solved.values.detuning.value - detuning) < 1).toBe(true)
    }),
  )
})

test('solveDetuning() weighs the fringes by their errors', () => {
  const fringes = fringesOf(200e3).map((fringe, at) => ({
    ...fringe,
    frequency: { value: fringe.frequency.value + (at === 1 ? 4_000 : 0), error: at === 1 ? 5_000 : 300 },
  }))
  const solved = solveDetuning(fringes)
  expect(solved.ok && Math.abs(solved.values.detuning.value - 200e3)).toBeLessThan(30)
  expect(solved.ok && solved.values.detuning.error).toBeCloseTo(211.9, 0)
})

test('solveDetuning() rejects fringes of a frequency that jumps', () => {
  const jumping = fringesOf(100e3).map((fringe, at) =>
    at === 2 ? { ...fringe, frequency: { value: 1.25e6, error: 500 } } : fringe,
  )
  expect(solveDetuning(jumping)).toMatchObject({ ok: false, code: 'unresolved' })
})

test('solveDetuning() rejects fringes that both signs explain', () => {
  const twins = [1e6, 1e6, 1e6].map((artificial) => ({ artificial, frequency: { value: 3e6, error: 500 } }))
  expect(solveDetuning(twins)).toMatchObject({ ok: false, code: 'unresolved' })
  expect(solveDetuning(fringesOf(1e5).slice(1))).toMatchObject({ ok: false, code: 'no_data' })
})

const times = spaced(0, 10e-6, 81)

test('fitDampedCosine() rejects a decay that the sweep does not show', () => {
  const wave = (decay: number) =>
    times.map((t, at) => 0.5 + 0.4 * Math.exp(-t / decay) * Math.cos(6e6 * t) + 1e-3 * Math.sin(at ** 2))
  expect(finished(fitDampedCosine(times, wave(40e-6), { wanted: 'decay' }))).toMatchObject({
    code: 'edge_of_sweep',
  })
  expect(finished(fitDampedCosine(times, wave(40e-6), { wanted: 'frequency' })).ok).toBe(true)
  expect(finished(fitDampedCosine(times, wave(8e-6), { wanted: 'decay' })).ok).toBe(true)
})

test('fitDampedCosine() reports what its caller calls implausible, last of all tests', () => {
  const y = times.map((t) => 0.5 + 0.4 * Math.exp(-t / 8e-6) * Math.cos(6e6 * t))
  const implausible = () => 'T2* is longer than 2 T1'
  expect(finished(fitDampedCosine(times, y, { wanted: 'decay', implausible }))).toMatchObject({
    ok: false,
    code: 'implausible',
    message: 'T2* is longer than 2 T1',
    fit: { kind: 'line', model: 'damped_cosine' },
  })
})
