import { describe, expect, test } from 'bun:test'
import { checkInvariants } from '../../../../src/db/index.ts'
import { hashToken } from '../../../../src/server/access-token.ts'
import { login, openTestServer, TestClient, type TestServer } from '../../../support/server/server.ts'

const USERS = '/api/collections/users/records'

async function balances(server: TestServer) {
  return server.db.read((tx) => checkInvariants(tx))
}

describe('users', () => {
  test('change their password with the old one, which ends their logins', async () => {
    await using server = await openTestServer()
    const user = await server.createUser()
    const [me, path] = [server.as(user), `${USERS}/${user.id}`]
    const password = 'another password'
    for (const [body, field] of [
      [{ password }, 'oldPassword'],
      [{ password, oldPassword: 'wrong password' }, 'oldPassword'],
      [{ password, oldPassword: 7 }, 'oldPassword'],
      [{ password, passwordConfirm: 'x', oldPassword: user.password }, 'passwordConfirm'],
      [{ password: 'short', oldPassword: user.password }, 'password'],
      [{ password: { length: 10 }, oldPassword: user.password }, 'password'],
    ] as const) {
      const response = await me.patch(path, body)
      expect([field, response.status, Object.keys(Object(response.get('data')))]).toEqual([
        field,
        400,
        [field],
      ])
    }
    expect((await me.get(path)).status).toBe(200)
    const changed = { password, passwordConfirm: password, oldPassword: user.password }
    expect((await me.patch(path, changed)).status).toBe(200)
    expect((await me.get(path)).status).toBe(404)
    const token = await login(server.guest, 'users', { email: user.email, password })
    expect((await server.as({ token }).get(path)).status).toBe(200)
    // A superuser needs no old password and can end logins without a new one.
    expect((await server.admin.patch(path, { 'tokenKey:autogenerate': '' })).status).toBe(200)
    expect((await server.as({ token }).get(path)).status).toBe(404)
    expect((await server.admin.patch(path, { password: user.password })).status).toBe(200)
    expect(await login(server.guest, 'users', user)).toBeString()
  })

  test('cannot change address, verification or balance; superusers can', async () => {
    await using server = await openTestServer()
    const user = await server.createUser({ qpuSeconds: 10 })
    const path = `${USERS}/${user.id}`
    for (const [body, code] of [
      [{ email: 'other@example.org' }, 'validation_values_mismatch'],
      [{ verified: false }, 'validation_values_mismatch'],
      [{ qpu_seconds: 1_000 }, 'read_only_field'],
      [{ 'qpu_seconds+': 1_000 }, 'read_only_field'],
      [{ disabled: true }, 'read_only_field'],
      [{ unlimited: true }, 'read_only_field'],
    ] as const) {
      const { status, body: response } = await server.as(user).patch(path, body)
      expect([status, Object.values(Object(response).data)]).toMatchObject([400, [{ code }]])
    }
    expect((await server.admin.patch(path, { email: 'Other@Example.org' })).get('email')).toBe(
      'other@example.org',
    )
    // The new address ends the login.
    expect((await server.as(user).get(path)).status).toBe(404)
  })

  test('have a balance equal to the sum of the ledger after every kind of change', async () => {
    await using server = await openTestServer()
    const user = await server.createUser({ qpuSeconds: 10 })
    const path = `${USERS}/${user.id}`
    for (const [body, expected] of [
      [{ 'qpu_seconds+': 5 }, 15],
      [{ 'qpu_seconds-': '2.5' }, 12.5],
      [{ qpu_seconds: 1.001 }, 1.001],
      [{ qpu_seconds: 1.001, username: 'ada' }, 1.001],
      [{ qpu_seconds: 0 }, 0],
    ] as const) {
      expect((await server.admin.patch(path, body)).get('qpu_seconds')).toBe(expected)
      expect(await balances(server)).toEqual([])
    }
    for (const body of [
      { 'qpu_seconds-': 5 },
      { qpu_seconds: -1 },
      { qpu_seconds: '5' },
      { qpu_seconds: 1e13 },
      { 'qpu_seconds+': 1e13 },
      { 'qpu_seconds+': 'many' },
      { qpu_seconds: 5, username: 'x'.repeat(200) },
    ]) {
      const response = await server.admin.patch(path, body)
      expect([JSON.stringify(body), response.status]).toEqual([JSON.stringify(body), 400])
    }
    const added = await Promise.all(
      Array.from({ length: 20 }, () => server.admin.patch(path, { 'qpu_seconds+': 1.5 })),
    )
    expect(Math.max(...added.map((response) => Number(response.get('qpu_seconds'))))).toBe(30)
    expect(await balances(server)).toEqual([])
  })

  test('delete themselves together with their records', async () => {
    await using server = await openTestServer()
    const [user, other] = [await server.createUser(), await server.createUser()]
    await server.as(user).post('/api/tokens')
    expect((await server.as(other).call('DELETE', `${USERS}/${user.id}`)).status).toBe(404)
    expect((await server.as(user).call('DELETE', `${USERS}/${user.id}`)).status).toBe(204)
    expect((await server.admin.get('/api/collections/api_tokens/records')).get('totalItems')).toBe(0)
  })

  test('sign up only where it is enabled, without protected fields', async () => {
    const body = { email: 'new@example.org', password: 'some password', passwordConfirm: 'some password' }
    await using closed = await openTestServer()
    expect((await closed.guest.post(USERS, body)).body).toMatchObject({
      ...{ status: 400, message: 'Failed to create record.', data: {} },
    })
    await using open = await openTestServer({ settings: { allowSignup: 'true' } })
    for (const [more, field] of [
      [{ qpu_seconds: 5 }, 'qpu_seconds'],
      [{ api_tokens: ['abcdefghij12345'] }, 'api_tokens'],
      [{ verified: true }, 'verified'],
      [{ unlimited: true }, 'unlimited'],
      [{ disabled: true }, 'disabled'],
      [{ tokenKey: 'x' }, 'tokenKey'],
      [{ password: '' }, 'password'],
      [{ email: '' }, 'email'],
      [{ username: 'superuser_x' }, 'username'],
    ] as const) {
      const response = await open.guest.post(USERS, { ...body, ...more })
      expect([field, response.status, Object.keys(Object(response.get('data')))]).toEqual([
        field,
        400,
        [field],
      ])
    }
    const created = await open.guest.post(USERS, body)
    expect(created.body).toMatchObject({ verified: false, qpu_seconds: 0 })
    // The address is not public, and no caller is logged in yet.
    expect(created.body).not.toHaveProperty('email')
    expect(await login(open.guest, 'users', body)).toBeString()
    expect((await open.guest.post(USERS, body)).body).toMatchObject({
      data: { email: { code: 'validation_not_unique' } },
    })
  })
})

describe('_superusers', () => {
  const PATH = '/api/collections/_superusers/records'

  test('create, change and delete each other, except the last one', async () => {
    await using server = await openTestServer()
    const user = server.as(await server.createUser())
    expect((await user.get(PATH)).status).toBe(403)
    expect((await user.post(PATH, { email: 'x@example.org', password: 'some password' })).status).toBe(403)
    const last = await server.admin.call('DELETE', `${PATH}/${server.superuser.id}`)
    expect(last.body).toMatchObject({ status: 400, code: 'last_superuser' })
    const second = { email: 'second@example.org', password: 'some password' }
    const created = await server.admin.post(PATH, { ...second, passwordConfirm: second.password })
    expect(JSON.stringify(created.body)).not.toMatch(/argon2|tokenKey/)
    const token = await login(server.guest, '_superusers', second)
    // Submissions of a superuser belong to its proxy user, which follows it.
    const proxy = async () =>
      server.db.read((tx) =>
        tx.one<{ email: string; disabled: number }>('SELECT email, disabled FROM users WHERE unlimited = 1'),
      )
    expect((await server.as({ token }).get('/api/tokens')).status).toBe(200)
    await server.admin.patch(`${PATH}/${created.text('id')}`, { email: 'renamed@example.org' })
    expect(await proxy()).toEqual({ email: 'renamed@example.org', disabled: 0 })
    expect((await server.as({ token }).get(PATH)).status).toBe(403)
    expect((await server.admin.call('DELETE', `${PATH}/${created.text('id')}`)).status).toBe(204)
    expect(await proxy()).toMatchObject({ disabled: 1 })
  })
})

describe('api_tokens', () => {
  const PATH = '/api/collections/api_tokens/records'

  test('are stored by superusers as hashes, and users.api_tokens follows', async () => {
    await using server = await openTestServer()
    const [ada, bob] = [await server.createUser(), await server.createUser()]
    const raw = 'svc_0123456789'
    const refused = await server.admin.post(PATH, { user: ada.id, token: raw })
    expect(refused.body).toMatchObject({
      status: 400,
      data: { token: { code: 'validation_invalid_format' } },
    })
    const created = await server.admin.post(PATH, { user: ada.id, token: hashToken(raw), name: 'seed' })
    const program = new TestClient(server.url, { 'x-api-token': raw })
    // The token is accepted like a login.
    expect((await program.get('/api/collections/users/records')).body).toMatchObject({
      items: [{ id: ada.id, api_tokens: [created.text('id')] }],
    })
    const path = `${PATH}/${created.text('id')}`
    await server.admin.patch(path, { user: bob.id })
    const tokensOf = async ({ id }: { id: string }) =>
      (await server.admin.get(`${USERS}/${id}`)).get('api_tokens')
    expect([await tokensOf(ada), await tokensOf(bob)]).toEqual([[], [created.text('id')]])
    const shrunk = await server.admin.patch(`${USERS}/${bob.id}`, { 'api_tokens-': created.text('id') })
    expect(shrunk.get('api_tokens')).toEqual([])
    expect((await program.get('/api/tokens')).status).toBe(401)
    expect((await server.admin.get(path)).status).toBe(404)
  })

  test('cannot be changed by users here', async () => {
    await using server = await openTestServer()
    const me = server.as(await server.createUser())
    const path = `${PATH}/${(await me.post('/api/tokens')).text('id')}`
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const response = await me.call(method, path, method === 'PATCH' ? { name: 'x' } : undefined)
      expect([response.status, response.text('message')]).toEqual([
        403,
        'Only superusers can perform this action.',
      ])
    }
  })
})
