import { expect, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { listSuperusers } from '../../../src/db/store/accounts/index.ts'
import { createServer, readConfig } from '../../../src/server/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, TestClient, testSettings } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A server before its set-up. */
async function openFresh() {
  const folder = temporaryFolder()
  const clock = new FakeClock()
  const effective = readConfig({ flags: await testSettings(folder.path), env: {} })
  const server = await createServer(effective, { clock, log: silentLog, version: '1', assets: undefined })
  const { url } = await server.start()
  return {
    clock,
    server,
    guest: new TestClient(url),
    async notice() {
      const lines = (await server.setUpNotice()).join('\n')
      return { lines, token: /"token": "([0-9a-f]+)"/.exec(lines)?.[1] ?? '' }
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}

const account = { email: 'First@Example.org', password: 'the first superuser' }

test('the token of the first start creates one superuser, once', async () => {
  await using fresh = await openFresh()
  const { token, lines } = await fresh.notice()
  expect(lines).toContain(`${fresh.guest.url}/api/op/setup`)
  expect(lines).toContain('svc superuser upsert EMAIL PASSWORD')
  const attempts = await Promise.all(
    Array.from({ length: 5 }, (_, at) =>
      fresh.guest.post('/api/op/setup', { ...account, email: `${at}${account.email}`, token }),
    ),
  )
  expect(attempts.map((response) => response.status).sort()).toEqual([201, 403, 403, 403, 403])
  const [superuser, ...others] = await listSuperusers(fresh.server.context.db)
  expect(others).toEqual([])
  const created = attempts.find((response) => response.status === 201)
  expect(created?.body).toEqual({ id: superuser?.id, email: superuser?.email })
  expect(superuser?.email).toMatch(/^\dfirst@example.org$/)
  await login(fresh.guest, '_superusers', { ...account, email: superuser?.email ?? '' })
  expect((await fresh.notice()).lines).toBe('')
})

test('the token is invalid after 30 minutes, when it is wrong, and when none was printed', async () => {
  await using fresh = await openFresh()
  const attempt = async (token: string) =>
    (await fresh.guest.post('/api/op/setup', { ...account, token })).status
  expect(await attempt('')).toBe(403)
  const { token } = await fresh.notice()
  expect(await attempt(token.replace(/^./, 'x'))).toBe(403)
  await fresh.clock.advance(30 * 60_000)
  const expired = await fresh.guest.post('/api/op/setup', { ...account, token })
  expect(expired.status).toBe(403)
  expect(expired.get('message')).toEndWith('; stop the server and run svc superuser upsert.')
  expect(await listSuperusers(fresh.server.context.db)).toEqual([])
})

test('an invalid password or address does not use up the token', async () => {
  await using fresh = await openFresh()
  const { token } = await fresh.notice()
  const responses = []
  for (const bad of [{ password: 'short' }, { password: 'password' }, { email: 'nobody' }]) {
    responses.push(await fresh.guest.post('/api/op/setup', { ...account, token, ...bad }))
  }
  expect(responses.map((response) => [response.status, Object.keys(Object(response.get('data')))])).toEqual([
    [400, ['password']],
    [400, ['password']],
    [400, ['email']],
  ])
  expect((await fresh.guest.post('/api/op/setup', { ...account, token })).status).toBe(201)
})
