import { expect, test } from 'bun:test'
import { InboundBudget } from '../../../src/server/admission/inbound-budget.ts'
import { RATES } from '../../../src/server/admission/limits.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** Turns of the event loop that others had while 20 messages were admitted that take `workMs` each. */
async function turnsOfOthers(workMs: number): Promise<number> {
  const clock = new FakeClock()
  const budget = new InboundBudget(clock)
  const { signal } = new AbortController()
  let turns = 0
  let isOver = false
  const other = () => {
    turns += 1
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  for (let count = 0; count < 20; count += 1) {
    await budget.admit(100, signal)
    // Only the time moves: a real advance would itself give way to others.
    void clock.advance(workMs)
  }
  isOver = true
  return turns
}

test('admit() gives way to other work after at most 2 ms', async () => {
  expect(await turnsOfOthers(2)).toBeGreaterThanOrEqual(18)
  expect(await turnsOfOthers(0.1)).toBeLessThanOrEqual(3)
})

test.each([
  ['messages', RATES.driverMessages.current().burst, 1, 1 / RATES.driverMessages.current().perSecond],
  [
    'bytes',
    RATES.driverBytes.current().burst / 1_048_576,
    1_048_576,
    1_048_576 / RATES.driverBytes.current().perSecond,
  ],
])('admit() waits when the %s of the driver are used up', async (_, burst, bytes, seconds) => {
  const clock = new FakeClock()
  const budget = new InboundBudget(clock)
  const { signal } = new AbortController()
  for (let count = 0; count < burst; count += 1) await budget.admit(bytes, signal)
  let isAdmitted = false
  const next = budget.admit(bytes, signal).then(() => {
    isAdmitted = true
  })
  await clock.advance(seconds * 1_000 * 0.9)
  expect(isAdmitted).toBe(false)
  await clock.advance(seconds * 1_000 * 0.2)
  await next
})
