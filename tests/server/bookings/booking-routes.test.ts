import { describe, expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { checkInvariants } from '../../../src/db/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'

const HOUR = 3_600_000

/** A server on 12 October 2026, at noon: the clocks of Europe change 13 days later. */
async function open(settings: Parameters<typeof openTestServer>[0] = {}) {
  const clock = new FakeClock()
  await clock.advance(Date.UTC(2026, 9, 12, 12) - clock.now())
  const server = await openTestServer({ clock, ...settings })
  return { server, clock, qpu: await server.createQpu('north') }
}
const at = (hours: number) => toTimestamp(Date.UTC(2026, 9, 12, 12) + hours * HOUR)
const times = (from: number, length = 1) => ({ start_time: at(from), end_time: at(from + length) })

interface Slot {
  id: string
  start_time: string
  end_time: string
  booked_by: string
  series: string
}
const slotsOf = (body: unknown) => (body as { slots: Slot[] }).slots
const stored = (server: TestServer, user: TestAccount) =>
  server.db.read((tx) => tx.list(timeSlots, { where: { booked_by: user.id }, sort: 'start_time' }))

describe('POST /api/bookings', () => {
  test.each([
    ['2026-11-02T10:00:00', 'Europe/Berlin', '2026-11-02 09:00:00.000Z'],
    ['2026-10-19 10:00', 'Europe/Berlin', '2026-10-19 08:00:00.000Z'],
    ['2026-10-25T02:30:00.250', 'Europe/Berlin', '2026-10-25 00:30:00.250Z'],
    ['2027-03-28T02:30:00', 'Europe/Berlin', '2027-03-28 01:30:00.000Z'],
    ['2026-11-02', 'Asia/Kolkata', '2026-11-01 18:30:00.000Z'],
    ['2026-11-02T10:00:00Z', 'Europe/Berlin', '2026-11-02 10:00:00.000Z'],
    ['2026-11-02T10:00:00+05:30', 'Europe/Berlin', '2026-11-02 04:30:00.000Z'],
    ['2026-11-02T10:00:00', undefined, '2026-11-02 10:00:00.000Z'],
  ])('takes %s in %s for %s', async (start_time, time_zone, expected) => {
    const { server, qpu } = await open()
    await using _ = server
    const body = {
      qpu: qpu.id,
      start_time,
      end_time: '2027-04-30T00:00:00Z',
      ...(time_zone && { time_zone }),
    }
    expect(slotsOf((await server.admin.post('/api/bookings', body)).body)[0]?.start_time).toBe(expected)
  })

  test('books local times without an offset every week', async () => {
    const { server, qpu } = await open()
    await using _ = server
    const local = { start_time: '2028-07-03T10:00:00', end_time: '2028-07-03T11:00:00' }
    const body = { qpu: qpu.id, ...local, weeks: 2, time_zone: 'Europe/Berlin' }
    expect(slotsOf((await server.admin.post('/api/bookings', body)).body)).toMatchObject([
      { start_time: '2028-07-03 08:00:00.000Z', end_time: '2028-07-03 09:00:00.000Z' },
      { start_time: '2028-07-10 08:00:00.000Z', end_time: '2028-07-10 09:00:00.000Z' },
    ])
  })

  test('books one slot, or one every week at the same time of day', async () => {
    const { server, qpu } = await open()
    await using _ = server
    const ada = await server.createUser()
    const one = await server.as(ada).post('/api/bookings', { ...times(1), qpu: 'north' })
    expect(one.status).toBe(201)
    expect(slotsOf(one.body)).toMatchObject([{ ...times(1), booked_by: ada.id, qpu: qpu.id, series: '' }])
    const weekly = await server.as(ada).post('/api/bookings', {
      ...{ ...times(3, 2), qpu: qpu.id, weeks: 3, time_zone: 'Europe/Stockholm' },
    })
    const slots = slotsOf(weekly.body)
    expect(slots.map((slot) => slot.start_time)).toEqual([at(3), at(3 + 7 * 24), at(3 + 14 * 24 + 1)])
    expect(slots.map((slot) => slot.end_time)).toEqual([at(5), at(5 + 7 * 24), at(5 + 14 * 24 + 1)])
    expect(new Set(slots.map((slot) => slot.series)).size).toBe(1)
    expect(slots[0]?.series).not.toBe('')
    const until = await server.as(ada).post('/api/bookings', { ...times(8), until: '2026-11-02' })
    expect(slotsOf(until.body)).toHaveLength(4)
    expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  })

  test('limits the slots that a user books and moves, on all routes together', async () => {
    const { server, clock } = await open({ settings: { maxSlotAhead: '8760h' } })
    await using _ = server
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const { client, path } = { client: server.as(ada), path: '/api/collections/time_slots/records' }
    expect((await client.post('/api/bookings', { ...times(1), weeks: 53 })).status).toBe(201)
    const single = await client.post(path, times(3))
    expect(single.status).toBe(200)
    for (const hours of [5, 7, 9, 11, 13]) {
      expect((await client.patch(`${path}/${single.text('id')}`, times(hours))).status).toBe(200)
    }
    const refused = await client.post('/api/bookings', { ...times(30), weeks: 2 })
    expect([refused.status, refused.text('message')]).toEqual([429, 'Too many requests; try again in 2 s.'])
    expect((await server.as(bob).post('/api/bookings', times(40))).status).toBe(201)
    expect((await client.post(path, times(50))).status).toBe(200)
    expect((await client.post(path, times(52))).status).toBe(429)
    expect((await server.admin.post('/api/bookings', { ...times(60), user: bob.id, weeks: 53 })).status).toBe(
      201,
    )
    await clock.advance(4_000)
    expect((await client.post('/api/bookings', { ...times(54), weeks: 2 })).status).toBe(201)
  })

  test('books all slots or none, and lists every conflict', async () => {
    const { server, qpu } = await open()
    await using _ = server
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    for (const hours of [24.5, 24 + 14 * 24])
      await server.as(bob).post('/api/bookings', { ...times(hours), qpu: 'north' })
    const refused = await server.as(ada).post('/api/bookings', { ...times(24), qpu: 'north', weeks: 4 })
    expect(refused.body).toMatchObject({
      ...{ status: 400, code: 'slot_overlap' },
      message: expect.stringContaining('2 of 4 slots overlap with booked ones'),
      data: {
        start_time: {
          code: 'validation_slot_overlap',
          params: {
            conflicts: [
              { ...times(24), booked: times(24.5) },
              { ...times(24 + 14 * 24), booked: times(24 + 14 * 24) },
            ],
          },
        },
      },
    })
    expect(JSON.stringify(refused.body)).not.toContain(bob.id)
    expect(await stored(server, ada)).toEqual([])
    // Every QPU includes this one, and at the same moment only one of two requests wins.
    const [one, other] = await Promise.all(
      [ada, bob].map((user) => server.as(user).post('/api/bookings', { ...times(40), weeks: 2 })),
    )
    expect([one?.status, other?.status].sort()).toEqual([201, 400])
    expect((await server.as(ada).post('/api/bookings', { ...times(40), qpu: qpu.id })).status).toBe(400)
    expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
  })

  test('superusers book for users, without limits in time; the audit log has it', async () => {
    const { server } = await open({ settings: { maxSlotLength: '2h', maxSlotAhead: '14d' } })
    await using _ = server
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const forBob = { ...times(1, 12), user: bob.id, weeks: 10 }
    expect((await server.as(ada).post('/api/bookings', { ...times(1), user: bob.id })).body).toMatchObject({
      ...{ status: 403, code: 'superuser_only' },
    })
    expect((await server.as(bob).post('/api/bookings', forBob)).body).toMatchObject({ code: 'slot_too_long' })
    expect((await server.as(bob).post('/api/bookings', { ...times(1), weeks: 4 })).body).toMatchObject({
      ...{ status: 400, code: 'slot_too_far_ahead' },
    })
    const booked = await server.admin.post('/api/bookings', forBob)
    expect(slotsOf(booked.body).map((slot) => slot.booked_by)).toEqual(Array(10).fill(bob.id))
    const audit = await server.admin.get('/api/op/audit?action=booking.create')
    expect(audit.body).toMatchObject({ entries: [{ detail: { user: bob.id, slots: 10 } }] })
    const nobody = await server.admin.post('/api/bookings', { ...times(1), user: 'nobody' })
    expect(nobody.status).toBe(404)
  })

  test('refuses impossible times, naming the field', async () => {
    const { server } = await open()
    await using _ = server
    const client = server.as(await server.createUser())
    const cases: [object, string][] = [
      [{ ...times(1, 0) }, 'end_time'],
      [{ ...times(1), weeks: 2, until: '2026-11-01' }, 'until'],
      [{ ...times(1), until: '2026-10-01' }, 'until'],
      [{ ...times(1), until: '2036-10-01' }, 'until'],
      [{ ...times(1), until: '2026-02-30' }, 'until'],
      [{ ...times(1), weeks: 54 }, 'weeks'],
      [{ ...times(1), weeks: 2, time_zone: 'Mars/Base' }, 'time_zone'],
      [{ ...times(1), start_time: 'noon' }, 'start_time'],
      [{ ...times(-1) }, 'start_time'],
    ]
    for (const [body, field] of cases) {
      const response = await client.post('/api/bookings', body)
      expect([response.status, response.body]).toEqual([
        400,
        expect.objectContaining({ data: { [field]: expect.anything() } }),
      ])
    }
    expect((await client.post('/api/bookings', { ...times(1), qpu: 'south' })).status).toBe(404)
  })
})

describe('cancelling and ending', () => {
  test('one slot of a repetition, or it and the following ones', async () => {
    const { server } = await open()
    await using _ = server
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const booked = await server.as(ada).post('/api/bookings', { ...times(1), weeks: 5 })
    const [, second, third] = slotsOf(booked.body)
    const remove = (client: TestServer['guest'], id = '', query = '') =>
      client.call('DELETE', `/api/bookings/${id}${query}`)
    expect((await remove(server.as(bob), third?.id, '?following=1')).status).toBe(404)
    expect((await remove(server.as(ada), second?.id)).body).toEqual({ cancelled: 1 })
    expect((await remove(server.as(ada), third?.id, '?following=1')).body).toEqual({ cancelled: 3 })
    expect((await stored(server, ada)).map((slot) => slot.start_time)).toEqual([at(1)])
  })

  test('a running slot ends now, once, and only for its booker and superusers', async () => {
    const { server, clock } = await open()
    await using _ = server
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const booked = await server.as(ada).post('/api/bookings', times(1, 4))
    const id = slotsOf(booked.body)[0]?.id ?? ''
    const end = (client: TestServer['guest']) => client.post(`/api/bookings/${id}/end`)
    expect((await end(server.as(ada))).body).toMatchObject({ status: 409, code: 'slot_not_running' })
    await clock.advance(2 * HOUR)
    expect((await server.as(ada).call('DELETE', `/api/bookings/${id}`)).body).toMatchObject({
      ...{ status: 400, code: 'slot_started' },
    })
    expect((await end(server.as(bob))).status).toBe(404)
    expect((await end(server.as(ada))).body).toMatchObject({ start_time: at(1), end_time: at(2) })
    expect((await end(server.admin)).status).toBe(409)
    const [others] = slotsOf((await server.as(bob).post('/api/bookings', times(2))).body)
    await clock.advance(HOUR / 2)
    expect((await server.admin.post(`/api/bookings/${others?.id}/end`)).status).toBe(200)
    // Only what a superuser ends is on record.
    const ended = await server.db.read((tx) =>
      tx.all("SELECT subject FROM audit_log WHERE act = 'booking.end'"),
    )
    expect(ended).toEqual([{ subject: others?.id }])
  })
})
