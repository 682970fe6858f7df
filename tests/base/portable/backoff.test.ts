import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Backoff, backoffMs } from '../../../src/base/index.ts'

const LIMITS = { initialMs: 250, maxMs: 10_000 }

describe('backoffMs()', () => {
  test('doubles up to its limit, exactly without a random number', () => {
    expect([0, 1, 2, 3, 6, 7, 2_000].map((failures) => backoffMs(failures, LIMITS))).toEqual([
      0, 250, 500, 1_000, 8_000, 10_000, 10_000,
    ])
  })

  test('spreads the pause over its upper half', () => {
    const failures = [1, 2, 3, 4, 5, 6, 7, 8, 2_000]
    expect(failures.map((each) => backoffMs(each, LIMITS, () => 0))).toEqual([
      125, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000,
    ])
    expect(backoffMs(1, LIMITS, () => 0.5)).toBe(187.5)
    expect(backoffMs(2_000, LIMITS, () => 1)).toBe(10_000)
  })
})

describe('Backoff', () => {
  test('next() doubles up to its longest pause', () => {
    const pauses = new Backoff({ initialMs: 500, maxMs: 30_000 }, () => 1)
    expect(Array.from({ length: 8 }, () => pauses.next())).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ])
  })

  test('reset() starts again with the first pause', () => {
    const pauses = new Backoff(LIMITS, () => 0)
    pauses.next()
    pauses.next()
    pauses.reset()
    expect(pauses.next()).toBe(125)
  })

  test('next() stays within the upper half of its step, however often it is called', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 2_000 }),
        (random, count) => {
          const pauses = new Backoff(LIMITS, () => random)
          let pause = 0
          for (let i = 0; i < count; i++) pause = pauses.next()
          const cap = Math.min(250 * 2 ** (count - 1), 10_000)
          expect(pause).toBeGreaterThanOrEqual(cap / 2)
          expect(pause).toBeLessThanOrEqual(cap)
        },
      ),
    )
  })
})
