import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { decisionLines } from '../../../../ui/plots/fit/decision-lines.ts'
import { rangeOf, roundTicks, tickText } from '../../../../ui/plots/fit/ticks.ts'

const BOX = { left: -10, right: 10, bottom: -10, top: 10 }

test('two states are divided by their perpendicular bisector', () => {
  expect(
    decisionLines(
      [
        [-1, 0],
        [1, 0],
      ],
      BOX,
    ),
  ).toEqual([{ from: [0, -10], to: [0, 10], between: [0, 1] }])
  expect(
    decisionLines(
      [
        [0, 0],
        [0, 0],
      ],
      BOX,
    ),
  ).toEqual([])
})

test('a decision line is equally far from its two states, and nothing is nearer', () => {
  const coordinate = fc.integer({ min: -8, max: 8 })
  const centers = fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(centers, (centroids) => {
      for (const { from, to, between } of decisionLines(centroids, BOX)) {
        const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] as const
        const distances = centroids.map(([x, y]) => Math.hypot(x - middle[0], y - middle[1]))
        const [a = 0, b = 0] = [distances[between[0]], distances[between[1]]]
        expect(a).toBeCloseTo(b, 6)
        expect(Math.min(...distances)).toBeCloseTo(a, 6)
      }
    }),
  )
})

test('ticks are round, lie in the range and differ as texts', () => {
  const bound = fc.double({ min: -1e5, max: 1e5, noNaN: true })
  fc.assert(
    fc.property(bound, bound, (one, other) => {
      const [low, high] = one < other ? [one, other] : [other, one]
      if (high - low < 1e-3) return
      const ticks = roundTicks(low, high)
      expect(ticks.length).toBeGreaterThan(1)
      const margin = (high - low) * 1e-6
      for (const tick of ticks) expect(tick >= low - margin && tick <= high + margin).toBe(true)
      expect(new Set(ticks.map((tick) => tickText(tick, ticks))).size).toBe(ticks.length)
    }),
  )
  expect(rangeOf([])).toEqual([0, 1])
  expect(rangeOf([5])[0]).toBeLessThan(5)
})
