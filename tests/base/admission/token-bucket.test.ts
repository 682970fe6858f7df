import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TokenBucket } from '../../../src/base/index.ts'

test('TokenBucket.take() grants a full bucket at once, then one token in each period', () => {
  const rate = { perSecond: 2, burst: 3 }
  const bucket = new TokenBucket(rate.burst, 1_000)
  const waits = [1_000, 1_000, 1_000, 1_000, 1_250, 1_499, 1_500, 1_500].map((now) => bucket.take(rate, now))
  expect(waits).toEqual([0, 0, 0, 0.5, 0.25, expect.closeTo(0.001, 9), 0, 0.5])
  expect([60_000, 60_000, 60_000, 60_000].map((now) => bucket.take(rate, now))).toEqual([0, 0, 0, 0.5])
})

test('TokenBucket.take() follows a rate that changes', () => {
  const bucket = new TokenBucket(1, 0)
  expect(bucket.take({ perSecond: 1, burst: 1 }, 0)).toBe(0)
  expect(bucket.take({ perSecond: 1, burst: 1 }, 500)).toBe(0.5)
  expect(bucket.take({ perSecond: 10, burst: 10 }, 500)).toBe(0)
})

test('TokenBucket.take() never grants more than a full bucket plus the tokens gained since', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 100 }), (pauses) => {
      const bucket = new TokenBucket(5, 0)
      let now = 0
      let granted = 0
      for (const pause of pauses) {
        now += pause
        if (bucket.take({ perSecond: 3, burst: 5 }, now) === 0) granted += 1
        expect(granted).toBeLessThanOrEqual(5 + (now / 1_000) * 3 + 1e-6)
      }
    }),
  )
})
