import { expect, test } from 'bun:test'
import { rememberAddress } from '../../../src/db/store/accounts/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server/server.ts'

test('superusers read the last login and the recent QPU time of users', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const [ada, bob] = [await server.createUser(), await server.createUser()]
  const login = clock.now()
  await clock.advance(3_600_000)
  await server.db.write('t', (tx) => {
    rememberAddress(tx, { account: `user:${ada.id}`, use: 'session', address: '192.0.2.1' })
    for (const [minutes, ms] of [
      [1, 1_500],
      [60 * 24 * 29, 500],
      [60 * 24 * 31, 9_000],
    ] as const) {
      tx.run('INSERT INTO recent_use (minute, "user", ms) VALUES ($minute, $user, $ms)', {
        ...{ minute: Math.floor(tx.now / 60_000) - minutes, user: ada.id, ms },
      })
    }
  })
  const response = await server.admin.get(`/api/op/user-activity?users=${ada.id},${bob.id},nobody`)
  const items = response.get('items') as { user: string; last_login: string; last_seen: string }[]
  expect(items).toMatchObject([
    { user: ada.id, qpu_seconds: 2 },
    { user: bob.id, qpu_seconds: 0 },
    { user: 'nobody', last_login: '', last_seen: '', qpu_seconds: 0 },
  ])
  expect(Date.parse(items[0]?.last_login ?? '')).toBeLessThanOrEqual(login)
  expect(Date.parse(items[0]?.last_seen ?? '')).toBe(clock.now())
  const many = Array.from({ length: 101 }, (_, index) => `u${index}`).join(',')
  expect((await server.admin.get(`/api/op/user-activity?users=${many}`)).status).toBe(400)
})
