import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import { externalAuths, findUser, users } from '../../../../src/db/store/accounts/index.ts'
import { EventSourceClient } from '../../../support/server/event-source.ts'
import { type OidcProvider, openOidcProvider } from '../../../support/server/oidc.ts'
import {
  openTestServer,
  type TestClient,
  type TestResponse,
  type TestServer,
} from '../../../support/server/server.ts'
import { until } from '../../../support/until.ts'

let provider: OidcProvider
beforeAll(async () => {
  provider = await openOidcProvider({
    ada: {
      email: 'Ada@example.org',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      picture: 'https://example.org/ada.png',
    },
    eve: { email: 'ada@example.org', email_verified: false },
  })
})
afterAll(() => provider[Symbol.asyncDispose]())

const openServer = (settings: Record<string, string> = {}) =>
  openTestServer({ settings: { oauth2Providers: JSON.stringify([provider.entry]), ...settings } })

interface Offer {
  name: string
  state: string
  authURL: string
  codeVerifier: string
}

async function offerOf(server: TestServer): Promise<Offer> {
  const response = await server.guest.get(
    '/api/collections/users/auth-methods?fields=mfa,otp,password,oauth2',
  )
  const { oauth2 } = Object(response.body)
  expect(oauth2).toMatchObject({ enabled: true, providers: [{ name: 'lab', displayName: 'Lab login' }] })
  return oauth2.providers[0]
}

/** The whole flow of a page to which the provider sends the browser back. */
async function logIn(
  server: TestServer,
  login: string,
  { client = server.guest, body = {} }: { client?: TestClient; body?: object } = {},
): Promise<TestResponse> {
  const { authURL, codeVerifier, name, state } = await offerOf(server)
  const redirectURL = `${server.url}/login`
  const back = await provider.visit(`${authURL}${encodeURIComponent(redirectURL)}`, login)
  expect(back.searchParams.get('state')).toBe(state)
  const code = back.searchParams.get('code')
  return client.post('/api/collections/users/auth-with-oauth2', {
    ...{ provider: name, code, codeVerifier, redirectURL },
    ...body,
  })
}

/** The page to which a browser with `cookie` comes when the provider sends it back. */
async function arrive(server: TestServer, back: URL | string, cookie = '', init: RequestInit = {}) {
  const redirected = await fetch(back, { redirect: 'manual', ...init })
  expect([303, 307]).toContain(redirected.status)
  const headers = { cookie }
  const page = await fetch(server.url + redirected.headers.get('location'), { headers, redirect: 'manual' })
  const text = await page.text()
  const [, outcome = ''] = /name="outcome" value="([^"]*)"/.exec(text) ?? []
  const click = async () => {
    const body = new URLSearchParams({ outcome })
    const delivered = await fetch(`${server.url}/api/oauth2-redirect/deliver`, {
      ...{ method: 'POST', body, redirect: 'manual' },
    })
    return [delivered.status, delivered.headers.get('location')]
  }
  const { status } = page
  return { status, text, location: page.headers.get('location'), headers: page.headers, outcome, click }
}

const links = (server: TestServer) => server.db.read((tx) => tx.list(externalAuths, {}))

test('a page logs its user in with a code; the first login creates the user, the second finds it', async () => {
  await using server = await openServer()
  const first = await logIn(server, 'ada', { body: { createData: { username: 'countess' } } })
  expect(first.status).toBe(200)
  expect(first.get('record')).toMatchObject({
    collectionName: 'users',
    email: 'ada@example.org',
    verified: true,
    username: 'countess',
    qpu_seconds: 0,
  })
  expect(first.get('meta')).toEqual({
    id: 'ada',
    name: 'Ada Lovelace',
    username: 'ada',
    email: 'ada@example.org',
    avatarURL: 'https://example.org/ada.png',
    isNew: true,
    accessToken: expect.any(String),
    refreshToken: '',
    expiry: expect.stringMatching(/^\d{4}-\d\d-\d\d .*Z$/),
    rawUser: expect.objectContaining({ sub: 'ada', email: 'Ada@example.org' }),
  })
  expect((await server.as({ token: first.text('token') }).get('/api/jobs')).status).toBe(200)
  const second = await logIn(server, 'ada')
  expect(Object(second.get('record')).id).toBe(Object(first.get('record')).id)
  expect(Object(second.get('meta')).isNew).toBe(false)
  expect(await links(server)).toHaveLength(1)
})

test('the secret is sent in the form when the provider is configured so', async () => {
  await using posting = await openOidcProvider({ ada: {} }, { clientAuth: 'post' })
  await using server = await openServer({ oauth2Providers: JSON.stringify([posting.entry]) })
  const { authURL, codeVerifier } = await offerOf(server)
  const redirectURL = `${server.url}/login`
  const back = await posting.visit(`${authURL}${encodeURIComponent(redirectURL)}`, 'ada')
  const code = back.searchParams.get('code')
  const body = { provider: 'lab', code, codeVerifier, redirectURL }
  const response = await server.guest.post('/api/collections/users/auth-with-oauth2', body)
  expect([response.status, Object(response.get('record')).email]).toEqual([200, ''])
})

test('the pop-up flow: the code reaches the page that opened the window over its event stream', async () => {
  await using server = await openServer()
  await using stream = await EventSourceClient.open(`${server.url}/api/realtime`)
  const clientId = await stream.clientId()
  const subscribe = (subscriptions: string[]) =>
    server.guest.post('/api/realtime', { clientId, subscriptions })
  expect((await subscribe(['@oauth2'])).status).toBe(204)
  const { authURL, codeVerifier } = await offerOf(server)
  const redirectURL = `${server.url}/api/oauth2-redirect`
  const address = new URL(authURL + encodeURIComponent(redirectURL))
  address.searchParams.set('state', clientId)
  const back = await provider.visit(String(address), 'ada')
  expect(back.pathname).toBe('/api/oauth2-redirect')

  const consent = await arrive(server, back)
  expect(consent.status).toBe(200)
  expect(consent.text).not.toContain(String(back.searchParams.get('code')))
  expect(stream.of('@oauth2')).toEqual([])
  expect(await consent.click()).toEqual([303, '/api/oauth2-redirect/done'])
  const event = Object(await until('the event', () => stream.of('@oauth2')[0]))
  expect(event).toEqual({ state: clientId, code: back.searchParams.get('code') })
  const page = await fetch(`${server.url}/api/oauth2-redirect/done`)
  expect(await page.text()).toContain('window.close()')
  const body = { provider: 'lab', code: event.code, codeVerifier, redirectURL }
  const response = await server.guest.post('/api/collections/users/auth-with-oauth2', body)
  expect(Object(response.get('record')).email).toBe('ada@example.org')

  // Reported once: the address in the browser history reveals nothing and has no effect.
  expect((await arrive(server, back)).location).toBe('/api/oauth2-redirect/failed')
  expect(await consent.click()).toEqual([303, '/api/oauth2-redirect/failed'])
  const reused = await server.guest.post('/api/collections/users/auth-with-oauth2', body)
  expect([reused.status, reused.get('code')]).toEqual([400, 'oauth2_token_failed'])
})

test('the redirect reports errors, also those sent as a form, and sends nothing to streams that wait for no login', async () => {
  await using server = await openServer()
  await using stream = await EventSourceClient.open(`${server.url}/api/realtime`)
  const state = await stream.clientId()
  const redirect = (given: Record<string, string>, form = false) => {
    const sent = new URLSearchParams(given)
    const init = form ? { method: 'POST', body: sent } : {}
    return arrive(server, `${server.url}/api/oauth2-redirect${form ? '' : `?${sent}`}`, '', init)
  }
  const failed = { status: 303, location: '/api/oauth2-redirect/failed' }
  expect(await redirect({ state, code: 'early' })).toMatchObject(failed)
  const subscribe = () =>
    server.guest.post('/api/realtime', { clientId: state, subscriptions: ['qpus/*', '@oauth2'] })
  await subscribe()
  expect(await redirect({ state, error: 'access_denied' })).toMatchObject(failed)
  await subscribe()
  expect(await (await redirect({ state, code: 'xyz' }, true)).click()).toEqual([
    303,
    '/api/oauth2-redirect/done',
  ])
  expect(await redirect({ state: 'nobody', code: 'xyz' })).toMatchObject(failed)
  await until('both events', () => stream.of('@oauth2').length === 2)
  expect(stream.of('@oauth2')).toEqual([
    { state, code: '', error: 'access_denied' },
    { state, code: 'xyz' },
  ])
  const long = await fetch(`${server.url}/api/oauth2-redirect?state=${'x'.repeat(300)}`)
  expect(long.status).toBe(400)
})

test('a login that a page of ours began stays in the browser that has its cookie', async () => {
  await using server = await openServer()
  const { state } = await offerOf(server)
  const code = '</script><script>'
  const back = `${server.url}/api/oauth2-redirect?${new URLSearchParams({ state, code })}`
  const own = await arrive(server, back, `other=1; svc_login_${state}=1`)
  expect(own.status).toBe(200)
  const message = `{"state":"${state}","code":"\\u003c/script>\\u003cscript>","error":""}`
  expect(own.text).toContain(`new BroadcastChannel("svc-oauth2");c.postMessage(${message})`)
  expect(own.headers.get('set-cookie')).toContain(`svc_login_${state}=; Path=/api/oauth2-redirect; Max-Age=0`)
  for (const cookie of ['', 'svc_login_=1', 'svc_login_another-state-of-this-browser=1']) {
    expect((await arrive(server, back, cookie)).location).toBe('/api/oauth2-redirect/failed')
  }
})

test('the page before a delivery names who asked, as text, and works for ten minutes', async () => {
  let now = Date.parse('2026-11-26T12:00:00Z')
  const clock = { ...systemClock, now: () => now }
  const settings = { oauth2Providers: JSON.stringify([provider.entry]) }
  await using server = await openTestServer({ clock, settings })
  const user = await server.createUser()
  await using stream = await EventSourceClient.open(`${server.url}/api/realtime`)
  const clientId = await stream.clientId()
  const headers = {
    ...{ origin: 'https://evil.example', 'user-agent': '<script>alert(1)</script>' },
    ...{ 'content-type': 'application/json', authorization: user.token },
  }
  const body = JSON.stringify({ clientId, subscriptions: ['@oauth2'] })
  await fetch(`${server.url}/api/realtime`, { method: 'POST', headers, body })
  const asked = await arrive(server, `${server.url}/api/oauth2-redirect?state=${clientId}&code=secret-code`)
  expect(asked.text).toContain('<bdi>https://evil.example</bdi>')
  expect(asked.text).toContain('&lt;script&gt;alert(1)')
  expect(asked.text).toContain(user.email)
  expect(asked.outcome).not.toContain('secret')
  expect(asked.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(asked.headers.get('content-security-policy')).not.toContain('script-src')
  now += 10 * 60_000
  expect(await asked.click()).toEqual([303, '/api/oauth2-redirect/failed'])
  expect(stream.of('@oauth2')).toEqual([])
})

test('without the relay no stream waits for a login, and the error names the alternatives', async () => {
  await using server = await openServer({ oauth2Relay: 'false' })
  await using stream = await EventSourceClient.open(`${server.url}/api/realtime`)
  const clientId = await stream.clientId()
  const refused = await server.guest.post('/api/realtime', { clientId, subscriptions: ['@oauth2'] })
  expect([refused.status, refused.get('code')]).toEqual([403, 'login_relay_off'])
  const back = `${server.url}/api/oauth2-redirect?state=${clientId}&code=c`
  expect((await arrive(server, back)).location).toBe('/api/oauth2-redirect/failed')
})

test('the page of the window runs its own script only', async () => {
  await using server = await openServer()
  const { headers } = await fetch(`${server.url}/api/oauth2-redirect/done`)
  const hash = new Bun.CryptoHasher('sha256').update('window.close()').digest('base64')
  expect(headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`)
  expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; ")
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('a code is valid only with its verifier, its redirect URL and its provider', async () => {
  await using server = await openServer()
  const cases: [object, number, string][] = [
    [{ codeVerifier: 'x'.repeat(43) }, 400, 'oauth2_token_failed'],
    [{ codeVerifier: '' }, 400, 'invalid'],
    [{ redirectURL: `${server.url}/api/oauth2-redirect` }, 400, 'oauth2_token_failed'],
    [{ redirectURL: 'nowhere' }, 400, 'invalid'],
    [{ provider: 'google' }, 400, 'invalid'],
    [{ provider: '' }, 400, 'invalid'],
    [{ code: 'x'.repeat(5_000) }, 400, 'invalid'],
  ]
  for (const [body, status, code] of cases) {
    const response = await logIn(server, 'ada', { body })
    expect([response.status, response.get('code')]).toEqual([status, code])
  }
  expect(await links(server)).toEqual([])
})

test('a logged-in user links the account and can then log in through the provider', async () => {
  await using server = await openServer()
  const user = await server.createUser()
  const linked = await logIn(server, 'eve', { client: server.as(user) })
  expect([Object(linked.get('record')).id, Object(linked.get('meta')).isNew]).toEqual([user.id, false])
  expect(Object((await logIn(server, 'eve')).get('record')).id).toBe(user.id)
  // An API token cannot be used to gain permanent access.
  const apiToken = (await server.as(user).post('/api/tokens')).text('token')
  const response = await logIn(server, 'ada', { client: server.as({ token: apiToken }) })
  expect(Object(response.get('meta')).isNew).toBe(true)
})

test('only a verified address leads to an existing account', async () => {
  await using server = await openServer()
  const ada = await server.createUser({ email: 'ada@example.org' })
  const eve = await logIn(server, 'eve')
  expect(Object(eve.get('record'))).toMatchObject({ email: '', verified: false })
  expect(Object(eve.get('record')).id).not.toBe(ada.id)
  expect(Object((await logIn(server, 'ada')).get('record')).id).toBe(ada.id)
  // Its address was verified before, so the account is unchanged.
  expect((await server.as(ada).get('/api/jobs')).status).toBe(200)
})

test('an account registered with a foreign address is transferred to the owner of the address', async () => {
  await using server = await openServer()
  const squatter = await server.createUser({ email: 'ada@example.org' })
  await server.db.write('unverified', (tx) => tx.update(users, squatter.id, { verified: false }))
  expect(Object((await logIn(server, 'ada')).get('record')).id).toBe(squatter.id)
  expect((await server.as(squatter).get('/api/jobs')).status).toBe(401)
  const { email, password } = squatter
  const login = await server.guest.post('/api/collections/users/auth-with-password', {
    identity: email,
    password,
  })
  expect(login.status).toBe(400)
})

test('disabled users cannot log in; an account cannot be created with a balance or a reserved name', async () => {
  await using server = await openServer()
  for (const createData of [
    { qpu_seconds: 5 },
    { api_tokens: [] },
    { username: `superuser_${server.superuser.id}` },
    { username: 'x'.repeat(200) },
  ]) {
    const response = await logIn(server, 'ada', { body: { createData } })
    expect([createData, response.status]).toEqual([createData, 400])
  }
  expect(await server.db.read((tx) => tx.list(users, {}))).toEqual([])
  const { id } = Object((await logIn(server, 'ada')).get('record'))
  expect((await findUser(server.db, id))?.password).toBe('')
  await server.db.write('disable', (tx) => tx.update(users, id, { disabled: true }))
  const refused = await logIn(server, 'ada')
  expect([refused.status, refused.get('message')]).toEqual([400, 'Failed to authenticate.'])
})

test('with password login disabled, users log in through the provider and superusers as before', async () => {
  await using server = await openServer({ disableEmailPasswordAuth: 'true' })
  const { password } = Object((await server.guest.get('/api/collections/users/auth-methods')).body)
  expect(password.enabled).toBe(false)
  const byPassword = { identity: 'a@b.cd', password: 'some password' }
  const refused = await server.guest.post('/api/collections/users/auth-with-password', byPassword)
  expect(refused.status).toBe(403)
  expect((await logIn(server, 'ada')).status).toBe(200)
  const methods = Object((await server.guest.get('/api/collections/_superusers/auth-methods')).body)
  expect([methods.password.enabled, methods.oauth2.enabled]).toEqual([true, false])
})

test('wrong codes throttle their address only', async () => {
  await using server = await openServer({ loginRate: '2' })
  const attempt = (code: string) =>
    server.guest.post('/api/collections/users/auth-with-oauth2', {
      ...{ provider: 'lab', code, codeVerifier: 'x'.repeat(43), redirectURL: `${server.url}/login` },
    })
  const statuses = [await attempt('1'), await attempt('2'), await attempt('3')].map(({ status }) => status)
  expect(statuses).toEqual([400, 400, 429])
})
