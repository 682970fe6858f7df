import { afterAll, beforeAll, expect, test } from 'bun:test'
import { notifications, users } from '../../../src/db/store/accounts/index.ts'
import { openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'

import { listenAs, withOptions } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

const RECORDS = '/api/collections/notifications/records'

let server: TestServer
let ada: TestAccount
let bob: TestAccount
/** A notification that ada has dismissed, so that only bob sees it. */
let id: string

beforeAll(async () => {
  server = await openTestServer()
  ada = await server.createUser()
  bob = await server.createUser()
  const row = await server.db.write('t', (tx) => {
    // Visible to everybody, so that only the field itself can hide its content.
    for (const user of [ada, bob]) tx.update(users, user.id, { emailVisibility: true })
    return tx.insert(notifications, { title: 'Tea', dismissed_by: [ada.id] })
  })
  id = row.id
})
afterAll(() => server[Symbol.asyncDispose]())

test('readers see themselves at most, superusers see everybody', async () => {
  const listOf = async (path: string, client = server.as(bob)) =>
    JSON.stringify((await client.get(path)).body)
  for (const path of [`${RECORDS}/${id}`, RECORDS, `${RECORDS}/${id}?expand=dismissed_by`]) {
    expect(await listOf(path)).toContain('"dismissed_by":[]')
    expect(await listOf(path)).not.toContain(ada.id)
    expect(await listOf(path, server.admin)).toContain(`"dismissed_by":["${ada.id}"]`)
  }
  expect(await listOf(`${RECORDS}/${id}?expand=dismissed_by`, server.admin)).toContain(ada.email)
  const file = await fetch(`${server.url}${RECORDS}?format=csv`, { headers: { ...server.admin.headers } })
  expect(await file.text()).toContain(ada.id)
})

test('no filter or sort of a reader depends on who dismissed a notification', async () => {
  for (const query of [
    `filter=dismissed_by ?= "${ada.id}"`,
    `filter=dismissed_by.id ?= "${ada.id}"`,
    `filter=dismissed_by.email ?~ "a"`,
    'filter=dismissed_by:length > 0',
    'sort=dismissed_by',
    'sort=dismissed_by.email',
  ]) {
    const [key = '', value = ''] = query.split(/=(.*)/s)
    const path = `${RECORDS}?${key}=${encodeURIComponent(value)}`
    expect([query, (await server.as(bob).get(path)).status]).toEqual([query, 400])
    expect([query, (await server.admin.get(path)).status]).toEqual([query, 200])
  }
  const through = `/api/collections/users/records?filter=${encodeURIComponent('notifications_via_dismissed_by.id != ""')}`
  expect((await server.as(bob).get(through)).status).toBe(400)
  const expanded = await server
    .as(bob)
    .get(`/api/collections/users/records/${bob.id}?expand=notifications_via_dismissed_by`)
  expect(expanded.get('expand') ?? {}).toEqual({})
})

test('the event stream shows readers themselves at most', async () => {
  const topics = ['notifications/*', withOptions('notifications/*', { expand: 'dismissed_by' })]
  await using stream = await listenAs(server.as(bob), ...topics)
  await using admin = await listenAs(server.admin, ...topics)
  await server.db.write('t', (tx) => tx.update(notifications, id, { title: 'Coffee' }))
  for (const topic of topics) {
    await until('the change', () => stream.of(topic).length === 1 && admin.of(topic).length === 1)
    expect(JSON.stringify(stream.of(topic))).toContain('"dismissed_by":[]')
    expect(JSON.stringify(stream.of(topic))).not.toContain(ada.id)
    expect(JSON.stringify(admin.of(topic))).toContain(ada.id)
  }
})
