import { expect, test } from 'bun:test'
import { MeasuredRange } from '../../../../../src/db/store/jobs/forecast/measured-range.ts'
import { seeded } from '../../../../support/fitting/seeded.ts'

/** Durations with a spread of `sigma` in the logarithm around what is expected. */
function* durations(count: number, sigma: (at: number) => number) {
  const random = seeded(7)
  for (let at = 0; at < count; at += 1) {
    const expected = 10 ** (2 + 2 * random())
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    yield { expected, actual: expected * Math.exp(sigma(at) * normal) }
  }
}

/** Share of the durations in their ranges, and the middle of `ln(to / from)`. */
function score(count: number, sigma: (at: number) => number) {
  const range = new MeasuredRange(1)
  const widths: number[] = []
  let [inside, all] = [0, 0]
  for (const { expected, actual } of durations(count, sigma)) {
    const { from, to } = range.of(expected) ?? {}
    if (from !== undefined && to !== undefined) {
      all += 1
      if (actual >= from && actual <= to) inside += 1
      widths.push(Math.log(to / from))
    }
    range.add(expected, actual)
  }
  return {
    share: inside / all,
    width: widths.sort((one, other) => one - other)[widths.length >> 1] ?? 0,
    all,
  }
}

test('a range contains four of five durations and is as wide as they spread', () => {
  const { share, width, all } = score(3_000, () => 0.4)
  expect(all).toBe(2_990)
  expect(share).toBeGreaterThan(0.77)
  expect(share).toBeLessThan(0.87)
  // 80 % of a normal distribution lie within 1.28 standard deviations.
  expect(width).toBeGreaterThan(0.8 * 2 * 1.28 * 0.4)
  expect(width).toBeLessThan(1.3 * 2 * 1.28 * 0.4)
})

test('it follows a spread that changes', () => {
  const { share } = score(3_000, (at) => (at % 1_000 < 500 ? 0.1 : 1))
  expect(share).toBeGreaterThan(0.75)
  expect(share).toBeLessThan(0.87)
})

test('there is none on fewer than ten durations, and what makes no difference does not count', () => {
  const range = new MeasuredRange(20)
  for (let at = 0; at < 9; at += 1) range.add(0, at % 3)
  expect(range.of(0)).toBeUndefined()
  range.add(0, 1)
  expect(range.of(0)).toEqual({ from: 0, to: 2 })
})
