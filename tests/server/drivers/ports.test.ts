import { expect, test } from 'bun:test'
import { BusyPorts } from '../../../src/server/drivers/ports.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test('foreign() leaves a port out for ten minutes', async () => {
  const clock = new FakeClock()
  const busy = new BusyPorts(clock)
  busy.foreign(6000)
  await clock.advance(5 * 60_000)
  busy.foreign(6001)
  expect([...busy.now()]).toEqual([6000, 6001])
  await clock.advance(5 * 60_000)
  expect([...busy.now()]).toEqual([6001])
  await clock.advance(5 * 60_000)
  expect([...busy.now()]).toEqual([])
})

test('closing() leaves ports out until they are closed, also when that fails', async () => {
  const busy = new BusyPorts(new FakeClock())
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  busy.closing([6000, 6001], first.promise)
  busy.closing([6001], second.promise)
  first.resolve()
  await first.promise
  await Promise.resolve()
  expect([...busy.now()]).toEqual([6001])
  second.reject(new Error('no'))
  await Bun.sleep(0)
  expect([...busy.now()]).toEqual([])
})

test('makeRoom() waits for closing ports first, then gives foreign ones another chance when told to', async () => {
  const busy = new BusyPorts(new FakeClock())
  const closed = Promise.withResolvers<void>()
  busy.foreign(6000)
  busy.closing([6001], closed.promise)
  const room = busy.makeRoom(true)
  closed.resolve()
  expect(await room).toBe(true)
  expect([...busy.now()]).toEqual([6000])
  expect(await busy.makeRoom(false)).toBe(false)
  expect(await busy.makeRoom(true)).toBe(true)
  expect([...busy.now()]).toEqual([])
  expect(await busy.makeRoom(true)).toBe(false)
})
