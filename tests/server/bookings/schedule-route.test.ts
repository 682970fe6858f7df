import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { recordOffline } from '../../../src/db/hooks/qpu-change.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { pruneClosedTimes } from '../../../src/db/store/maintenance/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { notes } from '../../../src/db/store/readings/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

interface Schedule {
  from: string
  to: string
  busy: { qpu: string; kind: string; start: string; end: string; mine: boolean }[]
  ticks: { qpu: string; start: string; end: string }[]
  failures: { qpu: string; at: string }[]
  closed: { qpu: string; kind: string; start: string; end: string; reason: string }[]
  notes: { id: string; qpu: string; at: string; text: string }[]
}

const HOUR_MS = 3_600_000
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
    expect(schedule).toEqual({
      from: NOON,
      to: at(7 * 24),
      busy: slots(user),
      ticks: [],
      failures: [],
      closed: [{ qpu: qpu.id, kind: 'offline', start: NOON, end: '', reason: '' }],
      notes: [],
    })
    expect(JSON.stringify(schedule)).not.toContain(one.email)
  }
  // Bounds are exclusive: a slot that ends when the range begins, or begins when it ends, is not in it.
  expect((await read(server.guest, query(at(1), at(5)))).busy).toEqual([])
  expect((await read(server.guest, query(at(-2), at(-1)))).busy).toHaveLength(1)
})

test('maintenance ends in the schedule when it is expected to end, and open-ended once that has passed', async () => {
  await using server = await openAtNoon()
  const south = await server.createQpu('south')
  const until = at(5)
  const body = { id: south.id, maintenance: true, reason: 'warm-up', until }
  expect((await server.admin.post('/api/op/qpu/maintenance', body)).body).toMatchObject({
    maintenance_until: until,
  })
  const ends = async () => {
    const { busy } = await read(server.guest)
    return busy.map(({ end }) => end)
  }
  expect(await ends()).toEqual([until])
  await server.db.write('t', (tx) => tx.update(qpus, south.id, { maintenance_until: at(-1) }))
  expect(await ends()).toEqual([''])
  const ended = await server.admin.post('/api/op/qpu/maintenance', { id: south.id, maintenance: false })
  expect(ended.body).toMatchObject({ maintenance_until: '' })
  const refused = await server.admin.post('/api/op/qpu/maintenance', { ...body, until: 'soon' })
  expect(refused.status).toBe(400)
})

test('calibrations that have ended are listed within the range', async () => {
  await using server = await openAtNoon()
  const north = await server.createQpu('north')
  await server.db.write('t', (tx) => {
    const driver = tx.insert(drivers, { name: 'tuner', qpu: north.id, operation: 'calibrate', token: 't' }).id
    const ran = (from: number, to: number, status: 'done' | 'failed') =>
      tx.insert(calibrationRequests, {
        ...{ driver, mode: 'full', status, started_at: at(from), finished_at: at(to) },
      })
    ran(-30, -29, 'done')
    ran(-3, -2, 'done')
    ran(-1, 0, 'failed')
  })
  expect((await read(server.guest, query(at(-4), at(1)))).busy).toEqual([
    { qpu: north.id, kind: 'calibration', start: at(-3), end: at(-2), mine: false },
    { qpu: north.id, kind: 'calibration', start: at(-1), end: at(0), mine: false },
  ])
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
    { qpu: south.id, kind: 'maintenance', start: at(0), end: '', mine: false },
  ]
  expect((await read(server.guest)).busy).toEqual(now)
  expect((await read(server.guest, query(at(-48), at(24)))).busy).toEqual(now)
  expect((await read(server.guest, query(at(24), at(48)))).busy).toEqual([])
  expect((await read(server.guest, query(at(-48), at(-24)))).busy).not.toContainEqual(now[0])
})

test('times of maintenance that have ended stay in the schedule, however they were set', async () => {
  await using server = await openAtNoon()
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  const clock = server.clock
  const maintain = (id: string, maintenance: boolean) =>
    server.admin.post('/api/op/qpu/maintenance', { id, maintenance, reason: 'new pump' })
  await maintain(north.id, true)
  await server.admin.patch(`/api/collections/qpus/records/${south.id}`, { maintenance: true })
  clock.jump(HOUR_MS)
  await maintain(north.id, true)
  await server.admin.patch(`/api/collections/qpus/records/${south.id}`, { maintenance: false })
  clock.jump(HOUR_MS)
  await maintain(north.id, false)
  const times = async (from: number, to: number) =>
    (await read(server.guest, query(at(from), at(to)))).busy.toSorted((one, other) =>
      one.end < other.end ? -1 : 1,
    )
  const past = { kind: 'maintenance', mine: false, start: at(0) }
  expect(await times(-1, 3)).toEqual([
    { ...past, qpu: south.id, end: at(1) },
    { ...past, qpu: north.id, end: at(2) },
  ])
  expect(await times(1, 2)).toEqual([{ ...past, qpu: north.id, end: at(2) }])
  expect(await times(-2, 0)).toEqual([])
  await server.db.write('t', (tx) => {
    tx.remove(drivers, north.driver)
    tx.remove(qpus, north.id)
  })
  expect(await times(-1, 3)).toEqual([{ ...past, qpu: south.id, end: at(1) }])
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

test('ticks show when QPUs ran jobs, to everybody and without names', async () => {
  await using server = await openAtNoon()
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  await server.db.write('t', (tx) => {
    for (const [qpu, hours] of [
      [north.id, -3],
      [north.id, -2],
      [south.id, -1],
    ] as const) {
      tx.run(
        `INSERT INTO job_attempts (job, attempt, driver, qpu, epoch, state, claimed_at, started_at, ended_at)
         VALUES ($id, 1, 'd', $qpu, 1, 'ok', $start, $start, $end)`,
        { id: `${qpu}${hours}`, qpu, start: at(hours), end: at(hours + 0.5) },
      )
    }
  })
  const tick = (qpu: string, hours: number) => ({ qpu, start: at(hours), end: at(hours + 0.5) })
  const range = query(at(-24), at(0))
  expect((await read(server.guest, range)).ticks).toEqual([])
  expect((await read(server.guest, `${range}&ticks=500`)).ticks).toEqual([
    tick(north.id, -3),
    tick(north.id, -2),
    tick(south.id, -1),
  ])
  await server.db.write('fail', (tx) =>
    tx.run("UPDATE job_attempts SET state = 'error' WHERE qpu = $qpu", { qpu: south.id }),
  )
  const { failures } = await read(server.guest, `${range}&ticks=500`)
  expect(failures).toEqual([{ qpu: south.id, at: at(-0.5) }])
  const merged = await read(server.guest, `${range}&ticks=1`)
  expect(merged.ticks).toEqual([{ ...tick(north.id, -3), end: at(-1.5) }, tick(south.id, -1)])
  expect((await server.guest.get('/api/schedule?ticks=501')).status).toBe(400)
})

test('notes of the range are listed in order of time, for those who are signed in', async () => {
  await using server = await openAtNoon()
  const user = await server.createUser()
  const qpu = await server.createQpu('north')
  const [late, early] = await server.db.write('t', (tx) => {
    tx.insert(notes, { at: at(-3), text: 'Before' })
    return [
      tx.insert(notes, { at: at(2), text: 'Trap exchanged', qpu: qpu.id }),
      tx.insert(notes, { at: at(1), text: 'Refilled' }),
    ]
  })
  const listed = [
    { id: early?.id, qpu: '', at: at(1), text: 'Refilled' },
    { id: late?.id, qpu: qpu.id, at: at(2), text: 'Trap exchanged' },
  ]
  for (const client of [server.as(user), server.admin]) {
    expect((await read(client)).notes).toEqual(listed as Schedule['notes'])
  }
  expect((await read(server.guest)).notes).toEqual([])
})

test('a schedule says when a QPU took no jobs and why, to guests too, as long as events are kept', async () => {
  await using server = await openAtNoon()
  const { clock, db } = server
  const east = await server.createQpu('east')
  const later = async (hours: number) => clock.advance(hours * HOUR_MS)
  const change = (changes: object) => db.write('t', (tx) => tx.update(qpus, east.id, changes))
  await later(1)
  await change({ status: 'online' })
  await later(1)
  await change({ maintenance: true, maintenance_reason: 'warm-up' })
  await change({ maintenance_reason: 'trap exchange' })
  await later(1)
  await change({ maintenance: false, maintenance_reason: '' })
  await later(1)
  await change({ status: 'offline' })
  await db.write('t', (tx) => recordOffline(tx, east.id, 'its driver was silent'))
  const closed = async () => (await read(server.guest, query(at(-1), at(24)))).closed
  const times = [
    { qpu: east.id, kind: 'offline', start: at(4), end: '', reason: 'its driver was silent' },
    { qpu: east.id, kind: 'maintenance', start: at(2), end: at(3), reason: 'trap exchange' },
    { qpu: east.id, kind: 'offline', start: at(0), end: at(1), reason: '' },
  ]
  expect(await closed()).toEqual(times)
  expect((await read(server.guest, query(at(1), at(2)))).closed).toEqual([])
  // What lasts stays, however old it is.
  await db.write('t', (tx) => pruneClosedTimes(tx, clock.now(), 10))
  expect(await closed()).toEqual(times.slice(0, 1))
})
