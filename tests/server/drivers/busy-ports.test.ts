import { expect, test } from 'bun:test'
import { BusyPorts } from '../../../src/server/drivers/busy-ports.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const inUse = (port: number) => Object.assign(new Error('in use'), { code: 'EADDRINUSE', port })

test('takenBy() excludes a port for ten minutes', async () => {
  const clock = new FakeClock()
  const busy = new BusyPorts(clock)
  busy.takenBy(inUse(6000))
  await clock.advance(5 * 60_000)
  busy.takenBy(inUse(6001))
  expect(busy.takenBy(new Error('another one'))).toBeUndefined()
  expect([...busy.list()]).toEqual([6000, 6001])
  await clock.advance(5 * 60_000)
  expect([...busy.list()]).toEqual([6001])
  await clock.advance(5 * 60_000)
  expect([...busy.list()]).toEqual([])
})

test('markClosing() excludes ports until they are closed, even if closing fails', async () => {
  const busy = new BusyPorts(new FakeClock())
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  busy.markClosing([6000, 6001], first.promise)
  busy.markClosing([6001], second.promise)
  first.resolve()
  await first.promise
  await Promise.resolve()
  expect([...busy.list()]).toEqual([6001])
  second.reject(new Error('no'))
  await Bun.sleep(0)
  expect([...busy.list()]).toEqual([])
})

test('freeUp() waits for closing ports first, then retries the ports of other programs on request', async () => {
  const busy = new BusyPorts(new FakeClock())
  const closed = Promise.withResolvers<void>()
  busy.takenBy(inUse(6000))
  busy.markClosing([6001], closed.promise)
  const freed = busy.freeUp(true)
  closed.resolve()
  expect(await freed).toBe(true)
  expect([...busy.list()]).toEqual([6000])
  expect(await busy.freeUp(false)).toBe(false)
  expect(await busy.freeUp(true)).toBe(true)
  expect([...busy.list()]).toEqual([])
  expect(await busy.freeUp(true)).toBe(false)
})
