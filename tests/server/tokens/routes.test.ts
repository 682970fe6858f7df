import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer, TestClient } from '../../support/server/server.ts'

test('a new API token is returned once and works in every header that clients use', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const created = await server.as(user).post('/api/tokens', { name: 'notebook' })
  expect(created.status).toBe(201)
  const token = created.text('token')
  expect(token).toMatch(/^svc_[0-9a-f]{64}$/)
  const shown = { id: created.text('id'), name: 'notebook', expires_at: '' }
  expect(created.body).toMatchObject(shown)
  for (const headers of [
    { 'x-api-token': token },
    { authorization: token },
    { authorization: `Bearer ${token}` },
    { authorization: `bearer ${token}` },
  ]) {
    const client = new TestClient(server.url, headers)
    const list = await client.get('/api/tokens')
    expect(list.body).toEqual([expect.objectContaining(shown)])
    expect(JSON.stringify(list.body)).not.toContain(token)
    expect((await client.get('/api/op/version')).status).toBe(403)
  }
  const stored = await server.db.read((tx) => tx.one<{ token: string }>('SELECT token FROM api_tokens'))
  expect(stored?.token).toMatch(/^[0-9a-f]{64}$/)
  expect(token).not.toContain(stored?.token ?? '')
})

test('a login takes precedence over an API token, an expired login does not', async () => {
  await using server = await openTestServer()
  const [user, other] = [await server.createUser(), await server.createUser()]
  const apiToken = (await server.as(other).post('/api/tokens', { name: 'of other' })).text('token')
  const both = (authorization: string) =>
    new TestClient(server.url, { authorization, 'x-api-token': apiToken })
  expect((await both(user.token).get('/api/tokens')).body).toEqual([])
  expect((await both('eyJhbGciOiJIUzI1NiJ9.e30.x').get('/api/tokens')).body).toMatchObject([
    { name: 'of other' },
  ])
})

test('a token ends with its expiry and is valid again when the expiry is extended', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = await server.createUser()
  const me = server.as(user)
  const expires_at = toTimestamp(clock.now() + 60_000)
  const created = await me.post('/api/tokens', { expires_at })
  expect(created.get('expires_at')).toBe(expires_at)
  const status = async () =>
    (await new TestClient(server.url, { 'x-api-token': created.text('token') }).get('/api/jobs')).status
  expect(await status()).toBe(200)
  clock.jump(59_999)
  expect(await status()).toBe(200)
  clock.jump(1)
  expect(await status()).toBe(401)
  const path = `/api/tokens/${created.text('id')}`
  const later = new Date(clock.now() + 60_000).toISOString()
  expect((await me.patch(path, { expires_at: later })).get('expires_at')).toBe(later.replace('T', ' '))
  expect(await status()).toBe(200)
  expect((await me.patch(path, { expires_at: '', name: 'permanent' })).body).toMatchObject({
    name: 'permanent',
  })
  clock.jump(86_400_000)
  expect(await status()).toBe(200)
})

test('a deleted token is invalid at once and disappears from the list of its user', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const me = server.as(user)
  const [one, two] = [await me.post('/api/tokens'), await me.post('/api/tokens')]
  const listed = async () => (await me.get(`/api/collections/users/records/${user.id}`)).get('api_tokens')
  expect(await listed()).toEqual([one.text('id'), two.text('id')])
  const client = new TestClient(server.url, { 'x-api-token': one.text('token') })
  expect((await client.call('DELETE', `/api/tokens/${one.text('id')}`)).body).toEqual({ status: 'deleted' })
  expect((await client.get('/api/jobs')).status).toBe(401)
  expect(await listed()).toEqual([two.text('id')])
  expect((await me.call('DELETE', `/api/tokens/${one.text('id')}`)).status).toBe(404)
})

test("another user's token looks like one that does not exist", async () => {
  await using server = await openTestServer()
  const [user, other] = [await server.createUser(), await server.createUser()]
  const path = `/api/tokens/${(await server.as(user).post('/api/tokens')).text('id')}`
  for (const client of [server.as(other), server.admin]) {
    const responses = [
      await client.get(path),
      await client.patch(path, { name: 'mine' }),
      await client.call('DELETE', path),
      await client.get('/api/tokens/aaaaaaaaaaaaaaa'),
      await client.get('/api/tokens/not-an-id'),
    ]
    expect(new Set(responses.map((response) => `${response.status} ${response.text('message')}`))).toEqual(
      new Set(["404 The requested resource wasn't found."]),
    )
  }
  expect((await server.as(user).get(path)).status).toBe(200)
})

test('invalid values are refused by field', async () => {
  await using server = await openTestServer()
  const me = server.as(await server.createUser())
  const bodies: [unknown, string][] = [
    [{ name: 7 }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: 1_700_000_000 }, 'expires_at'],
  ]
  for (const [body, field] of bodies) {
    const response = await me.post('/api/tokens', body)
    expect([response.status, Object.keys(Object(response.get('data')))]).toEqual([400, [field]])
  }
  for (const query of ['limit=0', 'limit=1001', 'limit=a', 'skip=-1', 'sort=token', 'sort=name;drop']) {
    expect([query, (await me.get(`/api/tokens?${query}`)).status]).toEqual([query, 400])
  }
})

test('the list is paged and sorted', async () => {
  await using server = await openTestServer()
  const me = server.as(await server.createUser())
  for (const name of ['b', 'c', 'a']) await me.post('/api/tokens', { name })
  const names = async (query: string) =>
    ((await me.get(`/api/tokens?${query}`)).body as { name: string }[]).map((token) => token.name)
  expect(await names('')).toEqual(['a', 'c', 'b'])
  expect(await names('sort=name')).toEqual(['a', 'b', 'c'])
  expect(await names('sort=%2Bname&skip=1&limit=1')).toEqual(['b'])
  expect(await names('sort=-name&limit=2')).toEqual(['c', 'b'])
})

test('an expiry that is over is refused, unless it is the stored one', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = server.as(await server.createUser())
  const at = (ms: number) => toTimestamp(clock.now() + ms)
  for (const expires_at of [at(-1), at(0), '2020-01-01 00:00:00.000Z']) {
    const refused = await user.post('/api/tokens', { expires_at })
    expect([refused.status, Object(refused.get('data')).expires_at]).toMatchObject([
      400,
      { code: 'validation_min_date_constraint' },
    ])
  }
  const expires_at = at(1_000)
  const made = await user.post('/api/tokens', { expires_at })
  expect(made.status).toBe(201)
  await clock.advance(2_000)
  const path = `/api/tokens/${made.text('id')}`
  expect((await user.patch(path, { expires_at: at(-1) })).status).toBe(400)
  expect((await user.patch(path, { name: 'old', expires_at })).status).toBe(200)
  expect((await user.patch(path, { expires_at: at(1_000) })).status).toBe(200)
  expect((await user.patch(path, { expires_at: '' })).status).toBe(200)
})
