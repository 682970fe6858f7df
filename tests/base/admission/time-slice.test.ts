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
