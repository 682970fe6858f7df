import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { sign } from 'hono/jwt'
import { accountSecret, findUser, users } from '../../../src/db/store/accounts/index.ts'
import { issueToken, LoginTokens } from '../../../src/server/auth/jwt.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'
import { openTestServer, type TestAccount, TestClient, type TestServer } from '../../support/server/server.ts'

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token with any header and payload, signed (HMAC SHA-256) with any key. */
function forge(header: unknown, payload: unknown, key: string, hash = 'sha256'): string {
  const text = `${base64(header)}.${base64(payload)}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

interface Forgery {
  what: string
  token: string
}

async function forgeries(server: TestServer, user: TestAccount, other: TestAccount): Promise<Forgery[]> {
  const { db, context } = server
  const keyOf = async (id: string) => (await findUser(db, id))?.tokenKey ?? ''
  const secret = await accountSecret(db, 'users')
  const superSecret = await accountSecret(db, 'superusers')
  const [userKey, otherKey] = await Promise.all([keyOf(user.id), keyOf(other.id)])
  const key = userKey + secret
  const now = Math.floor(context.clock.now() / 1000)
  const claims = {
    id: user.id,
    type: 'auth',
    collectionId: '_pb_users_auth_',
    refreshable: true,
    exp: now + 600,
  }
  const head = { alg: 'HS256', typ: 'JWT' }
  const good = forge(head, claims, key)
  const [h = '', p = '', s = ''] = good.split('.')
  const { exp: _, ...endless } = claims
  const qpu = await server.createQpu()
  const connect = await server.guest.post('/api/op/drivers/connect', { token: qpu.token })
  const all: Record<string, string | Promise<string>> = {
    'signed with another key': forge(head, claims, 'another key'),
    'signed with the empty key': sign(claims, 'x').then(
      (token) => `${token.split('.').slice(0, 2).join('.')}.`,
    ),
    'signed with the token key alone': forge(head, claims, userKey),
    'signed with the secret alone': forge(head, claims, secret),
    'signed with the key of another user': forge(head, claims, otherKey + secret),
    'signed with the secret of the superusers': forge(head, claims, userKey + superSecret),
    'id of another user': forge(head, { ...claims, id: other.id }, key),
    'unknown id': forge(head, { ...claims, id: 'aaaaaaaaaaaaaaa' }, key),
    'id of a superuser': forge(head, { ...claims, id: server.superuser.id }, key),
    'collection of the superusers': forge(head, { ...claims, collectionId: 'pbc_3142635823' }, key),
    'a user id in the collection of the superusers': forge(
      head,
      { ...claims, id: server.superuser.id, collectionId: 'pbc_3142635823' },
      key,
    ),
    'unknown collection': forge(head, { ...claims, collectionId: 'pbc_1' }, key),
    expired: forge(head, { ...claims, exp: now - 31 }, key),
    'without expiry': forge(head, endless, key),
    'expiry as text': forge(head, { ...claims, exp: String(now + 600) }, key),
    'expiry not a number': forge(head, { ...claims, exp: null }, key),
    'issued for another purpose': forge(head, { ...claims, type: 'file' }, key),
    'without type': forge(head, { ...claims, type: undefined }, key),
    'without refreshable': forge(head, { ...claims, refreshable: undefined }, key),
    'alg none': `${base64({ alg: 'none', typ: 'JWT' })}.${p}.`,
    'alg none with the signature': `${base64({ alg: 'none', typ: 'JWT' })}.${p}.${s}`,
    'alg NONE in another case': `${base64({ alg: 'nOnE', typ: 'JWT' })}.${p}.`,
    'alg HS512': forge({ alg: 'HS512', typ: 'JWT' }, claims, key, 'sha512'),
    'alg HS384 with the HS256 signature': forge({ alg: 'HS384', typ: 'JWT' }, claims, key),
    'alg RS256 with an HMAC': forge({ alg: 'RS256', typ: 'JWT' }, claims, key),
    'without alg': forge({ typ: 'JWT' }, claims, key),
    'own key in the header': forge({ ...head, jwk: { kty: 'oct', k: base64('mine') } }, claims, 'mine'),
    'key id of a file': forge({ ...head, kid: '../../../../dev/null' }, claims, ''.padEnd(1, '\0')),
    'not before tomorrow': forge(head, { ...claims, nbf: now + 86_400 }, key),
    'payload changed': `${h}.${base64({ ...claims, exp: now + 9_999_999 })}.${s}`,
    'signature cut': good.slice(0, -2),
    'signature of zeros': `${h}.${p}.${base64('\0'.repeat(32))}`,
    'without signature': `${h}.${p}`,
    'a fourth part': `${good}.${s}`,
    'payload that is not JSON': `${h}.${base64('not json')}.${s}`,
    'payload an array': forge(head, [claims], key),
    'header that is not JSON': `${base64('{')}.${p}.${s}`,
    'blanks inside': `${h} .${p}.${s}`,
    'the socket token of a driver': connect.text('auth_token'),
    'the access token of a driver': qpu.token,
  }
  return Promise.all(Object.entries(all).map(async ([what, token]) => ({ what, token: await token })))
}

test('no forged, expired or foreign token is accepted as a login', async () => {
  await using server = await openTestServer()
  const [user, other] = [await server.createUser(), await server.createUser()]
  const list = await forgeries(server, user, other)
  expect(list.length).toBeGreaterThanOrEqual(30)
  for (const { what, token } of list) {
    for (const headers of [
      { authorization: token },
      { authorization: `Bearer ${token}` },
      { 'x-api-token': token },
    ]) {
      const client = new TestClient(server.url, headers)
      const statuses = [await client.get('/api/jobs'), await client.get('/api/op/version')].map(
        (each) => each.status,
      )
      expect([what, ...statuses]).toEqual([what, 401, 401])
    }
  }
})

test('the same token, correctly signed, is accepted: the table above fails for the right reason', async () => {
  await using server = await openTestServer()
  const user = await server.createUser()
  const key =
    ((await findUser(server.db, user.id))?.tokenKey ?? '') + (await accountSecret(server.db, 'users'))
  const exp = Math.floor(server.context.clock.now() / 1000) - 20
  const claims = { id: user.id, type: 'auth', collectionId: '_pb_users_auth_', refreshable: true, exp }
  // 20 s too old: within the tolerated clock difference of 30 s.
  const token = forge({ alg: 'HS256', typ: 'JWT' }, claims, key)
  for (const authorization of [token, `Bearer ${token}`, `bearer  ${token}`]) {
    const client = new TestClient(server.url, { authorization })
    expect((await client.get('/api/jobs')).status).toBe(200)
  }
})

test('a token becomes invalid with a new token key, and when the account is deleted or disabled', async () => {
  await using server = await openTestServer()
  const ends: ((id: string) => Promise<unknown>)[] = [
    (id) => server.db.write('t', (tx) => tx.update(users, id, { tokenKey: 'another' })),
    (id) => server.db.write('t', (tx) => tx.update(users, id, { disabled: true })),
    (id) => server.db.write('t', (tx) => tx.remove(users, id)),
  ]
  for (const end of ends) {
    const user = await server.createUser()
    const apiToken = (await server.as(user).post('/api/tokens')).text('token')
    const clients = [server.as(user), new TestClient(server.url, { 'x-api-token': apiToken })]
    const statuses = () => Promise.all(clients.map(async (client) => (await client.get('/api/jobs')).status))
    expect(await statuses()).toEqual([200, 200])
    await end(user.id)
    // A new token key ends logins; API tokens have to be deleted separately.
    expect((await statuses())[0]).toBe(401)
  }
})

test('a remembered login token is refused with another key, once it has expired, and when it is altered', async () => {
  const tokens = new LoginTokens()
  const claims = { id: 'user00000000001', collectionId: 'users', key: 'a key', nowMs: 0, seconds: 600 }
  const token = await issueToken(claims)
  expect(tokens.remembered(token)).toBeUndefined()
  for (let each = 0; each < 2; each += 1) {
    expect(tokens.check(token, 'a key', 600_000)).toMatchObject({ id: claims.id, exp: 600 })
    expect(tokens.readClaims(token)).toMatchObject({ id: claims.id })
    expect(() => tokens.check(token, 'another key', 600_000)).toThrow('authorization token')
    expect(() => tokens.check(token, 'a key', 631_000)).toThrow('authorization token')
    expect(() => tokens.check(`${token.slice(0, -4)}AAAA`, 'a key', 0)).toThrow('authorization token')
    expect(tokens.remembered(token)).toMatchObject({ id: claims.id })
    expect(tokens.remembered(`${token.slice(0, -4)}AAAA`)).toBeUndefined()
  }
  // The oldest makes place for others; it is then checked as if it were new.
  for (let id = 0; id < 1_001; id += 1) {
    const other = await issueToken({ ...claims, id: `user${id}` })
    expect(tokens.check(other, 'a key', 0).id).toBe(`user${id}`)
  }
  expect(tokens.check(token, 'a key', 0).id).toBe(claims.id)
})

test('a remembered token is judged as one that is read again, for any order of tokens, keys and times', async () => {
  const start = 1_800_000_000
  const keys = ['one key', 'another key']
  const claims = (id: number, exp: number, more = {}) => ({
    ...{ id: `user${id}`, type: 'auth', collectionId: 'c', refreshable: true, exp },
    ...more,
  })
  // Some expire soon, some are not valid yet, some are broken or too long to be remembered.
  const tokens = await Promise.all(
    Array.from({ length: 1_100 }, async (_, id) => {
      const more = [
        {},
        { nbf: start + 100 },
        { iat: start + 50 },
        { text: 'x'.repeat(1_000) },
        { type: 'other' },
      ]
      const token = await sign(claims(id, start + 60 * (id % 7), more[id % 5]), keys[id % 2] ?? '', 'HS256')
      return id % 11 === 0 ? `${token.slice(0, -4)}AAAA` : token
    }),
  )
  const outcomeOf = (judge: LoginTokens, [token, key, at]: readonly [string, string, number]) => {
    try {
      return JSON.stringify(judge.check(token, key, 1_000 * (start + at)))
    } catch (error) {
      return String(error)
    }
  }
  const remembering = new LoginTokens()
  const [seed = 0] = drawnSeeds(1)
  const { next } = createRng(seed)
  const pick = (count: number) => Math.floor(next() * count)
  const found = new Map<string, number>()
  for (let use = 0; use < 6_000; use++) {
    // Mostly the same few, between passages of all, which push out the oldest.
    const id = use % 2_000 < 1_200 ? pick(30) : (use * 7) % tokens.length
    const given = [tokens[id] ?? '', keys[pick(20) === 0 ? pick(2) : id % 2] ?? '', pick(500) - 60] as const
    const outcome = outcomeOf(remembering, given)
    expect([seed, use, outcome]).toEqual([seed, use, outcomeOf(new LoginTokens(), given)])
    const kind = outcome.startsWith('{') ? 'valid' : 'refused'
    found.set(kind, (found.get(kind) ?? 0) + 1)
  }
  for (const kind of ['valid', 'refused']) expect(found.get(kind)).toBeGreaterThan(500)
})

test('a token whose sender names many issuers is refused before any of them is looked up', () => {
  const claims = { id: 'a', type: 'auth', collectionId: 'b', refreshable: false, exp: 1 }
  const read = (count: number) =>
    new LoginTokens().readClaims(forge({ alg: 'HS256' }, { ...claims, by: Array(count).fill('a') }, 'key'))
  expect(read(4)?.by).toHaveLength(4)
  expect(read(5)).toBeUndefined()
})
