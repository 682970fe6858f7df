import { expect, test } from 'bun:test'
import {
  fewMembers,
  normalNodes,
  pairMembers,
} from '../../../../../src/devices/bench/simulated/dynamics/ensemble.ts'

test.each([0.02, 0.3, 1, 2.5, 5])('nodes for a phase spread of %d give the mean of its cosine', (spread) => {
  const nodes = normalNodes(spread)
  const total = nodes.reduce((sum, { weight }) => sum + weight, 0)
  const mean = nodes.reduce(
    (sum, { weight, values }) => sum + weight * Math.cos(spread * (values[0] ?? 0)),
    0,
  )
  expect(total).toBeCloseTo(1, 10)
  expect(Math.abs(mean - Math.exp((-spread * spread) / 2))).toBeLessThan(5e-4)
})

test.each([
  [1, 1],
  [1, 0.1],
  [0.2, 0.1],
])(
  'members of a pair are centered, of deviation one and independent, for spreads %d and %d',
  (spread, gateSpread) => {
    const members = pairMembers(spread, gateSpread)
    const mean = (of: (values: readonly number[]) => number) =>
      members.reduce((sum, { weight, values }) => sum + weight * of(values), 0)
    for (const k of [0, 1, 2]) {
      expect(Math.abs(mean((values) => values[k] ?? 0))).toBeLessThan(1e-9)
      expect(Math.abs(mean((values) => (values[k] ?? 0) ** 2) - 1)).toBeLessThan(1e-9)
    }
    expect(Math.abs(mean(([a = 0, b = 0]) => a * b))).toBeLessThan(1e-9)
    expect(mean(() => 1)).toBeCloseTo(1, 12)
  },
)

test('only noise that plays a role has members', () => {
  expect(pairMembers(0, 0.01)).toHaveLength(1)
  expect(pairMembers(0.2, 0)).toHaveLength(4)
  expect(pairMembers(0, 0.2).map(({ values }) => values)).toEqual([
    [0, 0, 1],
    [0, 0, -1],
  ])
})

test.each([
  [1, [0.2, 0.1, 0, 0.3, 0.01]],
  [2, [0.5, 0.4, 0.1, 0.3]],
])('few members of %d sets are centered, of deviation one and independent', (count, spreads) => {
  const sets = fewMembers(spreads) ?? []
  expect(sets).toHaveLength(count)
  for (const members of sets) expect(members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
  // Sets are independent, and centered each: their moments add up.
  const mean = (of: (values: readonly number[]) => number) =>
    sets.flat().reduce((sum, { weight, values }) => sum + weight * of(values), 0)
  for (const [axis, spread] of spreads.entries()) {
    expect(mean((values) => values[axis] ?? 0)).toBeCloseTo(0, 12)
    for (const other of spreads.keys()) {
      const expected = axis === other && spread > 0.03 ? 1 : 0
      expect(mean((values) => (values[axis] ?? 0) * (values[other] ?? 0))).toBeCloseTo(expected, 12)
    }
  }
  const sum = spreads.filter((spread) => spread > 0.03).reduce((total, spread) => total + spread ** 2, 0)
  const cosines = sets.map((members) =>
    members.reduce(
      (total, { weight, values }) =>
        total +
        weight * Math.cos(values.reduce((phase, value, axis) => phase + value * (spreads[axis] ?? 0), 0)),
      0,
    ),
  )
  const cosine = cosines.reduce((product, each) => product * each, 1)
  expect(Math.abs(cosine - Math.exp(-sum / 2))).toBeLessThan(0.02)
})

test('much noise of many variables has no few members', () => {
  expect(fewMembers([1, 1])).toBeUndefined()
  expect(fewMembers(new Array(20).fill(0.3))).toBeUndefined()
  expect(fewMembers([0, 0.01])).toEqual([])
})
