import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../../src/base/index.ts'
import { checkInvariants } from '../../../../src/db/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { openTestServer, type TestServer } from '../../../support/server/server.ts'

const HOUR = 3_600_000
const SLOTS = '/api/collections/time_slots/records'
const REQUESTS = '/api/collections/qpu_time_requests/records'

const ledgerOf = (server: TestServer, { id }: { id: string }) =>
  server.db.read((tx) =>
    tx.all<{ kind: string; delta_ms: number }>(
      'SELECT kind, delta_ms FROM qpu_ledger WHERE "user" = $id ORDER BY rowid',
      { id },
    ),
  )

/** A slot that begins after this number of hours. */
function hours(clock: FakeClock, from: number, length = 1) {
  const at = (hour: number) => toTimestamp(clock.now() + hour * HOUR)
  return { start_time: at(from), end_time: at(from + length) }
}

describe('time_slots', () => {
  test('belong to their booker, whose name is hidden from other users', async () => {
    const clock = new FakeClock()
    await using server = await openTestServer({ clock })
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const slot = await server.as(ada).post(SLOTS, hours(clock, 1))
    expect(slot.body).toMatchObject({ booked_by: ada.id, qpu: '', ...hours(clock, 1) })
    const path = `${SLOTS}/${slot.text('id')}`
    const foreign = server.as(bob)
    expect([(await foreign.get(path)).status, (await foreign.patch(path, {})).status]).toEqual([404, 404])
    expect((await foreign.call('DELETE', path)).status).toBe(404)
    expect((await server.guest.post(SLOTS, hours(clock, 3))).status).toBe(400)
    const given = await server.as(ada).patch(path, { booked_by: bob.id })
    expect(given.body).toMatchObject({ status: 400, data: { booked_by: { code: 'read_only_field' } } })
    expect((await server.as(ada).patch(path, hours(clock, 5))).body).toMatchObject(hours(clock, 5))
    expect((await server.as(ada).call('DELETE', path)).status).toBe(204)
    expect((await server.as(ada).get(path)).status).toBe(404)
  })

  test('that overlap on one QPU are refused for every user', async () => {
    const clock = new FakeClock()
    await using server = await openTestServer({ clock })
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const [north, south] = [await server.createQpu(), await server.createQpu()]
    const book = async (client: TestServer['guest'], from: number, qpu = '') =>
      (await client.post(SLOTS, { ...hours(clock, from), qpu })).body
    const overlap = { status: 400, code: 'slot_overlap', data: { start_time: expect.anything() } }
    expect(await book(server.as(ada), 1, north.id)).toMatchObject({ qpu: north.id })
    expect(await book(server.as(bob), 1, south.id)).toMatchObject({ qpu: south.id })
    expect(await book(server.as(bob), 1.5, north.id)).toMatchObject(overlap)
    expect(await book(server.admin, 1.5, north.id)).toMatchObject(overlap)
    expect(await book(server.as(bob), 1.5)).toMatchObject(overlap)
    expect(await book(server.as(bob), 2, north.id)).toMatchObject({ qpu: north.id })
    expect(await book(server.as(bob), 4)).toMatchObject({ qpu: '' })
    expect(await book(server.as(ada), 4, north.id)).toMatchObject(overlap)
    const responses = await Promise.all([ada, bob].map((user) => book(server.as(user), 8)))
    expect(responses.filter((body) => Object(body).status === 400)).toHaveLength(1)
    expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  })

  test('of users are limited in time; those of superusers are not', async () => {
    const clock = new FakeClock()
    await using server = await openTestServer({
      clock,
      settings: { maxSlotLength: '2h', maxSlotAhead: '48h' },
    })
    const me = server.as(await server.createUser())
    for (const [from, length, field, reason] of [
      [-1, 3, 'start_time', 'slot_in_past'],
      [1, 3, 'end_time', 'slot_too_long'],
      [49, 1, 'start_time', 'slot_too_far_ahead'],
      [2, 0, 'end_time', 'invalid'],
      [2, -1, 'end_time', 'invalid'],
    ] as const) {
      const { body } = await me.post(SLOTS, hours(clock, from, length))
      expect(body).toMatchObject({
        status: 400,
        code: reason,
        data: { [field]: { code: expect.any(String) } },
      })
    }
    expect((await me.post(SLOTS, {})).body).toMatchObject({
      message: 'Failed to create record.',
      data: { start_time: { code: 'validation_required' }, end_time: { code: 'validation_required' } },
    })
    expect((await server.admin.post(SLOTS, hours(clock, -5, 3))).status).toBe(200)
    expect((await server.admin.post(SLOTS, hours(clock, 100, 30))).status).toBe(200)
    const slot = (await me.post(SLOTS, hours(clock, 10))).text('id')
    const moved = await me.patch(`${SLOTS}/${slot}`, { end_time: hours(clock, 10, 5).end_time })
    expect(moved.body).toMatchObject({ status: 400, code: 'slot_too_long' })
  })

  test('that have started cannot be changed', async () => {
    const clock = new FakeClock()
    await using server = await openTestServer({ clock })
    const me = server.as(await server.createUser())
    const path = `${SLOTS}/${(await me.post(SLOTS, hours(clock, 1))).text('id')}`
    await clock.advance(1.5 * HOUR)
    const later = { end_time: hours(clock, 3).start_time }
    for (const response of [await me.patch(path, later), await me.call('DELETE', path)]) {
      expect(response.body).toMatchObject({ status: 400, code: 'slot_started' })
    }
    expect((await server.admin.patch(path, later)).status).toBe(200)
    expect((await server.admin.call('DELETE', path)).status).toBe(204)
  })
})

describe('qpu_time_requests', () => {
  const open = async (server: TestServer, user: { token: string }, seconds: number) =>
    (await server.as(user).post(REQUESTS, { seconds })).text('id')

  test('are created by users, one open request at a time, and always pending', async () => {
    await using server = await openTestServer()
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const created = await server.as(ada).post(REQUESTS, { seconds: 60, requested_reason: 'thesis' })
    expect(created.body).toMatchObject({ user: ada.id, status: 'pending', handled_by: '', seconds: 60 })
    expect((await server.as(ada).post(REQUESTS, { seconds: 5 })).body).toMatchObject({
      ...{ status: 409, code: 'too_many_open_requests' },
    })
    for (const seconds of [0, -1, 1e13, 'many']) {
      const { body } = await server.as(bob).post(REQUESTS, { seconds })
      expect(body).toMatchObject({ status: 400, data: { seconds: { code: expect.any(String) } } })
    }
    const path = `${REQUESTS}/${created.text('id')}`
    expect((await server.as(ada).patch(path, { status: 'approved' })).body).toMatchObject({
      ...{ status: 403, message: 'Only superusers can perform this action.' },
    })
    expect((await server.as(bob).call('DELETE', path)).status).toBe(404)
    expect((await server.as(ada).call('DELETE', path)).status).toBe(204)
    expect((await server.as(ada).post(REQUESTS, { seconds: 5 })).status).toBe(200)
  })

  test('add their seconds once, even when approved repeatedly', async () => {
    await using server = await openTestServer()
    const ada = await server.createUser({ qpuSeconds: 10 })
    const path = `${REQUESTS}/${await open(server, ada, 90.5)}`
    const approve = () => server.admin.patch(path, { status: 'approved', seconds: 0 })
    const responses = await Promise.all([approve(), approve(), approve()])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(await ledgerOf(server, ada)).toEqual([
      { kind: 'opening', delta_ms: 10_000 },
      { kind: 'grant', delta_ms: 90_500 },
    ])
    const me = await server.as(ada).get(`/api/collections/users/records/${ada.id}`)
    expect(me.get('qpu_seconds')).toBe(100.5)
    expect((await server.admin.get(path)).body).toMatchObject({
      ...{ status: 'approved', seconds: 90.5, handled_by: server.superuser.email },
    })
    for (const body of [{ status: 'rejected' }, { rejection_reason: 'x' }]) {
      expect((await server.admin.patch(path, body)).body).toMatchObject({ code: 'already_processed' })
    }
    expect((await server.as(ada).call('DELETE', path)).status).toBe(404)
    expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  })

  test('are granted with another amount, which only superusers set', async () => {
    await using server = await openTestServer()
    const ada = await server.createUser()
    const own = await server.as(ada).post(REQUESTS, { seconds: 30, granted_seconds: 3_000 })
    expect(own.body).toMatchObject({ status: 400, data: { granted_seconds: { code: 'read_only_field' } } })
    const path = `${REQUESTS}/${await open(server, ada, 30)}`
    const granted = await server.admin.patch(path, { status: 'approved', granted_seconds: 12.5 })
    expect(granted.body).toMatchObject({ status: 'approved', seconds: 30, granted_seconds: 12.5 })
    expect(await ledgerOf(server, ada)).toEqual([{ kind: 'grant', delta_ms: 12_500 }])
    expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  })

  test('that are rejected change no balance; user and seconds never change', async () => {
    await using server = await openTestServer()
    const ada = await server.createUser()
    const path = `${REQUESTS}/${await open(server, ada, 30)}`
    expect((await server.admin.patch(path, { seconds: 3_000 })).body).toMatchObject({
      ...{ status: 400, data: { seconds: { code: 'validation_unchangeable' } } },
    })
    const rejected = await server.admin.patch(path, { status: 'rejected', rejection_reason: 'no time' })
    expect(rejected.body).toMatchObject({ rejection_reason: 'no time', handled_by: 'root@example.org' })
    expect(await ledgerOf(server, ada)).toEqual([])
    expect(await open(server, ada, 5)).toHaveLength(15)
  })
})
