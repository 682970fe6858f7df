import { expect, spyOn, test } from 'bun:test'
import { decode } from 'hono/jwt'
import { findSuperuser, removeSuperuser, saveSuperuser, users } from '../../../src/db/store/accounts/index.ts'
import { FORM_OR_JSON } from '../../../src/server/http/media.ts'
import { Passwords } from '../../../src/server/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, openTestServer, TestClient, type TestServer } from '../../support/server/server.ts'

type Kind = 'users' | '_superusers'
const tryLogin = (server: TestServer, kind: Kind, identity: string, password: string) =>
  server.guest.post(`/api/collections/${kind}/auth-with-password`, { identity, password })

test('a user logs in with e-mail in any case or with the user name', async () => {
  await using server = await openTestServer()
  const user = await server.createUser({ email: 'Ada@Example.org', username: 'Ada' })
  for (const identity of ['ada@example.org', 'ADA@EXAMPLE.ORG', ' ada@example.org', 'Ada']) {
    const response = await tryLogin(server, 'users', identity, user.password)
    expect([identity, response.status]).toEqual([identity, 200])
    expect(response.get('record')).toMatchObject({
      id: user.id,
      collectionName: 'users',
      email: 'ada@example.org',
      qpu_seconds: 0,
    })
    expect(JSON.stringify(response.body)).not.toMatch(/argon2|tokenKey/)
    expect(decode(response.text('token')).payload).toEqual({
      id: user.id,
      type: 'auth',
      collectionId: '_pb_users_auth_',
      refreshable: true,
      exp: expect.any(Number),
    })
  }
  expect((await tryLogin(server, 'users', 'ada', user.password)).status).toBe(400)
})

test('identityField restricts the search for the identity to one field', async () => {
  await using server = await openTestServer()
  const { email, password } = await server.createUser({ username: 'Ada' })
  const path = '/api/collections/users/auth-with-password'
  for (const [identity, identityField, status] of [
    [email, 'email', 200],
    ['Ada', 'username', 200],
    ['Ada', '', 200],
    ['Ada', 'email', 400],
    [email, 'username', 400],
    ['Ada', 'id', 400],
  ] as const) {
    const response = await server.guest.post(path, { identity, password, identityField })
    expect([identity, identityField, response.status]).toEqual([identity, identityField, status])
  }
  const unknown = await server.guest.post(path, { identity: email, password, identityField: 'id' })
  expect(Object.keys(Object(unknown.get('data')))).toEqual(['identityField'])
  const root = '/api/collections/_superusers/auth-with-password'
  const asUser = await server.guest.post(root, { identity: 'root', password, identityField: 'username' })
  expect(Object.keys(Object(asUser.get('data')))).toEqual(['identityField'])
})

test('two users cannot have the same e-mail address in another case', async () => {
  await using server = await openTestServer()
  await server.createUser({ email: 'ada@example.org' })
  const again = await server.admin.post('/api/collections/users/records', {
    email: 'ADA@example.org',
    password: 'another password',
  })
  expect([again.status, again.get('data')]).toEqual([
    400,
    { email: { code: 'validation_not_unique', message: 'Value must be unique.' } },
  ])
})

test('a superuser logs in on its own route only', async () => {
  await using server = await openTestServer()
  const { email, password } = server.superuser
  const response = await tryLogin(server, '_superusers', email.toUpperCase(), password)
  expect(response.get('record')).toMatchObject({ collectionName: '_superusers', email })
  expect(JSON.stringify(response.body)).not.toMatch(/argon2|tokenKey/)
  expect((await tryLogin(server, 'users', email, password)).status).toBe(400)
  const user = await server.createUser()
  expect((await tryLogin(server, '_superusers', user.email, user.password)).status).toBe(400)
})

test('a refused login never reveals why: unknown, wrong password, disabled and proxy look alike', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const disabled = await server.createUser()
  await server.db.write('disable', (tx) => tx.update(users, disabled.id, { disabled: true }))
  // The first use of a signed-in route creates the proxy user of the superuser.
  await server.admin.get('/api/jobs')
  const attempts: [string, string][] = [
    ['nobody@example.org', 'some password'],
    [user.email, 'wrong password'],
    [disabled.email, disabled.password],
    [`superuser_${server.superuser.id}`, ''.padEnd(8, 'x')],
    ["' OR 1=1 --", 'some password'],
  ]
  const responses = []
  const verify = spyOn(Bun.password, 'verify')
  for (const [count, [identity, password]] of attempts.entries()) {
    const response = await tryLogin(server, 'users', identity, password)
    // Each includes a password check, which dominates the time, so that the time reveals nothing either.
    expect(verify).toHaveBeenCalledTimes(count + 1)
    const { request_id: _, ...body } = Object(response.body)
    responses.push(JSON.stringify([response.status, body]))
  }
  expect(new Set(responses).size).toBe(1)
  expect(responses[0]).toContain('Failed to authenticate.')
  verify.mockRestore()
})

test('a login without identity or password is invalid', async () => {
  await using server = await openTestServer()
  for (const body of [{}, { identity: '', password: 'x' }, { identity: 'a' }, { identity: 7, password: 8 }]) {
    const response = await server.guest.post('/api/collections/users/auth-with-password', body)
    expect([response.status, response.get('code')]).toEqual([400, 'invalid'])
  }
})

test('wrong passwords are throttled per account and address, separately for each kind of account', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock, settings: { loginRate: '3' } })
  const user = await server.createUser()
  const attempt = async (kind: Kind, email: string, password = 'wrong password') => {
    const response = await tryLogin(server, kind, email, password)
    return [response.status, Number(response.headers.get('retry-after'))]
  }
  for (const [kind, account] of [
    ['users', user],
    ['_superusers', server.superuser],
  ] as const) {
    const { email, password } = account
    expect([await attempt(kind, email), await attempt(kind, email), await attempt(kind, email)]).toEqual([
      [400, 0],
      [400, 0],
      [400, 0],
    ])
    // Now the right password has to wait too, regardless of upper and lower case in the address.
    expect(await attempt(kind, email.toUpperCase(), password)).toEqual([429, 60])
    await clock.advance(60_000)
    expect(await attempt(kind, email)).toEqual([400, 0])
    expect(await attempt(kind, email, password)).toEqual([429, 60])
    await clock.advance(60_000)
    expect((await attempt(kind, email, password))[0]).toBe(200)
    // A success clears the count.
    for (let at = 0; at < 3; at += 1) expect(await attempt(kind, email)).toEqual([400, 0])
    expect(await attempt(kind, email)).toEqual([429, 60])
  }
  expect((await attempt('users', 'somebody.else@example.org'))[0]).toBe(400)
})

test('concurrent guesses gain nothing over consecutive ones', async () => {
  await using server = await openTestServer({ settings: { loginRate: '5' } })
  const user = await server.createUser()
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, at) => tryLogin(server, 'users', user.email, `wrong password ${at}`)),
  )
  const statuses = responses.map((response) => response.status)
  expect(statuses.filter((status) => status === 400).length).toBe(5)
  expect(statuses.filter((status) => status === 429).length).toBe(35)
})

test('--disable-email-password-auth stops users but not superusers', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  await server.close()
  await using closed = await openTestServer({
    folder: server.folder,
    settings: { disableEmailPasswordAuth: 'true' },
  })
  expect((await tryLogin(closed, 'users', user.email, user.password)).status).toBe(403)
  expect((await closed.guest.get('/api/collections/users/auth-methods')).get('password')).toMatchObject({
    enabled: false,
  })
  expect((await closed.guest.get('/api/collections/_superusers/auth-methods')).get('password')).toMatchObject(
    {
      enabled: true,
    },
  )
  expect(
    (await tryLogin(closed, '_superusers', closed.superuser.email, closed.superuser.password)).status,
  ).toBe(200)
})

test('a login can be refreshed for its own collection; an API token cannot become one', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = await server.createUser()
  const refresh = (client: TestClient, kind: Kind) => client.post(`/api/collections/${kind}/auth-refresh`)
  clock.jump(3_600_000)
  const fresh = await refresh(server.as(user), 'users')
  const exp = (token: string) => Number(decode(token).payload['exp'])
  expect(exp(fresh.text('token')) - exp(user.token)).toBe(3_600)
  expect((await server.as({ token: fresh.text('token') }).get('/api/jobs')).status).toBe(200)
  expect((await refresh(server.admin, '_superusers')).get('record')).toMatchObject({
    id: server.superuser.id,
  })
  const apiToken = (await server.as(user).post('/api/tokens')).text('token')
  const statuses = [
    await refresh(server.guest, 'users'),
    await refresh(server.as(user), '_superusers'),
    await refresh(server.admin, 'users'),
    await refresh(new TestClient(server.url, { 'x-api-token': apiToken }), 'users'),
  ].map((response) => response.status)
  expect(statuses).toEqual([401, 403, 403, 403])
  clock.jump(5 * 86_400_000)
  expect((await refresh(server.as(user), 'users')).status).toBe(401)
})

test('a new password of a superuser ends its logins; a removed one loses everything', async () => {
  await using server = await openTestServer()
  const { db } = server
  const second = { email: 'second@example.org', password: 'second superuser' }
  const save = async () =>
    saveSuperuser(db, {
      email: 'Second@Example.org',
      passwordHash: await new Passwords().hash(second.password),
      mode: 'upsert',
      actor: 'test',
    })
  const { id } = await save()
  const client = server.as({ token: await login(server.guest, '_superusers', second) })
  expect((await client.get('/api/op/version')).status).toBe(200)
  expect((await save()).id).toBe(id)
  expect((await client.get('/api/op/version')).status).toBe(401)

  const again = server.as({ token: await login(server.guest, '_superusers', second) })
  const apiToken = (await again.post('/api/tokens')).text('token')
  const program = new TestClient(server.url, { 'x-api-token': apiToken })
  expect((await program.get('/api/jobs')).status).toBe(200)
  expect((await program.get('/api/op/version')).status).toBe(403)
  await removeSuperuser(db, { email: 'SECOND@example.org', actor: 'test' })
  expect(await findSuperuser(db, id)).toBeUndefined()
  expect([(await again.get('/api/op/version')).status, (await program.get('/api/jobs')).status]).toEqual([
    401, 401,
  ])
})

test('the user name of a proxy user cannot be taken', async () => {
  await using server = await openTestServer()
  const response = await server.admin.post('/api/collections/users/records', {
    email: 'thief@example.org',
    password: 'some password',
    username: `superuser_${server.superuser.id}`,
  })
  expect([response.status, response.get('data')]).toEqual([
    400,
    {
      username: {
        code: 'validation_invalid_value',
        message: expect.stringContaining('reserved for superusers'),
      },
    },
  ])
  expect((await server.admin.get('/api/jobs')).status).toBe(200)
})

test('account routes accept forms as well as JSON', async () => {
  await using server = await openTestServer({ settings: { anonymousRate: '0' } })
  const { email, password } = await server.createUser()
  const post = (path: string, body: FormData | URLSearchParams) =>
    fetch(`${server.url}/api/collections/users/${path}`, { method: 'POST', body })
  const multipart = (values: Record<string, string>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(values)) form.append(name, value)
    return form
  }
  const right = { identity: email, password }
  for (const form of [
    new URLSearchParams(right),
    multipart(right),
    multipart({ '@jsonPayload': JSON.stringify(right) }),
  ]) {
    expect((await post('auth-with-password', form)).status).toBe(200)
  }
  for (const form of [new URLSearchParams({ email }), multipart({ email })]) {
    expect((await post('request-password-reset', form)).status).toBe(204)
    expect((await post('request-verification', form)).status).toBe(204)
  }
  const forms = server.server.routes.filter(({ path }) =>
    /\/(auth-with-password|auth-with-oauth2|request-(?!otp)|confirm-)/.test(path),
  )
  expect(forms).toHaveLength(15)
  for (const { path, bodyMedia } of forms) expect([path, bodyMedia]).toContainEqual([...FORM_OR_JSON])
})
