import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { spreadLabels, valueRange } from '../../../../ui/plots/time-series/scale.ts'

test('valueRange() of a logarithmic axis ends at whole decades', () => {
  expect(valueRange('log', [0.0098, 48.2])).toEqual([0.001, 100])
  expect(valueRange('log', [2, 3])).toEqual([1, 10])
  expect(valueRange('log', [10, 10])).toEqual([10, 100])
})

test('valueRange() leaves out values that have no place on the axis', () => {
  expect(valueRange('log', [0, -4, 0.5])).toEqual([0.1, 1])
  expect(valueRange('log', [Number.NaN])).toEqual([1, 10])
  expect(valueRange('linear', [])).toEqual([0, 1])
})

test('valueRange() of a linear axis begins at 0 for values near it', () => {
  const [low, high] = valueRange('linear', [0.49, 0.95])
  expect(low).toBeLessThan(0.49)
  expect(high).toBeGreaterThan(0.95)
  expect(valueRange('linear', [0.1, 0.9])[0]).toBe(0)
})

test('valueRange() contains every value and has a span', () => {
  const values = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 })
  fc.assert(
    fc.property(values, (list) => {
      const [low, high] = valueRange('linear', list)
      expect(high).toBeGreaterThan(low)
      expect(low).toBeLessThanOrEqual(Math.min(...list))
      expect(high).toBeGreaterThanOrEqual(Math.max(...list))
    }),
  )
})

test('spreadLabels() separates labels and keeps them above the bottom', () => {
  const places = spreadLabels([100, 98, 20], 15, 110)
  expect(places[2]).toBe(20)
  expect(Math.abs((places[0] ?? 0) - (places[1] ?? 0))).toBe(15)
  expect(Math.max(...places)).toBeLessThanOrEqual(110)
})
