import { expect, test } from 'bun:test'
import { RequestTimes } from '../../../src/server/metrics/request-times.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const HOUR = 3_600_000

test('errorShare() counts the responses of the last 5 minutes', async () => {
  const clock = new FakeClock()
  const times = new RequestTimes(clock)
  const add = (status: number) => times.add({ method: 'GET', path: '/a', status, ms: 1 })
  expect(times.errorShare()).toBe(0)
  for (const status of [200, 404, 500, 503]) add(status)
  expect(times.errorShare()).toBe(0.5)
  await clock.advance(4 * 60_000)
  for (let each = 0; each < 4; each++) add(200)
  expect(times.errorShare()).toBe(0.25)
  await clock.advance(60_000)
  expect(times.errorShare()).toBe(0)
})

test('slowest() has the longest request of each of ten routes, and forgets it after two hours', async () => {
  const clock = new FakeClock()
  const times = new RequestTimes(clock)
  const add = (path: string, ms: number) => times.add({ method: 'GET', path, status: 200, ms })
  for (let route = 0; route < 12; route++) add(`/${route}`, route)
  add('/11', 500)
  add('/11', 3)
  expect(times.slowest().map(({ route, ms }) => [route, ms])).toEqual([
    ['GET /11', 500],
    ...[10, 9, 8, 7, 6, 5, 4, 3, 2].map((ms) => [`GET /${ms}`, ms]),
  ])
  await clock.advance(HOUR)
  add('/11', 20)
  expect(times.slowest()[0]).toMatchObject({ route: 'GET /11', ms: 500 })
  await clock.advance(HOUR)
  expect(times.slowest()).toMatchObject([{ route: 'GET /11', ms: 20 }])
  await clock.advance(3 * HOUR)
  expect(times.slowest()).toEqual([])
})
