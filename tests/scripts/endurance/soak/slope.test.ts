import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { slopeOf } from '../../../../scripts/endurance/soak/slope.ts'

const HOURS = Array.from({ length: 600 }, (_, index) => index / 1_800)

test('slopeOf() finds the growth of a straight line, without doubt', () => {
  const { first, last, perHour, plusMinus } = slopeOf(
    HOURS,
    HOURS.map((hours) => 80 + 3 * hours),
  )
  expect(perHour).toBeCloseTo(3, 9)
  expect(plusMinus).toBeCloseTo(0, 9)
  expect([first, last]).toEqual([expect.closeTo(80.05, 2), expect.closeTo(80.95, 2)])
})

test('slopeOf() has the true growth in its interval, for most noise', () => {
  let misses = 0
  const noise = fc.array(fc.float({ min: -5, max: 5, noNaN: true }), {
    minLength: HOURS.length,
    maxLength: HOURS.length,
  })
  const samples = fc.sample(noise, { numRuns: 200, seed: 4 })
  for (const values of samples) {
    const { perHour, plusMinus } = slopeOf(
      HOURS,
      HOURS.map((hours, at) => 80 + 3 * hours + (values[at] ?? 0)),
    )
    if (Math.abs(perHour - 3) > plusMinus) misses += 1
  }
  // 5 % of 200 are expected.
  expect(misses).toBeLessThan(25)
})
