import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type PocketBase from 'pocketbase'
import { openSdk, openSdkAs, openSdkAsSuperuser, refusal } from '../support/server/sdk.ts'
import { openTestServer, type TestAccount, type TestQpu, type TestServer } from '../support/server/server.ts'

let server: TestServer
let admin: PocketBase
let user: TestAccount
let pb: PocketBase
let qpu: TestQpu

beforeAll(async () => {
  server = await openTestServer()
  admin = (await openSdkAsSuperuser(server)).autoCancellation(false)
  user = await server.createUser({ qpuSeconds: 100, username: 'grace' })
  pb = await openSdkAs(server, user)
  qpu = await server.createQpu('kelvin')
})

afterAll(() => server[Symbol.asyncDispose]())

const HOUR_MS = 3_600_000
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/

/** A time this many hours after the start of tomorrow, as a browser writes it. */
function hours(from: number): string {
  return new Date(Math.ceil(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS + from * HOUR_MS).toISOString()
}

function notice(title: string, more: object = {}): Promise<{ id: string }> {
  return admin.collection('notifications').create({ title, ...more })
}

describe('create(), getOne(), update(), delete()', () => {
  test('a time slot is booked, changed and removed', async () => {
    const slots = pb.collection('time_slots')
    const slot = await slots.create({ start_time: hours(1), end_time: hours(2), qpu: qpu.id })
    expect({ ...slot }).toMatchObject({
      id: expect.stringMatching(/^[a-z0-9]{15}$/),
      collectionName: 'time_slots',
      collectionId: expect.stringMatching(/^pbc_\d+$/),
      booked_by: user.id,
      qpu: qpu.id,
      start_time: hours(1).replace('T', ' '),
      created: expect.stringMatching(DATE),
      updated: expect.stringMatching(DATE),
    })
    expect(await slots.getOne(slot.id)).toEqual(slot)
    const moved = await slots.update(slot.id, { end_time: hours(3) })
    expect(moved).toMatchObject({ end_time: hours(3).replace('T', ' '), start_time: slot['start_time'] })
    expect(await slots.delete(slot.id)).toBe(true)
    expect((await refusal(slots.getOne(slot.id))).status).toBe(404)
    expect((await refusal(slots.delete(slot.id))).status).toBe(404)
  })

  test('a caller may choose the id, once', async () => {
    const slots = pb.collection('time_slots')
    const id = 'chosen000000001'
    const slot = await slots.create({ id, start_time: hours(4), end_time: hours(5) })
    expect(slot.id).toBe(id)
    const again = await refusal(slots.create({ id, start_time: hours(6), end_time: hours(7) }))
    expect(again.status).toBe(400)
    expect(again.response['data']).toHaveProperty('id')
    const other = await refusal(slots.update(id, { id: 'another00000001' }))
    expect([other.status, Object.keys(other.response['data'])]).toEqual([400, ['id']])
    const bad = await refusal(slots.create({ id: 'NO', start_time: hours(6), end_time: hours(7) }))
    expect([bad.status, Object.keys(bad.response['data'])]).toEqual([400, ['id']])
    await slots.delete(id)
  })

  test('FormData is read like JSON', async () => {
    const form = new FormData()
    form.append('start_time', hours(8))
    form.append('end_time', hours(9))
    form.append('qpu', qpu.id)
    const slot = await pb.collection('time_slots').create(form)
    expect(slot).toMatchObject({ qpu: qpu.id, start_time: hours(8).replace('T', ' ') })
    const payload = new FormData()
    payload.append('@jsonPayload', JSON.stringify({ end_time: hours(10) }))
    const moved = await pb.collection('time_slots').update(slot.id, payload)
    expect(moved['end_time']).toBe(hours(10).replace('T', ' '))
    await pb.collection('time_slots').delete(slot.id)
  })

  test('null resets a field to its empty value', async () => {
    const created = await notice('to be reset', {
      description: 'x',
      end_time: hours(1),
      target_users: [user.id],
    })
    const changed = await admin
      .collection('notifications')
      .update(created.id, { description: null, end_time: null, target_users: null })
    expect(changed).toMatchObject({ description: '', end_time: '', target_users: [] })
    await admin.collection('notifications').delete(created.id)
  })

  test('modifiers add to numbers and lists, and remove from them', async () => {
    const users = admin.collection('users')
    await users.update(user.id, { qpu_seconds: 100 })
    expect((await users.update(user.id, { 'qpu_seconds+': 5 }))['qpu_seconds']).toBe(105)
    expect((await users.update(user.id, { 'qpu_seconds-': 30 }))['qpu_seconds']).toBe(75)
    const tooMuch = await refusal(users.update(user.id, { 'qpu_seconds-': 1_000 }))
    expect(tooMuch.response['data']).toHaveProperty('qpu_seconds')
    const other = await server.createUser()
    const created = await notice('to some', { target_users: [user.id] })
    const notices = admin.collection('notifications')
    const added = await notices.update(created.id, { 'target_users+': [other.id, user.id] })
    expect(added['target_users']).toEqual([user.id, other.id])
    expect((await notices.update(created.id, { 'target_users-': user.id }))['target_users']).toEqual([
      other.id,
    ])
    const first = await notices.update(created.id, { '+target_users': user.id })
    expect(first['target_users']).toEqual([user.id, other.id])
    await notices.delete(created.id)
  })

  test('only the owner sees, changes and removes', async () => {
    const slot = await pb.collection('time_slots').create({ start_time: hours(12), end_time: hours(13) })
    for (const stranger of [await openSdkAs(server, await server.createUser()), openSdk(server)]) {
      const slots = stranger.collection('time_slots')
      expect((await slots.getList()).totalItems).toBe(0)
      // All are waited for from the start: one that fails early must not fail the test unnoticed.
      const refusals = await Promise.all([
        refusal(slots.getOne(slot.id)),
        refusal(slots.update(slot.id, { end_time: hours(14) })),
        refusal(slots.delete(slot.id)),
      ])
      expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404])
    }
    expect((await admin.collection('time_slots').getOne(slot.id)).id).toBe(slot.id)
    await pb.collection('time_slots').delete(slot.id)
  })

  test('a user cannot grant time, neither to the own account nor to another one', async () => {
    for (const gift of [{ qpu_seconds: 1e6 }, { 'qpu_seconds+': 1 }]) {
      const error = await refusal(pb.collection('users').update(user.id, gift))
      expect([error.status, Object.keys(error.response['data'])]).toEqual([400, ['qpu_seconds']])
    }
    const other = await server.createUser()
    const booking = { start_time: hours(15), end_time: hours(16), booked_by: other.id }
    expect((await refusal(pb.collection('time_slots').create(booking))).status).toBe(400)
  })
})

describe('errors', () => {
  test('a refused record names each field with code and message', async () => {
    const error = await refusal(pb.collection('time_slots').create({ start_time: 'tomorrow' }))
    expect(error.url).toContain('/api/collections/time_slots/records')
    expect(error.isAbort).toBe(false)
    expect(error.response).toMatchObject({
      status: 400,
      message: 'Failed to create record.',
      data: {
        start_time: { code: 'validation_required', message: 'Cannot be blank.' },
        end_time: { code: 'validation_required', message: 'Cannot be blank.' },
      },
    })
  })

  test('each kind of field has its codes', async () => {
    const qpus = admin.collection('qpus')
    const users = admin.collection('users')
    const account = { email: 'p@example.org', password: 'a password', passwordConfirm: 'a password' }
    const driver = { name: 'd', qpu: qpu.id, operation: 'dance' }
    const bad: [() => Promise<unknown>, string, string][] = [
      [() => notice(''), 'title', 'validation_required'],
      [() => notice('x'.repeat(256)), 'title', 'validation_max_text_constraint'],
      [
        () => notice('n', { target_users: ['nobody000000000'] }),
        'target_users',
        'validation_missing_rel_records',
      ],
      [() => qpus.create({ name: 'kelvin' }), 'name', 'validation_not_unique'],
      [() => qpus.create({ name: 'n', num_qubits: 1.5 }), 'num_qubits', 'validation_only_int_constraint'],
      [() => qpus.create({ name: 'n', num_qubits: -1 }), 'num_qubits', 'validation_min_number_constraint'],
      [() => qpus.create({ name: 'n', num_qubits: 'many' }), 'num_qubits', 'validation_not_a_number'],
      [() => users.create({ ...account, email: 'no address' }), 'email', 'validation_is_email'],
      [() => users.create({ email: account.email }), 'password', 'validation_required'],
      [() => users.create({ ...account, email: user.email }), 'email', 'validation_not_unique'],
      [() => admin.collection('drivers').create(driver), 'operation', 'validation_invalid_value'],
    ]
    for (const [call, field, code] of bad) {
      const error = await refusal(call())
      expect([error.status, field, error.response['data'][field]?.code]).toEqual([400, field, code])
    }
  })

  test('a request without permission is refused with 403, a missing collection 404', async () => {
    expect((await refusal(pb.collection('notifications').create({ title: 'x' }))).response).toMatchObject({
      status: 403,
      message: 'Only superusers can perform this action.',
    })
    expect((await refusal(pb.collection('api_tokens').getList())).status).toBe(403)
    expect((await refusal(pb.collection('nosuch').getList())).response).toMatchObject({
      status: 404,
      message: 'Missing collection context.',
    })
  })

  test('getOne() without id and getFirstListItem() without match are 404', async () => {
    expect((await refusal(pb.collection('qpus').getOne(''))).status).toBe(404)
    expect((await refusal(pb.collection('qpus').getFirstListItem('name = "none"'))).status).toBe(404)
  })

  test('the last superuser cannot be removed', async () => {
    const error = await refusal(admin.collection('_superusers').delete(server.superuser.id))
    expect(error.status).toBe(400)
  })
})

describe('hidden values', () => {
  test('the address of a user is visible to the user and superusers only, unless published', async () => {
    expect((await pb.collection('users').getOne(user.id))['email']).toBe(user.email)
    expect((await admin.collection('users').getOne(user.id))['email']).toBe(user.email)
  })

  test('tokens and passwords are never returned', async () => {
    const [record] = await admin.collection('users').getFullList({ filter: `id = "${user.id}"` })
    expect(record).not.toHaveProperty('password')
    expect(record).not.toHaveProperty('tokenKey')
    expect(await pb.collection('qpus').getOne(qpu.id)).not.toHaveProperty('access_token')
    expect(
      (await refusal(pb.collection('qpus').getList(1, 1, { filter: 'access_token != ""' }))).status,
    ).toBe(400)
  })
})
