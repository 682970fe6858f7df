import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { calibrationRequests, drivers, timeSlots } from '../../../src/db/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

interface Schedule {
  from: string
  to: string
  busy: { qpu: string; kind: string; start: string; end: string; mine: boolean }[]
}

const NOON = '2026-06-10 12:00:00.000Z'

/** A server on 10 June 2026, at noon. */
async function openAtNoon(): Promise<TestServer & { clock: FakeClock }> {
  const clock = new FakeClock()
  await clock.advance(Date.UTC(2026, 5, 10, 12) - clock.now())
  return { ...(await openTestServer({ clock })), clock }
}

const read = async (client: TestServer['guest'], query = '') => {
  const response = await client.get(`/api/schedule${query}`)
  expect([response.status, response.body]).toEqual([200, expect.anything()])
  return response.body as Schedule
}
const at = (hours: number) => toTimestamp(Date.UTC(2026, 5, 10, 12 + hours))
const query = (from: string, to: string) => `?${new URLSearchParams({ from, to })}`

test("every caller sees when QPUs are occupied, and the caller's own slots", async () => {
  await using server = await openAtNoon()
  const [one, other] = [await server.createUser(), await server.createUser()]
  const qpu = await server.createQpu('north')
  await server.db.write('t', (tx) => {
    tx.insert(timeSlots, { start_time: at(-2), end_time: at(-1), booked_by: one.id })
    tx.insert(timeSlots, { start_time: at(-1), end_time: at(1), booked_by: one.id, qpu: qpu.id })
    tx.insert(timeSlots, { start_time: at(5), end_time: at(6), booked_by: other.id })
    tx.insert(timeSlots, { start_time: at(200), end_time: at(201), booked_by: other.id })
  })
  const slots = (user: string) => [
    { qpu: qpu.id, kind: 'slot', start: at(-1), end: at(1), mine: user === one.id },
    { qpu: '', kind: 'slot', start: at(5), end: at(6), mine: user === other.id },
  ]
  for (const [client, user] of [
    [server.guest, ''],
    [server.as(one), one.id],
    [server.as(other), other.id],
    [server.admin, ''],
  ] as const) {
    const schedule = await read(client)
    expect(schedule).toEqual({ from: NOON, to: at(7 * 24), busy: slots(user) })
    expect(JSON.stringify(schedule)).not.toContain(one.email)
  }
  // Bounds are exclusive: a slot that ends when the range begins, or begins when it ends, is not in it.
  expect((await read(server.guest, query(at(1), at(5)))).busy).toEqual([])
  expect((await read(server.guest, query(at(-2), at(-1)))).busy).toHaveLength(1)
})

test('current calibrations and maintenance are listed if the range has begun', async () => {
  await using server = await openAtNoon()
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  await server.admin.post('/api/op/qpu/maintenance', { id: south.id, maintenance: true })
  await server.db.write('t', (tx) => {
    const tuner = (name: string, qpu: string) =>
      tx.insert(drivers, { name, qpu, operation: 'calibrate', token: name }).id
    const driver = tuner('t1', north.id)
    tx.insert(calibrationRequests, { driver, mode: 'full', status: 'running', started_at: at(-1) })
    tx.insert(calibrationRequests, { driver, mode: 'full', status: 'done', started_at: at(-3) })
    tx.insert(calibrationRequests, { driver: tuner('t2', south.id), mode: 'full' })
  })
  const now = [
    { qpu: north.id, kind: 'calibration', start: at(-1), end: '', mine: false },
    { qpu: south.id, kind: 'queued_calibration', start: '', end: '', mine: false },
    { qpu: south.id, kind: 'maintenance', start: '', end: '', mine: false },
  ]
  expect((await read(server.guest)).busy).toEqual(now)
  expect((await read(server.guest, query(at(-48), at(24)))).busy).toEqual(now)
  expect((await read(server.guest, query(at(24), at(48)))).busy).toEqual([])
  expect((await read(server.guest, query(at(-48), at(-24)))).busy).not.toContainEqual(now[0])
})

test('times are accepted in several forms; an impossible range is refused with the reason', async () => {
  await using server = await openAtNoon()
  const ranges: [string, string, string, string][] = [
    ['2026-06-01', '2026-06-02', '2026-06-01 00:00:00.000Z', '2026-06-02 00:00:00.000Z'],
    [
      '2026-06-01T10:00:00+02:00',
      '2026-08-02 08:00:00.000Z',
      '2026-06-01 08:00:00.000Z',
      '2026-08-02 08:00:00.000Z',
    ],
  ]
  for (const [from, to, shownFrom, shownTo] of ranges) {
    expect(await read(server.guest, query(from, to))).toMatchObject({ from: shownFrom, to: shownTo })
  }
  expect(await read(server.guest, '?to=2026-06-11')).toMatchObject({
    from: NOON,
    to: '2026-06-11 00:00:00.000Z',
  })
  const refusals: [string, string, string][] = [
    ['?from=tomorrow', 'from', 'Expected a time such as 2026-01-31,'],
    ['?from=2026-13-01', 'from', 'Expected a time such as'],
    ['?from=2026-06-02&to=', 'to', 'Expected a time such as'],
    [query('2026-06-02', '2026-06-02'), 'to', 'Must be after from, which is 2026-06-02 00:00:00.000Z.'],
    ['?to=2026-06-01', 'to', `Must be after from, which is ${NOON}.`],
    [
      query('2026-06-01', '2026-08-03'),
      'to',
      'Must be at most 62 days after from, so 2026-08-02 00:00:00.000Z or before',
    ],
  ]
  for (const [path, field, message] of refusals) {
    const response = await server.guest.get(`/api/schedule${path}`)
    expect([path, response.status, response.body]).toEqual([
      path,
      400,
      expect.objectContaining({
        message: 'Invalid query parameter.',
        data: { [field]: expect.objectContaining({ message: expect.stringContaining(message) }) },
      }),
    ])
  }
})
