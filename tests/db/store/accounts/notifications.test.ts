import { expect, test } from 'bun:test'
import { dismissNotification, notifications, users } from '../../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

test('dismissNotification() records every user, even beyond a thousand', async () => {
  await using test = await openTestDatabase()
  const { id, people: userIds } = await test.db.write('t', (tx) => ({
    id: tx.insert(notifications, { title: 'news' }).id,
    people: Array.from({ length: 1_200 }, () => tx.insert(users, {}).id),
  }))
  const ends = await Promise.all(userIds.map((user) => dismissNotification(test.db, user, id)))
  expect(new Set(ends)).toEqual(new Set(['dismissed']))
  const stored = await test.db.read((tx) => tx.find(notifications, id))
  expect(stored?.dismissed_by).toEqual(userIds)
  const renamed = await test.db.write('t', (tx) => tx.update(notifications, id, { title: 'old news' }))
  expect(renamed?.dismissed_by).toHaveLength(1_200)
})

test('dismissNotification() publishes the change once, and nothing when nothing changed', async () => {
  await using test = await openTestDatabase()
  const [id, user] = await test.db.write('t', (tx) => [
    tx.insert(notifications, { title: 'news' }).id,
    tx.insert(users, {}).id,
  ])
  const published: unknown[] = []
  test.db.changes.subscribe((changes) => published.push(...changes))
  await test.clock.advance(5_000)
  for (let times = 0; times < 3; times += 1) await dismissNotification(test.db, user ?? '', id ?? '')
  expect(published).toMatchObject([
    { collection: 'notifications', id, action: 'update', record: { dismissed_by: [user] } },
  ])
  const stored = await test.db.read((tx) => tx.find(notifications, id ?? ''))
  expect(Date.parse(stored?.updated ?? '') - Date.parse(stored?.created ?? '')).toBe(5_000)
})
