import { expect, test } from 'bun:test'
import { drawLevels, drawShares } from '../../../../../src/devices/bench/simulated/readout/counts.ts'
import { createRng } from '../../../../../src/simulator/index.ts'

test.each([
  [100, 0.003],
  [1000, 0.5],
  [50, 0.9],
  [1_000_000, 0.2],
])('shares of %d shots at %d have the mean and the spread of a count', (shots, probability) => {
  const rng = createRng(3)
  const draws = 3000
  let sum = 0
  let squares = 0
  for (let draw = 0; draw < draws; draw++) {
    const [, share = 0] = drawShares(rng, [1 - probability, probability], shots, false)
    const count = Math.round(share * shots)
    expect(count).toBeGreaterThanOrEqual(0)
    expect(count).toBeLessThanOrEqual(shots)
    sum += count
    squares += count * count
  }
  const mean = sum / draws
  const variance = squares / draws - mean * mean
  const expected = shots * probability
  const spread = expected * (1 - probability)
  expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(spread / draws))
  expect(variance / spread).toBeGreaterThan(0.85)
  expect(variance / spread).toBeLessThan(1.15)
})

test('shares add up to one, and are exact without noise', () => {
  const rng = createRng(1)
  const shares = drawShares(rng, [0.7, 0.2, 0.1], 1000, false)
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  expect([...drawShares(rng, [0.7, 0.2, 0.1], 10, true)]).toEqual([0.7, 0.2, 0.1])
})

test('levels of single shots follow the populations', () => {
  const levels = drawLevels(createRng(2), [0.6, 0.3, 0.1], 20_000)
  const shares = [0, 1, 2].map((level) => levels.filter((each) => each === level).length / 20_000)
  for (const [level, share] of [0.6, 0.3, 0.1].entries())
    expect(Math.abs((shares[level] ?? 0) - share)).toBeLessThan(0.015)
})
