import { expect, test } from 'bun:test'
import { compareFigures } from '../../bench/compare/comparison.ts'
import { medianInterval } from '../../bench/support/figures.ts'

const ROUNDS = Array.from({ length: 20 }, (_, round) => round)

test('compareFigures() compares the figures of each round; a time is worse when longer, a rate when smaller', () => {
  const slower = { old: [10, 100, 12], new: [12.5, 120, 15.6] }
  const compared = compareFigures('start', { unit: 'ms', ...slower }, 5)
  expect(compared).toMatchObject({ name: 'start', unit: 'ms', old: 12, new: 15.6 })
  expect(compared.worse.median).toBeCloseTo(25)
  const rates = { old: [90, 100, 110], new: [72, 50, 125] }
  expect(compareFigures('jobs', { unit: 'per s', ...rates }, 5).worse.median).toBeCloseTo(25)
  const faster = { old: [100], new: [125] }
  expect(compareFigures('jobs', { unit: 'per s', ...faster }, 5).worse.median).toBeCloseTo(-20)
})

test('other work on the machine, which slows both sides of a round, does not decide', () => {
  const load = ROUNDS.map((round) => 10 * (1 + (round % 7)))
  const verdictWith = (factor: number) =>
    compareFigures('view', { unit: 'ms', old: load, new: load.map((each) => each * factor) }, 5).verdict
  expect(verdictWith(1.04)).toBe('no worse')
  expect(verdictWith(1.06)).toBe('worse')
  const mixed = load.map((each, round) => each * (round % 2 === 0 ? 0.8 : 1.3))
  expect(compareFigures('view', { unit: 'ms', old: load, new: mixed }, 5).verdict).toBe('undecided')
})

test('medianInterval() leaves out the order statistics of the sign test', () => {
  // Tables of the sign test: of 20 values the 6th and the 15th, of 10 the 2nd and the 9th.
  expect(medianInterval(ROUNDS)).toEqual({ low: 5, high: 14 })
  expect(medianInterval(ROUNDS.slice(0, 10).toReversed())).toEqual({ low: 1, high: 8 })
  expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 })
})
