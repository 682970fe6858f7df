import { expect, test } from 'bun:test'
import { Holds } from '../../../src/server/drivers/dispatch-backoff.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test('Holds pauses a driver twice as long each time, until it works or has a new lease', async () => {
  const clock = new FakeClock()
  const holds = new Holds(clock)
  const pause = async (epoch: number) => {
    holds.hold('d', epoch)
    let ms = 0
    for (; holds.isHeld('d', epoch); ms += 50) await clock.advance(50)
    return ms
  }
  expect(holds.isHeld('d', 1)).toBe(false)
  expect([await pause(1), await pause(1), await pause(1)]).toEqual([250, 500, 1_000])
  expect([await pause(2), await pause(2)]).toEqual([250, 500])
  holds.hold('d', 2)
  expect(holds.isHeld('d', 3)).toBe(false)
  holds.release('d')
  expect(holds.isHeld('d', 2)).toBe(false)
  expect(await pause(2)).toBe(250)
  for (let times = 0; times < 8; times += 1) await pause(2)
  expect(await pause(2)).toBe(10_000)
})
