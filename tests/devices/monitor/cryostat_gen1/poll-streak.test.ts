import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  decideStreak,
  NO_STREAK,
  type PollResult,
  ticksOf,
} from '../../../../src/devices/monitor/cryostat_gen1/poll-streak.ts'

function pausesOf(results: PollResult[], intervalS = 5): number[] {
  let streak = NO_STREAK
  return results.map((result) => {
    streak = decideStreak(streak, result)
    return ticksOf(streak, intervalS)
  })
}

test.each([
  [0.2, 300],
  [5, 12],
  [7, 8],
  [40, 1],
  [61, 1],
])('beatsOf() of a poll every %p s is at most %p', (interval, beats) => {
  expect(ticksOf({ failures: 20, slowdowns: 20 }, interval)).toBe(beats)
  expect(ticksOf(NO_STREAK, interval)).toBe(1)
})

test('decideStreak() doubles the pause from the third failure on, up to the maximum', () => {
  expect(pausesOf(new Array<PollResult>(8).fill('failed'))).toEqual([1, 1, 2, 4, 8, 12, 12, 12])
})

test('decideStreak() doubles the pause at once when the key is refused', () => {
  expect(pausesOf(['denied', 'denied', 'failed', 'failed'])).toEqual([2, 4, 8, 12])
})

test('decideStreak() resets the streak after a successful poll', () => {
  expect(pausesOf(['failed', 'failed', 'failed', 'answered', 'failed', 'failed', 'failed'])).toEqual([
    1, 1, 2, 1, 1, 1, 2,
  ])
})

test('decideStreak() limits the pause to between one tick and the maximum', () => {
  const result = fc.constantFrom<PollResult>('answered', 'failed', 'denied')
  fc.assert(
    fc.property(fc.array(result), fc.integer({ min: 1, max: 300 }), (results, beats) => {
      for (const pause of pausesOf(results, 60 / beats)) expect(pause >= 1 && pause <= beats).toBe(true)
    }),
  )
})
