import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { listAudit } from '../../../src/db/journal/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, openTestServer, TestClient, type TestServer } from '../../support/server/server.ts'

const programOf = (server: TestServer, token: string) => new TestClient(server.url, { 'x-api-token': token })

test('a token has the scope it was created with, or all; it is listed and never changes', async () => {
  await using server = await openTestServer()
  const me = server.as(await server.createUser())
  const [reader, plain] = [await me.post('/api/tokens', { scope: 'read' }), await me.post('/api/tokens')]
  expect([reader.get('scope'), plain.get('scope')]).toEqual(['read', 'all'])
  expect((await me.post('/api/tokens', { scope: 'admin' })).status).toBe(400)
  const changed = await me.patch(`/api/tokens/${reader.text('id')}`, { scope: 'all', name: 'r' })
  expect([changed.status, changed.get('scope')]).toEqual([200, 'read'])
  expect((await me.get('/api/tokens?sort=name')).body).toMatchObject([{ scope: 'all' }, { scope: 'read' }])
})

test('a token created before there were scopes may do everything', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const created = await server.as(user).post('/api/tokens')
  await server.db.write('as before', (tx) => {
    const columns = 'id, name, token, "user", expires_at, created, updated'
    tx.run(`CREATE TABLE kept AS SELECT ${columns} FROM api_tokens`)
    tx.run('DELETE FROM api_tokens')
    tx.run(`INSERT INTO api_tokens (${columns}) SELECT ${columns} FROM kept`)
    tx.run('DROP TABLE kept')
  })
  const program = programOf(server, created.text('token'))
  expect((await program.get('/api/tokens')).body).toMatchObject([{ scope: 'all' }])
  expect((await program.post('/api/tokens')).status).toBe(201)
})

test('a refusal names the scope of the token and the scope that is needed', async () => {
  await using server = await openTestServer()
  const me = server.as(await server.createUser())
  const submitter = programOf(server, (await me.post('/api/tokens', { scope: 'submit' })).text('token'))
  const { body } = await submitter.post('/api/tokens', { scope: 'submit' })
  expect(body).toMatchObject({
    status: 403,
    code: 'insufficient_scope',
    message: 'The API token has the scope submit, this request needs all; use another token or log in.',
  })
})

test('new tokens are audited and limited in rate and number', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock, settings: { userRate: '0' } })
  const user = await server.createUser()
  const me = server.as(user)
  const statuses = []
  for (let at = 0; at < 61; at += 1) statuses.push((await me.post('/api/tokens', { name: 'n' })).status)
  expect([statuses.filter((each) => each === 201).length, statuses.at(-1)]).toEqual([60, 429])
  const entries = await server.db.read((tx) => listAudit(tx, { act: 'token.create', limit: 100 }))
  expect(entries.length).toBe(60)
  expect(entries[0]).toMatchObject({ actor: `user:${user.id}`, email: user.email })
  expect(entries[0]?.detail).toMatchObject({ user: user.id, scope: 'all', name: 'n', address: '127.0.0.1' })
  for (let at = 60; at < 200; at += 1) {
    await clock.advance(60_000)
    expect((await me.post('/api/tokens')).status).toBe(201)
  }
  await clock.advance(60_000)
  const refused = await me.post('/api/tokens')
  expect([refused.status, refused.get('code')]).toEqual([409, 'too_many_tokens'])
})

test('a password reset by link deletes all API tokens, those of a superuser too', async () => {
  await using server = await openTestServer()
  for (const [collection, account] of [
    ['users', await server.createUser()],
    ['_superusers', server.superuser],
  ] as const) {
    const program = programOf(server, (await server.as(account).post('/api/tokens')).text('token'))
    expect((await program.get('/api/jobs')).status).toBe(200)
    const admin = server.as({ token: await login(server.guest, '_superusers', server.superuser) })
    const created = await admin.post('/api/op/account-links', {
      collection,
      id: account.id,
      purpose: 'password_reset',
    })
    const token = new URL(created.text('link')).searchParams.get('token')
    const body = { token, password: 'another password', passwordConfirm: 'another password' }
    expect(
      (await server.guest.post(`/api/collections/${collection}/confirm-password-reset`, body)).status,
    ).toBe(204)
    expect((await program.get('/api/jobs')).status).toBe(401)
  }
})

test('a change of password keeps the API tokens and lists them, or deletes them on request', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const created = await server.as(user).post('/api/tokens')
  const program = programOf(server, created.text('token'))
  const path = `/api/collections/users/records/${user.id}`
  const [first, second] = ['the second password', 'the third password']
  const kept = await server
    .as(user)
    .patch(path, { oldPassword: user.password, password: first, passwordConfirm: first })
  expect([kept.status, kept.get('api_tokens')]).toEqual([200, [created.text('id')]])
  expect((await program.get('/api/jobs')).status).toBe(200)

  const me = server.as({ token: await login(server.guest, 'users', { ...user, password: first }) })
  for (const body of [
    { removeApiTokens: true },
    { oldPassword: first, password: second, removeApiTokens: 'maybe' },
  ]) {
    const refused = await me.patch(path, body)
    expect([refused.status, Object.keys(Object(refused.get('data')))]).toEqual([400, ['removeApiTokens']])
  }
  const removed = await me.patch(path, { oldPassword: first, password: second, removeApiTokens: true })
  expect([removed.status, removed.get('api_tokens')]).toEqual([200, []])
  expect((await program.get('/api/jobs')).status).toBe(401)
})

test('logging out everywhere ends all logins and mailed links, and API tokens on request', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const other = server.as({ token: await login(server.guest, 'users', user) })
  const program = programOf(server, (await server.as(user).post('/api/tokens')).text('token'))
  const linked = await server.admin.post('/api/op/account-links', { id: user.id, purpose: 'verification' })
  const { body } = await server.as(user).post('/api/auth/logout-everywhere', {})
  expect(body).toEqual({
    status: 'logged_out',
    api_tokens: 0,
    issued_access: {
      api_tokens: 1,
      session_secrets: 0,
      shares: 0,
      calendar_feeds: 0,
      webhooks: 0,
      linked_accounts: 0,
    },
  })
  expect([(await other.get('/api/jobs')).status, (await server.as(user).get('/api/jobs')).status]).toEqual([
    401, 401,
  ])
  expect((await program.get('/api/jobs')).status).toBe(200)
  const token = new URL(linked.text('link')).searchParams.get('token')
  expect((await server.guest.post('/api/collections/users/confirm-verification', { token })).status).toBe(400)

  const again = server.as({ token: await login(server.guest, 'users', user) })
  const reply = await again.post('/api/auth/logout-everywhere', { api_tokens: true })
  expect(reply.body).toMatchObject({ status: 'logged_out', api_tokens: 1 })
  expect((await program.get('/api/jobs')).status).toBe(401)
  const acts = (await server.db.read((tx) => listAudit(tx, { act: 'account', limit: 10 }))).map(
    ({ act }) => act,
  )
  expect(acts).toEqual(['account.link.verification', 'account.end_access', 'account.end_access'])
})

test('an impersonated login cannot gain a longer one', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = await server.createUser()
  const own = `/api/collections/_superusers/impersonate/${server.superuser.id}`
  const borrowed = server.as({ token: (await server.admin.post(own, { duration: 600 })).text('token') })
  const exp = (token: string) => JSON.parse(atob(token.split('.')[1] ?? '')).exp * 1_000
  const end = exp(borrowed.headers['authorization'] ?? '')

  const ofUser = `/api/collections/users/impersonate/${user.id}`
  for (const path of [own, ofUser]) {
    const refused = await borrowed.post(path, { duration: 601 })
    expect([path, refused.status, Object.keys(Object(refused.get('data')))]).toEqual([
      path,
      400,
      ['duration'],
    ])
    expect(exp((await borrowed.post(path, { duration: 0 })).text('token'))).toBeLessThanOrEqual(end)
  }
  const refresh = await borrowed.post('/api/collections/_superusers/auth-refresh')
  expect(exp(refresh.text('token'))).toBe(end)
  const records = '/api/collections/_superusers/records'
  const credentials = { password: 'another password', passwordConfirm: 'another password' }
  const link = { collection: '_superusers', id: server.superuser.id, purpose: 'password_reset' }
  for (const refused of [
    await borrowed.patch(`${records}/${server.superuser.id}`, credentials),
    await borrowed.post(records, { email: 'new@example.org', ...credentials }),
    await borrowed.post('/api/op/account-links', link),
  ]) {
    expect([refused.status, refused.get('code')]).toEqual([403, 'impersonated'])
  }
  expect((await server.admin.post('/api/op/account-links', link)).status).toBe(200)

  // The same for API tokens of the account that the login is for.
  const asUser = server.as({ token: (await server.admin.post(ofUser, { duration: 600 })).text('token') })
  for (const client of [borrowed, asUser]) {
    const late = { expires_at: toTimestamp(end + 60_000) }
    expect((await client.post('/api/tokens', late)).status).toBe(400)
    const created = await client.post('/api/tokens')
    expect(Date.parse(created.text('expires_at'))).toBeLessThanOrEqual(end)
    expect((await client.patch(`/api/tokens/${created.text('id')}`, late)).status).toBe(400)
    const endless = await client.patch(`/api/tokens/${created.text('id')}`, { expires_at: '' })
    expect(Date.parse(endless.text('expires_at'))).toBeLessThanOrEqual(end)
  }
  expect((await server.admin.post(own, { duration: 86_400 })).status).toBe(200)
})
