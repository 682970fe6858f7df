import { expect, test } from 'bun:test'
import { AppError } from '../../../../src/base/index.ts'
import { DriverActivityLog } from '../../../../src/server/drivers/activity/activity-log.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

test('of() counts events and dropped ones by minute, the present minute last', async () => {
  const clock = new FakeClock()
  const log = new DriverActivityLog(clock)
  log.countEvent('one')
  log.countEvent('one')
  await clock.advance(2 * 60_000)
  log.countEvent('one')
  log.countDrop('one')
  const { events, dropped, lastEvent } = log.of('one', 'hash')
  expect(events).toHaveLength(60)
  expect(events.slice(-3)).toEqual([2, 0, 1])
  expect(dropped.slice(-3)).toEqual([0, 0, 1])
  expect(lastEvent).toBe(clock.now())
})

test('of() forgets what is older than an hour', async () => {
  const clock = new FakeClock()
  const log = new DriverActivityLog(clock)
  log.countEvent('one')
  await clock.advance(60 * 60_000)
  expect(log.of('one', 'hash').events.reduce((sum, count) => sum + count, 0)).toBe(0)
})

test('a refusal lasts until the driver is connected; unknown tokens leave none', () => {
  const log = new DriverActivityLog(new FakeClock())
  log.refused('hash', new AppError('unauthorized', 'Unknown token'))
  expect(log.of('one', 'hash').refusal).toBeUndefined()
  log.refused('hash', new AppError('conflict', 'Driver two is connected', { reason: 'already_connected' }))
  expect(log.of('one', 'hash').refusal).toMatchObject({
    code: 'already_connected',
    message: 'Driver two is connected',
  })
  log.connected('one', 'hash')
  expect(log.of('one', 'hash')).toMatchObject({ refusal: undefined, connectedAt: expect.any(Number) })
  log.disconnected('one')
  expect(log.of('one', 'hash').connectedAt).toBeUndefined()
})

test('keep() forgets drivers that are gone', () => {
  const log = new DriverActivityLog(new FakeClock())
  log.countEvent('one')
  log.refused('hash', new AppError('forbidden', 'Driver one is disabled'))
  log.keep(new Set(), new Set())
  expect(log.of('one', 'hash')).toMatchObject({ lastEvent: undefined, refusal: undefined })
})
