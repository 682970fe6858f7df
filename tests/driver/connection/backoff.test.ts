import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Backoff } from '../../../src/driver/connection/backoff.ts'

test('Backoff.next() doubles up to its longest pause', () => {
  const pauses = new Backoff(500, 30_000, () => 1)
  expect(Array.from({ length: 8 }, () => pauses.next())).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})

test('Backoff.reset() starts over', () => {
  const pauses = new Backoff(250, 10_000, () => 0)
  pauses.next()
  pauses.next()
  pauses.reset()
  expect(pauses.next()).toBe(125)
})

test('Backoff.next() stays within the upper half of its step, however often it is called', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 2_000 }),
      (random, count) => {
        const pauses = new Backoff(250, 10_000, () => random)
        let pause = 0
        for (let i = 0; i < count; i++) pause = pauses.next()
        const cap = Math.min(250 * 2 ** (count - 1), 10_000)
        expect(pause).toBeGreaterThanOrEqual(cap / 2)
        expect(pause).toBeLessThanOrEqual(cap)
      },
    ),
  )
})
