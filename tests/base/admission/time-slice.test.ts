import { expect, test } from 'bun:test'
import { TimeSlice } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test('a slice is over after its time, and next() begins another one after a turn of other work', async () => {
  const clock = new FakeClock()
  const slice = new TimeSlice(clock, 2)
  await clock.advance(1.9)
  expect(slice.isOver).toBe(false)
  await clock.advance(0.1)
  expect([slice.isOver, slice.elapsedMs]).toEqual([true, 2])
  let others = 0
  setImmediate(() => (others += 1))
  await slice.next()
  expect([others, slice.isOver, clock.sleepers]).toEqual([1, false, 0])
})

test('next() rests as many times as long as the slice has taken, unless its signal ends the wait', async () => {
  const clock = new FakeClock()
  const slice = new TimeSlice(clock, 2)
  await clock.advance(4)
  let isNext = false
  const next = slice.next(3).then(() => (isNext = true))
  await clock.advance(11)
  expect(isNext).toBe(false)
  await clock.advance(1)
  await next
  expect(slice.elapsedMs).toBe(0)
  await clock.advance(4)
  await slice.next(3, AbortSignal.abort())
  expect(slice.elapsedMs).toBe(0)
})

test('fill() repeats a step in a new slice until the slice or the work is over, at least once', async () => {
  const clock = new FakeClock(undefined, 1)
  const slice = new TimeSlice(clock, 2.5)
  await clock.advance(100)
  let steps = 0
  const upTo = (last: number) => () => {
    steps += 1
    return steps === last
  }
  expect([slice.fill(upTo(5)), steps]).toEqual([false, 3])
  expect([slice.fill(upTo(5)), steps]).toEqual([true, 5])
  const short = new TimeSlice(clock, 0)
  expect([short.fill(upTo(7)), steps, short.fill(upTo(7)), steps]).toEqual([false, 6, true, 7])
})
