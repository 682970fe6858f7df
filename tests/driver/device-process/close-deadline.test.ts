import { expect, test } from 'bun:test'
import { CloseDeadline } from '../../../src/driver/device-process/close-deadline.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const never = new Promise<never>(() => undefined)

test('a device has 2 s to close, and ends the wait when it has', async () => {
  const clock = new FakeClock()
  expect(await new CloseDeadline(clock).wait(Promise.resolve())).toBe(true)
  expect(await new CloseDeadline(clock).wait(Promise.reject(new Error('exit')))).toBe(true)
  const over = new CloseDeadline(clock).wait(never)
  await clock.advance(2_000)
  expect(await over).toBe(false)
  expect(clock.sleepers).toBe(0)
})

test('an extension counts from its own time, is bounded by 30 s, and never shortens', async () => {
  const clock = new FakeClock()
  const deadline = new CloseDeadline(clock)
  const over = deadline.wait(never)
  await clock.advance(1_500)
  deadline.extend(10_000)
  expect(deadline.totalMs).toBe(11_500)
  deadline.extend(100)
  expect(deadline.totalMs).toBe(11_500)
  await clock.advance(10_000 - 1)
  expect(clock.sleepers).toBe(1)
  deadline.extend(60_000)
  expect(deadline.totalMs).toBe(30_000)
  await clock.advance(30_000 - 11_500)
  expect(clock.sleepers).toBe(1)
  await clock.advance(1)
  expect(await over).toBe(false)
})
