import { expect, test } from 'bun:test'
import { resolveAxis, spread } from '../../../../src/devices/tuning/walk/axis.ts'

const derived = { start: 0, stop: 10, points: 3 }
const valuesOf = (
  ...[given, from = derived]: [Parameters<typeof resolveAxis>[1], (typeof derived | number[])?]
) => [...resolveAxis('x', given, from).values]

test('resolveAxis() completes what the configuration gives by the derived range', () => {
  expect(valuesOf(undefined)).toEqual([0, 5, 10])
  expect(valuesOf({ points: 2 })).toEqual([0, 10])
  expect(valuesOf({ span: 4 })).toEqual([3, 5, 7])
  expect(valuesOf({ center: 100 })).toEqual([95, 100, 105])
  expect(valuesOf({ start: 4, stop: 6 })).toEqual([4, 5, 6])
  expect(valuesOf({ values: [1, 7] })).toEqual([1, 7])
  expect(valuesOf(undefined, [1, 7, 13])).toEqual([1, 7, 13])
  expect(valuesOf({ start: 0, stop: 1 }, [1, 7, 13])).toEqual([0, 0.5, 1])
})

test('spread() spaces logarithms evenly and ends exactly', () => {
  const values = spread({ start: 0.001, stop: 0.1, points: 3, scale: 'log' })
  expect(values[1]).toBeCloseTo(0.01, 12)
  expect(values[2]).toBe(0.1)
  expect([...spread({ start: 2, stop: 3, points: 1 })]).toEqual([2])
})
