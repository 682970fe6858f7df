import { expect, test } from 'bun:test'
import { DAY_MS, toTimestamp } from '../../src/base/index.ts'
import { queueMailItem } from '../../src/db/journal/mail-items.ts'
import { queueWebhookEvent } from '../../src/db/journal/webhook-events.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { claimDigest } from '../../src/db/store/mail/index.ts'
import {
  createWebhook,
  findWebhook,
  recordAttempt,
  updateWebhook,
} from '../../src/db/store/webhooks/index.ts'
import { openTestDatabase } from '../support/database.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'

// An act on a group checks each member: what changed since it was put together is left out.

/** Books a weekly slot for a user; returns the ids. */
async function bookWeeks(server: TestServer, token: string): Promise<string[]> {
  const day = Math.floor(Date.now() / DAY_MS + 2) * DAY_MS
  const times = { start_time: toTimestamp(day), end_time: toTimestamp(day + DAY_MS / 24) }
  const { body } = await server.as({ token }).post('/api/bookings', { ...times, weeks: 3, qpu: 'north' })
  return (body as { slots: { id: string }[] }).slots.map(({ id }) => id)
}

test('cancelling the following slots leaves one that was given to somebody else', async () => {
  await using server = await openTestServer()
  await server.createQpu('north')
  const [ada, bob] = [await server.createUser(), await server.createUser()]
  const [first = '', second = ''] = await bookWeeks(server, ada.token)
  const slots = '/api/collections/time_slots/records'
  expect((await server.admin.patch(`${slots}/${second}`, { booked_by: bob.id })).status).toBe(200)
  const cancelled = await server.as(ada).call('DELETE', `/api/bookings/${first}?following=1`)
  expect(cancelled.body).toEqual({ cancelled: 2 })
  expect((await server.admin.get(slots)).get('items')).toMatchObject([{ id: second }])
})

test('after a driver token was replaced, a new token of the QPU is that of the same driver', async () => {
  await using server = await openTestServer()
  const north = await server.createQpu('north')
  const token = async () =>
    (await server.admin.post('/api/op/drivers/token', { id: north.driver })).text('token')
  const connect = async (with_: string) =>
    (await server.guest.post('/api/op/drivers/connect', { token: with_ })).status
  const replaced = await token()
  expect([await connect(north.token), await connect(replaced)]).toEqual([401, 200])
  const path = `/api/collections/qpus/records/${north.id}`
  const own = 'x'.repeat(40)
  expect((await server.admin.patch(path, { access_token: own })).status).toBe(200)
  expect([await connect(replaced), await connect(own)]).toEqual([401, 200])
  const drivers = await server.admin.get('/api/collections/drivers/records')
  expect(drivers.get('items')).toMatchObject([{ id: north.driver }])
})

test('a failure at the old address of a webhook does not disable the new one', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const user = await db.write('user', (tx) => tx.insert(users, { username: 'ada' }).id)
  const change = { user, actor: `user:${user}`, isOperator: false }
  const url = 'https://old.test/'
  const made = { url, description: '', kinds: ['job.ended' as const], secret: 'whsec_AAAA' }
  const { id } = await createWebhook(db, made, change)
  const delivery = await db.write('event', (tx) => {
    queueWebhookEvent(tx, { kind: 'job.ended', user, data: {} })
    return tx.one<{ id: string }>('SELECT id FROM webhook_deliveries')?.id ?? ''
  })
  await updateWebhook(db, id, { url: 'https://new.test/' }, change)
  const gone = { status: 410, error: 'http_status: HTTP 410', durationMs: 5, response: '' }
  const attempt = { webhook: id, delivery, url }
  expect(await db.write('record', (tx) => recordAttempt(tx, attempt, gone))).toBe('pending')
  expect(await findWebhook(db, user, id)).toMatchObject({ enabled: true, failures: 0 })
})

test.each([
  ['job_ended', 'mail_job_after', 0, { job: 'j', status: 'completed', seconds: 9 }],
  ['slot_started', 'mail_slot_start', false, { qpu: '', start: '', end: '' }],
  ['time_request_decided', 'mail_time_request', false, { status: 'approved', seconds: 1, reason: '' }],
] as const)('%s is not mailed after its user has turned it off', async (kind, field, off, detail) => {
  await using server = await openTestServer()
  const { id } = await server.createUser()
  const items = await server.db.write('mails', (tx) => {
    tx.update(users, id, { mail_job_after: 1, mail_slot_start: true, mail_time_request: true })
    // Each kind has the detail beside it.
    queueMailItem(tx, id, { kind, detail } as Parameters<typeof queueMailItem>[2])
    tx.update(users, id, { [field]: off })
    return claimDigest(tx, id)
  })
  expect(items).toBeUndefined()
})
