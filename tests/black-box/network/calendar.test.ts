import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Service } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
let service: Service

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path, { flags: ['--public-url', 'https://svc.example.org/'] })
  await service.start()
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  folder?.[Symbol.dispose]()
})

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a weekly booking appears in the calendar feed, which a restart keeps and a revocation ends', async () => {
  const { token } = await service.createUser(0)
  const body = { start_time: at(1), end_time: at(2), weeks: 3, time_zone: 'Europe/Stockholm' }
  const booked = await service.call<{ slots: { id: string }[] }>('POST', '/api/bookings', { token, body })
  expect([booked.status, booked.body.slots.length]).toEqual([201, 3])
  const again = await service.call<{ code: string }>('POST', '/api/bookings', { token, body })
  expect([again.status, again.body.code]).toEqual([400, 'slot_overlap'])

  const created = await service.call<{ url: string }>('POST', '/api/calendar-feed', { token, body: {} })
  const { origin, pathname } = new URL(created.body.url)
  expect(origin).toBe('https://svc.example.org')
  await service.stop('SIGTERM')
  await service.start()
  const read = await fetch(service.url + pathname)
  const etag = read.headers.get('etag') ?? ''
  const text = await read.text()
  expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(text.match(/SUMMARY:Your slot on every QPU\r\n/g)).toHaveLength(3)
  const known = await fetch(service.url + pathname, { headers: { 'if-none-match': etag } })
  expect(known.status).toBe(304)

  const [, second] = booked.body.slots
  const path = `/api/bookings/${second?.id}?following=1`
  expect((await service.call('DELETE', path, { token })).body).toEqual({ cancelled: 2 })
  const changed = await fetch(service.url + pathname, { headers: { 'if-none-match': etag } })
  expect((await changed.text()).match(/BEGIN:VEVENT/g)).toHaveLength(1)
  await service.call('DELETE', '/api/calendar-feed', { token })
  expect((await fetch(service.url + pathname)).status).toBe(404)
})
