import { expect, test } from 'bun:test'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test('DispatchBackoff doubles the pause of a driver until it works or has a new lease', async () => {
  const clock = new FakeClock()
  const backoff = new DispatchBackoff(clock)
  const pause = async (epoch: number) => {
    backoff.penalize('d', epoch)
    let ms = 0
    for (; backoff.isActive('d', epoch); ms += 50) await clock.advance(50)
    return ms
  }
  expect(backoff.isActive('d', 1)).toBe(false)
  expect([await pause(1), await pause(1), await pause(1)]).toEqual([250, 500, 1_000])
  expect([await pause(2), await pause(2)]).toEqual([250, 500])
  backoff.penalize('d', 2)
  expect(backoff.isActive('d', 3)).toBe(false)
  backoff.clear('d')
  expect(backoff.isActive('d', 2)).toBe(false)
  expect(await pause(2)).toBe(250)
  for (let times = 0; times < 8; times += 1) await pause(2)
  expect(await pause(2)).toBe(10_000)
})
