import { expect, test } from 'bun:test'
import { checkInvariants } from '../../../src/db/index.ts'
import { openTestServer, TestClient, type TestServer } from '../../support/server/server.ts'

const ledgerOf = (server: TestServer, user: { id: string }) =>
  server.db.read((tx) =>
    tx.all<{ kind: string; delta_ms: number }>(
      'SELECT kind, delta_ms FROM qpu_ledger WHERE "user" = $user ORDER BY rowid',
      { user: user.id },
    ),
  )

test('a superuser creates a user; the default balance is 0', async () => {
  await using server = await openTestServer()
  const make = (body: object) => server.admin.post('/api/collections/users/records', body)
  const plain = await make({
    email: 'Ada@Example.org',
    password: 'some password',
    passwordConfirm: 'some password',
  })
  expect(plain.status).toBe(200)
  expect(plain.body).toMatchObject({
    collectionName: 'users',
    email: 'ada@example.org',
    qpu_seconds: 0,
    api_tokens: [],
  })
  expect(JSON.stringify(plain.body)).not.toMatch(/argon2|tokenKey|"password"/)
  const rich = await make({
    id: 'abcdefghij12345',
    email: 'rich@example.org',
    password: 'some password',
    qpu_seconds: 1.5,
  })
  expect(rich.body).toMatchObject({ id: 'abcdefghij12345', qpu_seconds: 1.5 })
  expect(await ledgerOf(server, { id: 'abcdefghij12345' })).toEqual([{ kind: 'opening', delta_ms: 1_500 }])

  const refusals: [object, string][] = [
    [{ email: 'x@example.org', password: 'short' }, 'password'],
    [{ email: 'x@example.org', password: 'x'.repeat(72) }, 'password'],
    [{ email: 'x@example.org', password: 'Password1' }, 'password'],
    [{ email: 'x@example.org', password: 'some password', passwordConfirm: 'another' }, 'passwordConfirm'],
    [{ email: 'not an address', password: 'some password' }, 'email'],
    [{ password: 'some password' }, 'email'],
    [{ email: 'ada@example.org', password: 'some password' }, 'email'],
    [{ id: 'abcdefghij12345', email: 'y@example.org', password: 'some password' }, 'id'],
    [{ id: 'too short', email: 'y@example.org', password: 'some password' }, 'id'],
    [{ email: 'y@example.org', password: 'some password', qpu_seconds: -1 }, 'qpu_seconds'],
    [{ email: 'y@example.org', password: 'some password', qpu_seconds: '5' }, 'qpu_seconds'],
  ]
  for (const [body, field] of refusals) {
    const response = await make(body)
    expect([field, response.status, Object.keys(Object(response.get('data')))]).toEqual([field, 400, [field]])
  }
})

test('a user sees only their own account, a superuser all accounts', async () => {
  await using server = await openTestServer()
  const [user, other] = [await server.createUser({ qpuSeconds: 2 }), await server.createUser()]
  const path = `/api/collections/users/records/${user.id}`
  expect((await server.as(user).get(path)).body).toMatchObject({
    id: user.id,
    email: user.email,
    qpu_seconds: 2,
  })
  expect((await server.admin.get(path)).body).toMatchObject({ id: user.id, email: user.email })
  expect((await server.as(other).get(path)).status).toBe(404)
  expect((await server.guest.get(path)).status).toBe(404)
  expect((await server.admin.get('/api/collections/users/records/aaaaaaaaaaaaaaa')).status).toBe(404)
})

test('PATCH /api/admin/users changes the balance only together with a ledger row', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ qpuSeconds: 10 })
  const path = `/api/admin/users/${user.id}`
  for (const [qpu_seconds, delta] of [
    [25.5, 15_500],
    [25.5, undefined],
    [0.001, -25_499],
    [0, -1],
  ] as const) {
    const before = await ledgerOf(server, user)
    expect((await server.admin.patch(path, { qpu_seconds })).body).toMatchObject({ id: user.id, qpu_seconds })
    const added = (await ledgerOf(server, user)).slice(before.length)
    expect(added).toEqual(delta === undefined ? [] : [{ kind: 'admin', delta_ms: delta }])
  }
  const audit = await server.db.read((tx) =>
    tx.all<{ actor: string; subject: string; detail: string }>(
      `SELECT actor, subject, detail FROM audit_log WHERE act = 'user.account' ORDER BY seq`,
    ),
  )
  expect(audit[0]).toEqual({
    actor: `superuser:${server.superuser.id}`,
    subject: user.id,
    detail: JSON.stringify({ qpu_seconds: { from: 10, to: 25.5 } }),
  })
  expect(await server.db.read((tx) => checkInvariants(tx))).toEqual([])
})

test('100 concurrent changes of one balance leave balance and ledger equal', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const path = `/api/admin/users/${user.id}`
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, at) => server.admin.patch(path, { qpu_seconds: at / 7 })),
  )
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]))
  const balance = Number(
    (await server.as(user).get(`/api/collections/users/records/${user.id}`)).get('qpu_seconds'),
  )
  const sum = (await ledgerOf(server, user)).reduce((total, row) => total + row.delta_ms, 0)
  expect(Math.round(balance * 1_000)).toBe(sum)
})

test('PATCH /api/admin/users deletes the API tokens that it does not list', async () => {
  await using server = await openTestServer()
  const [user, other] = [await server.createUser(), await server.createUser()]
  const me = server.as(user)
  const [one, two, three] = [
    await me.post('/api/tokens'),
    await me.post('/api/tokens'),
    await me.post('/api/tokens'),
  ]
  const foreign = await server.as(other).post('/api/tokens')
  const path = `/api/admin/users/${user.id}`
  const works = async (token: { text(key: string): string }) =>
    (await new TestClient(server.url, { 'x-api-token': token.text('token') }).get('/api/jobs')).status === 200
  for (const bad of [foreign.text('id'), 'aaaaaaaaaaaaaaa']) {
    const refused = await server.admin.patch(path, { api_tokens: [one.text('id'), bad], qpu_seconds: 5 })
    expect([refused.status, Object.keys(Object(refused.get('data')))]).toEqual([400, ['api_tokens']])
  }
  expect([await works(one), await works(two), await works(three)]).toEqual([true, true, true])
  const kept = await server.admin.patch(path, { api_tokens: [two.text('id')] })
  expect(kept.body).toMatchObject({ api_tokens: [two.text('id')], qpu_seconds: 0 })
  expect([await works(one), await works(two), await works(three), await works(foreign)]).toEqual([
    false,
    true,
    false,
    true,
  ])
  expect((await server.admin.patch(path, { api_tokens: [] })).get('api_tokens')).toEqual([])
  expect(await works(two)).toBe(false)
})

test('PATCH /api/admin/users refuses invalid balances and unknown users', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  for (const body of [
    { qpu_seconds: -1 },
    { qpu_seconds: '5' },
    { qpu_seconds: 1e13 },
    { qpu_seconds: null },
    { api_tokens: 'all' },
    { api_tokens: ['no id'] },
  ]) {
    const response = await server.admin.patch(`/api/admin/users/${user.id}`, body)
    expect([JSON.stringify(body), response.status]).toEqual([JSON.stringify(body), 400])
  }
  expect((await server.admin.patch('/api/admin/users/aaaaaaaaaaaaaaa', { qpu_seconds: 1 })).status).toBe(404)
  const proxy = await server.admin.get('/api/tokens')
  expect(proxy.status).toBe(200)
  const row = await server.db.read((tx) => tx.one<{ id: string }>('SELECT id FROM users WHERE unlimited = 1'))
  const response = await server.admin.patch(`/api/admin/users/${row?.id}`, { qpu_seconds: 1 })
  expect([response.status, Object.keys(Object(response.get('data')))]).toEqual([400, ['qpu_seconds']])
})
