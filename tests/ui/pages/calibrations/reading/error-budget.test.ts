import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { errorBudget, limitingPart } from '../../../../../ui/pages/calibrations/reading/error-budget.ts'

test('errorBudget() of a gate of 28 ns', () => {
  const budget = errorBudget({ duration: 28e-9, t1: 60e-6, t2: 40e-6, leakage: 1e-5, total: 4e-4 })
  expect(budget?.relaxation).toBeCloseTo(1.556e-4, 7)
  expect(budget?.dephasing).toBeCloseTo(1.556e-4, 7)
  expect(budget?.coherent).toBeCloseTo(7.89e-5, 6)
})

test('the parts add up to the measured error, unless the known causes exceed it', () => {
  const time = fc.double({ min: 1e-7, max: 1e-3, noNaN: true })
  const share = fc.double({ min: 0, max: 0.1, noNaN: true })
  const figures = fc.record({ t1: time, t2: time, leakage: share, total: share })
  fc.assert(
    fc.property(figures, (given) => {
      const budget = errorBudget({ duration: 28e-9, ...given })
      if (!budget) return
      const { relaxation, dephasing, leakage, coherent, total } = budget
      for (const part of [relaxation, dephasing, leakage, coherent]) expect(part).toBeGreaterThanOrEqual(0)
      const sum = relaxation + dephasing + leakage + coherent
      expect(sum).toBeCloseTo(Math.max(total, relaxation + dephasing + leakage), 12)
    }),
  )
})

test('figures that no qubit can have make no budget', () => {
  const good = { duration: 28e-9, t1: 60e-6, t2: 40e-6, leakage: 0, total: 4e-4 }
  for (const wrong of [{ t1: 0 }, { t2: Number.NaN }, { leakage: -1 }, { total: 2 }, { duration: -1 }])
    expect(errorBudget({ ...good, ...wrong })).toBeUndefined()
  const budget = errorBudget({ ...good, t2: 20e-6 })
  expect(budget && limitingPart(budget)).toBe('dephasing')
})
