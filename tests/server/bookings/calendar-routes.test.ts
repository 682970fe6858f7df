import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'

const HOUR = 3_600_000
const FEED = '/api/calendar-feed'

async function open() {
  const clock = new FakeClock()
  await clock.advance(Date.UTC(2026, 10, 20, 12, 5) - clock.now())
  const server = await openTestServer({ clock })
  return { server, clock, ada: await server.createUser(), qpu: await server.createQpu('north') }
}
const at = (hours: number) => toTimestamp(Date.UTC(2026, 10, 20, 12) + hours * HOUR)

async function addSlot(server: TestServer, user: TestAccount, [from, to]: [number, number], qpu = '') {
  const row = { start_time: at(from), end_time: at(to), booked_by: user.id, qpu }
  return (await server.db.write('slot', (tx) => tx.insert(timeSlots, row))).id
}

/** Creates a feed; returns the path of its address. */
async function createFeed(server: TestServer, user: TestAccount, body: object = {}): Promise<string> {
  const created = await server.as(user).post(FEED, body)
  expect(created.status).toBe(201)
  return new URL(created.text('url')).pathname
}

/** Reads an address as a calendar program does: without credentials. */
const read = (server: TestServer, path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers })

describe('/api/calendar-feed', () => {
  test('its secret address contains the own slots, of all QPUs, and nobody else', async () => {
    const { server, ada, qpu } = await open()
    await using _ = server
    const bob = await server.createUser()
    const own = await addSlot(server, ada, [1, 3], qpu.id)
    await addSlot(server, ada, [24, 25])
    await addSlot(server, ada, [-24 * 40, -24 * 40 + 1])
    const foreign = await addSlot(server, bob, [5, 6])
    expect((await server.as(ada).get(FEED)).body).toEqual({ feed: null })
    const path = await createFeed(server, ada)
    expect(path).toMatch(/^\/api\/calendar\/[0-9a-f]{64}\.ics$/)
    const response = await read(server, path)
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(2)
    expect(text).toContain(`UID:${own}@`)
    expect(text).toContain('DTSTART:20261120T130000Z\r\nDTEND:20261120T150000Z\r\nSUMMARY:Your slot on north')
    expect(text).toContain('SUMMARY:Your slot on every QPU')
    for (const hidden of [foreign, ada.id, ada.email, bob.id, bob.email]) expect(text).not.toContain(hidden)
    const feed = await server.as(ada).get(FEED)
    expect(feed.body).toEqual({ feed: { qpu: '', created: at(1 / 12) } })
  })

  test('a new address replaces the one before; a revoked one is not found', async () => {
    const { server, ada } = await open()
    await using _ = server
    const first = await createFeed(server, ada)
    const second = await createFeed(server, ada)
    expect([(await read(server, first)).status, (await read(server, second)).status]).toEqual([404, 200])
    expect((await server.as(ada).call('DELETE', FEED)).body).toEqual({ status: 'deleted' })
    expect((await read(server, second)).status).toBe(404)
    expect((await server.as(ada).call('DELETE', FEED)).status).toBe(404)
    expect((await server.as(ada).patch(FEED, { qpu: '' })).status).toBe(404)
    const audit = await server.admin.get('/api/op/audit?action=calendar_feed.create')
    expect(audit.body).toMatchObject({ entries: [{ subject: ada.id }, { subject: ada.id }] })
    expect(JSON.stringify(audit.body)).not.toContain(second.slice(14, 40))
  })

  test('is unchanged (304) until a slot changes', async () => {
    const { server, ada } = await open()
    await using _ = server
    const path = await createFeed(server, ada)
    const etag = (await read(server, path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const known = { 'if-none-match': `"other", W/${etag}` }
    const unchanged = await read(server, path, known)
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    await addSlot(server, ada, [1, 2])
    expect((await read(server, path, known)).status).toBe(200)
  })

  test('includes calibrations and maintenance of a chosen QPU', async () => {
    const { server, ada, qpu } = await open()
    await using _ = server
    const { id: driver } = await server.createTuner(qpu)
    await server.db.write('t', (tx) => {
      const done = { driver, mode: 'full', status: 'done', started_at: at(-5), finished_at: at(-4) } as const
      tx.insert(calibrationRequests, done)
      tx.insert(calibrationRequests, { driver, mode: 'partial', status: 'running', started_at: at(-1) })
      tx.insert(calibrationRequests, { driver, mode: 'full' })
    })
    const reason = 'Helium, refill; see\nthe log'
    await server.admin.post('/api/op/qpu/maintenance', { id: qpu.id, maintenance: true, reason })
    const path = await createFeed(server, ada)
    expect(await (await read(server, path)).text()).not.toContain('Calibration')
    expect((await server.as(ada).patch(FEED, { qpu: 'north' })).body).toMatchObject({ qpu: qpu.id })
    const text = await (await read(server, path)).text()
    expect(text).toContain('SUMMARY:Calibration (full) of north')
    // Its end is not known, so it lasts until the end of the present quarter of an hour.
    expect(text).toContain(
      'DTSTART:20261120T110000Z\r\nDTEND:20261120T121500Z\r\nSUMMARY:Calibration is running (partial)',
    )
    expect(text).toContain('DTSTART;VALUE=DATE:20261120\r\nDTEND;VALUE=DATE:20261121')
    expect(text).toContain('DESCRIPTION:Helium\\, refill\\; see\\nthe log')
    expect((await server.as(ada).patch(FEED, { qpu: 'south' })).status).toBe(404)
  })

  test('ends with the account, and when its credentials end', async () => {
    // The removal of a user pauses, which a clock that stands still would not end.
    await using server = await openTestServer()
    const ada = await server.createUser()
    const path = await createFeed(server, ada)
    await server.as(ada).post('/api/auth/logout-everywhere', { api_tokens: true })
    expect((await read(server, path)).status).toBe(404)
    const bob = await server.createUser()
    const other = await createFeed(server, bob)
    await server.admin.patch(`/api/collections/users/records/${bob.id}`, { disabled: true })
    expect((await read(server, other)).status).toBe(404)
    await server.admin.patch(`/api/collections/users/records/${bob.id}`, { disabled: false })
    expect((await read(server, other)).status).toBe(404)
    bob.token = await login(server.guest, 'users', bob)
    const third = await createFeed(server, bob)
    await server.admin.call('DELETE', `/api/collections/users/records/${bob.id}`)
    expect((await read(server, third)).status).toBe(404)
    expect(await server.db.read((tx) => tx.one('SELECT count(*) AS n FROM calendar_feeds'))).toEqual({ n: 0 })
  })

  test('reads and new addresses are limited; wrong addresses are all not found', async () => {
    const { server, clock, ada } = await open()
    await using _ = server
    const path = await createFeed(server, ada)
    const statuses: number[] = []
    for (let call = 0; call < 12; call += 1) statuses.push((await read(server, path)).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429])
    await clock.advance(10_000)
    expect((await read(server, path)).status).toBe(200)
    for (const wrong of ['x.ics', '.ics', path.slice(14, -4), `${'x'.repeat(5_000)}.ics`, `${path}x`])
      expect((await read(server, `/api/calendar/${wrong}`)).status).toBe(404)
    const created: number[] = []
    for (let call = 0; call < 10; call += 1) created.push((await server.as(ada).post(FEED)).status)
    expect(created).toEqual([...Array(9).fill(201), 429])
  })
})
