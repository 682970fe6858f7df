import { expect, test } from 'bun:test'
import { notifications } from '../../../src/db/store/accounts/index.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

type Values = Partial<{ title: string; target_users: string[]; start_time: string; end_time: string }>

async function notify(server: TestServer, values: Values = {}): Promise<string> {
  return (await server.db.write('t', (tx) => tx.insert(notifications, { title: 'news', ...values }))).id
}
const stored = (server: TestServer, id: string) => server.db.read((tx) => tx.find(notifications, id))
const dismiss = (id: string) => `/api/notifications/${id}/dismiss`

test('a dismissed notification is hidden from that user and visible to others', async () => {
  await using server = await openTestServer()
  const [one, other] = [await server.createUser(), await server.createUser()]
  const id = await notify(server)
  const listed = async (user: { token: string }) =>
    ((await server.as(user).get('/api/collections/notifications/records')).body as { items: unknown[] }).items
      .length
  expect([await listed(one), await listed(other)]).toEqual([1, 1])
  for (let times = 0; times < 3; times += 1) {
    const response = await server.as(one).post(dismiss(id))
    expect([response.status, response.body]).toEqual([200, { status: 'dismissed' }])
  }
  expect((await server.as(one).post(dismiss(id), {})).status).toBe(200)
  expect([await listed(one), await listed(other)]).toEqual([0, 1])
  expect((await stored(server, id))?.dismissed_by).toEqual([one.id])
})

test('concurrent repeated dismissals of 20 users are all stored', async () => {
  await using server = await openTestServer()
  const readers = await Promise.all(Array.from({ length: 20 }, () => server.createUser()))
  const id = await notify(server)
  const responses = await Promise.all(
    [...readers, ...readers].map((user) => server.as(user).post(dismiss(id))),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(40).fill(200))
  expect((await stored(server, id))?.dismissed_by.toSorted()).toEqual(
    readers.map((user) => user.id).toSorted(),
  )
})

test('a user who is not addressed cannot dismiss a notification; a missing one is not found', async () => {
  await using server = await openTestServer()
  const [one, other] = [await server.createUser(), await server.createUser()]
  const targeted = await notify(server, { target_users: [one.id] })
  const refused = await server.as(other).post(dismiss(targeted))
  expect([refused.status, refused.text('message')]).toEqual([
    403,
    'This notification is not addressed to you.',
  ])
  expect((await stored(server, targeted))?.dismissed_by).toEqual([])
  const later = await notify(server, { start_time: '2199-01-01 00:00:00.000Z' })
  const over = await notify(server, { end_time: '2001-01-01 00:00:00.000Z' })
  const seen: number[] = []
  for (const id of [later, 'aaaaaaaaaaaaaaa', 'x', over]) {
    seen.push((await server.as(one).post(dismiss(id))).status)
  }
  expect(seen).toEqual([404, 404, 404, 200])
  expect((await server.guest.post(dismiss(targeted))).status).toBe(401)
})

test('a superuser dismisses for its proxy user', async () => {
  await using server = await openTestServer()
  const id = await notify(server)
  expect((await server.admin.post(dismiss(id))).status).toBe(200)
  expect((await stored(server, id))?.dismissed_by).toHaveLength(1)
})

test('others receive the change of a dismissal, the dismissing user does not', async () => {
  await using server = await openTestServer()
  const [one, other] = [await server.createUser(), await server.createUser()]
  const id = await notify(server)
  await using own = await listenAs(server.as(one), 'notifications/*', 'qpus')
  await using foreign = await listenAs(server.as(other), 'notifications/*')
  await server.as(one).post(dismiss(id))
  await until('the other receives the change', () => foreign.of('notifications/*').length === 1)
  await server.createQpu()
  await until('the mark', () => own.of('qpus').length === 1)
  expect(own.of('notifications/*')).toEqual([])
})
