import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  beatsMax,
  decideStreak,
  NO_STREAK,
  type PollResult,
} from '../../../../src/devices/monitor/cryostat_gen1/back-off.ts'

function pausesOf(results: PollResult[], max: number): number[] {
  let streak = NO_STREAK
  return results.map((result) => {
    streak = decideStreak(streak, result, max)
    return streak.beats
  })
}

test.each([
  [0.2, 300],
  [5, 12],
  [7, 8],
  [40, 1],
  [61, 1],
])('beatsMax(%p) is %p', (interval, beats) => {
  expect(beatsMax(interval)).toBe(beats)
})

test('decideStreak() doubles the pause from the third failure on, up to the longest', () => {
  expect(pausesOf(new Array<PollResult>(8).fill('failed'), 12)).toEqual([1, 1, 2, 4, 8, 12, 12, 12])
})

test('decideStreak() doubles the pause at once when the key is refused', () => {
  expect(pausesOf(['denied', 'denied', 'failed', 'failed'], 12)).toEqual([2, 4, 8, 12])
})

test('decideStreak() starts anew after an answer', () => {
  expect(pausesOf(['failed', 'failed', 'failed', 'answered', 'failed', 'failed', 'failed'], 12)).toEqual([
    1, 1, 2, 1, 1, 1, 2,
  ])
})

test('decideStreak() keeps the pause between one beat and the longest', () => {
  const result = fc.constantFrom<PollResult>('answered', 'failed', 'denied')
  fc.assert(
    fc.property(fc.array(result), fc.integer({ min: 1, max: 300 }), (results, max) => {
      for (const beats of pausesOf(results, max)) expect(beats >= 1 && beats <= max).toBe(true)
    }),
  )
})
