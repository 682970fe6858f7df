import { expect, test } from 'bun:test'
import { notifications } from '../../../src/db/store/accounts/index.ts'
import { unreadBy } from '../../../ui/app/notices.ts'
import { openTestServer } from '../../support/server/server.ts'

test('unreadBy() finds what is shown to everybody now and was not dismissed by this superuser', async () => {
  await using server = await openTestServer()
  const { id } = await server.createUser()
  const notify = (title: string, values: object = {}) =>
    server.db.write('notice', (tx) => tx.insert(notifications, { title, ...values }))
  const old = await notify('dismissed')
  await notify('planned', { start_time: '2199-01-01 00:00:00.000Z' })
  await notify('ended', { end_time: '2001-01-01 00:00:00.000Z' })
  await notify('for one', { target_users: [id] })
  await notify('new', { dismissed_by: [id] })
  const unread = async () => {
    const filter = encodeURIComponent(unreadBy(server.superuser.email))
    const { body } = await server.admin.get(`/api/collections/notifications/records?filter=${filter}`)
    return (body as { items: { title: string }[] }).items.map(({ title }) => title).toSorted()
  }
  expect(await unread()).toEqual(['dismissed', 'new'])
  expect((await server.admin.post(`/api/notifications/${old.id}/dismiss`)).status).toBe(200)
  expect(await unread()).toEqual(['new'])
})
