import { expect, test } from 'bun:test'
import { decode } from 'hono/jwt'
import { createLog } from '../../../src/base/index.ts'
import { readAuditChain } from '../../../src/db/journal/index.ts'
import { findUser, users } from '../../../src/db/store/accounts/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { login, openTestServer, type TestAccount, type TestServer } from '../../support/server/server.ts'
import { type MailSink, openMailSink, type ReceivedMail } from '../../support/server/smtp.ts'
import { until } from '../../support/until.ts'

type Kind = 'users' | '_superusers'

async function openMailServer(
  sink: MailSink,
  settings: Record<string, string> = {},
  clock = new FakeClock(),
) {
  return openTestServer({ settings: { ...sink.settings, ...settings }, clock })
}

function linkIn({ text }: ReceivedMail): URL {
  const [link = ''] = /https?:\/\/\S+\?token=\S+/.exec(text) ?? []
  return new URL(link)
}
const tokenIn = (mail: ReceivedMail) => linkIn(mail).searchParams.get('token') ?? ''

const call = (server: TestServer, kind: Kind, name: string, body: object) =>
  server.guest.post(`/api/collections/${kind}/${name}`, body)

const unverified = (server: TestServer, { id }: TestAccount) =>
  server.db.write('unverified', (tx) => tx.update(users, id, { verified: false }))

const NEW = { password: 'an entirely new one', passwordConfirm: 'an entirely new one' }

test('a user and a superuser reset the password by mail; all logins end, the link works once', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser()
  for (const [kind, account, count] of [
    ['users', user, 1],
    ['_superusers', server.superuser, 2],
  ] as const) {
    expect(
      (await call(server, kind, 'request-password-reset', { email: account.email.toUpperCase() })).status,
    ).toBe(204)
    const mail = await sink.mail(count)
    expect(mail.to).toEqual([account.email])
    expect(mail.text).toContain('within 30 minutes')
    expect(linkIn(mail).origin).toBe(server.url)
    expect(linkIn(mail).pathname).toBe('/api/account-links/password-reset')
    const token = tokenIn(mail)
    const confirm = (body: object) => call(server, kind, 'confirm-password-reset', { token, ...NEW, ...body })
    const mismatch = await confirm({ passwordConfirm: 'something else' })
    expect([mismatch.status, Object(mismatch.get('data')).passwordConfirm.code]).toEqual([
      400,
      'validation_values_mismatch',
    ])
    expect(Object((await confirm({ password: 'short' })).get('data')).password.code).toBe(
      'validation_min_text_constraint',
    )
    expect((await confirm({})).status).toBe(204)
    expect((await server.as(account).get('/api/jobs')).status).toBe(401)
    const fresh = await login(server.guest, kind, { ...account, password: NEW.password })
    expect((await server.as({ token: fresh }).get('/api/jobs')).status).toBe(200)
    const again = await confirm({})
    expect([again.status, again.get('data')]).toEqual([
      400,
      { token: { code: 'validation_invalid_token', message: expect.stringContaining('expired or used') } },
    ])
  }
})

test('a user verifies the address by mail', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser()
  await unverified(server, user)
  expect((await call(server, 'users', 'request-verification', { email: user.email })).status).toBe(204)
  const token = tokenIn(await sink.mail())
  // The SDK reads the account from the token.
  expect(decode(token).payload).toMatchObject({
    id: user.id,
    type: 'verification',
    collectionId: '_pb_users_auth_',
    email: user.email,
  })
  expect((await call(server, 'users', 'confirm-verification', { token })).status).toBe(204)
  expect((await findUser(server.db, user.id))?.verified).toBe(true)
  expect((await server.as(user).get('/api/jobs')).status).toBe(200)
  // A verified account receives no further mail.
  await call(server, 'users', 'request-verification', { email: user.email })
  await call(server, 'users', 'request-password-reset', { email: user.email })
  expect(linkIn(await sink.mail(2)).pathname).toBe('/api/account-links/password-reset')
})

test('a user changes the address with a link sent to the new address and the password', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser({ email: 'old@example.org' })
  await server.createUser({ email: 'taken@example.org' })
  const request = (newEmail: string) =>
    server.as(user).post('/api/collections/users/request-email-change', { newEmail })
  // The response does not reveal whether an address is in use.
  expect((await request('taken@example.org')).status).toBe(204)
  expect((await request('New@example.org')).status).toBe(204)
  const mail = await sink.mail()
  expect([mail.to, mail.text.includes('old@example.org')]).toEqual([['new@example.org'], true])
  const token = tokenIn(mail)
  const confirm = (password: string) => call(server, 'users', 'confirm-email-change', { token, password })
  const wrong = await confirm('wrong password')
  expect([wrong.status, Object(wrong.get('data')).password.code]).toEqual([
    400,
    'validation_invalid_password',
  ])
  expect((await confirm(user.password)).status).toBe(204)
  expect(await findUser(server.db, user.id)).toMatchObject({ email: 'new@example.org', verified: true })
  expect((await server.as(user).get('/api/jobs')).status).toBe(401)
  await login(server.guest, 'users', { email: 'new@example.org', password: user.password })
  expect((await confirm(user.password)).status).toBe(400)
})

test('wrong passwords at a change of address count as failed logins', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink, { loginRate: '2' })
  const user = await server.createUser()
  await server.as(user).post('/api/collections/users/request-email-change', { newEmail: 'new@example.org' })
  const token = tokenIn(await sink.mail())
  const guess = () => call(server, 'users', 'confirm-email-change', { token, password: 'wrong password' })
  expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([400, 400, 429])
  const { email, password } = user
  const right = await call(server, 'users', 'auth-with-password', { identity: email, password })
  expect(right.status).toBe(429)
})

test('requesting a link never reveals whether an account exists', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser()
  const disabled = await server.createUser()
  await server.db.write('disable', (tx) => tx.update(users, disabled.id, { disabled: true }))
  // The proxy user of the superuser has the same address.
  await server.admin.get('/api/jobs')
  const responses: string[] = []
  for (const name of ['request-password-reset', 'request-verification']) {
    for (const email of ['nobody@example.org', disabled.email, server.superuser.email, user.email]) {
      const { status, body } = await call(server, 'users', name, { email })
      responses.push(JSON.stringify([status, body]))
    }
  }
  expect(new Set(responses)).toEqual(new Set(['[204,""]']))
  await sink.mail()
  expect(sink.mails.map(({ to }) => to)).toEqual([[user.email]])
  for (const email of ['', 'nobody', 'a@b', 7, `${'x'.repeat(250)}@example.org`]) {
    expect((await call(server, 'users', 'request-password-reset', { email })).status).toBe(400)
  }
})

test('a mailbox receives two mails of a kind at once, then one every two minutes', async () => {
  await using sink = await openMailSink()
  const clock = new FakeClock()
  await using server = await openMailServer(sink, {}, clock)
  const user = await server.createUser()
  const request = () => call(server, 'users', 'request-password-reset', { email: user.email })
  for (let count = 0; count < 5; count += 1) expect((await request()).status).toBe(204)
  await sink.mail(2)
  await clock.advance(120_000)
  await request()
  await request()
  // A mail that is sent after all of them.
  const other = await server.createUser()
  await call(server, 'users', 'request-password-reset', { email: other.email })
  await sink.mail(4)
  expect(sink.mails.map(({ to }) => to)).toEqual([[user.email], [user.email], [user.email], [other.email]])
})

test('a link ends with its lifetime and with a new password, and is valid for its purpose and collection only', async () => {
  await using sink = await openMailSink()
  const clock = new FakeClock()
  await using server = await openMailServer(sink, {}, clock)
  const user = await server.createUser()
  await unverified(server, user)
  await call(server, 'users', 'request-password-reset', { email: user.email })
  const reset = tokenIn(await sink.mail())
  await call(server, 'users', 'request-verification', { email: user.email })
  const verify = tokenIn(await sink.mail(2))

  const codeOf = async (kind: Kind, name: string, token: string) => {
    const response = await call(server, kind, name, { token, ...NEW })
    return response.status === 204 ? 204 : Object(response.get('data')).token.code
  }
  expect(await codeOf('users', 'confirm-password-reset', verify)).toBe('validation_invalid_token')
  expect(await codeOf('users', 'confirm-verification', reset)).toBe('validation_invalid_token')
  expect(await codeOf('users', 'confirm-email-change', reset)).toBe('validation_invalid_token')
  expect(await codeOf('_superusers', 'confirm-password-reset', reset)).toBe(
    'validation_token_collection_mismatch',
  )
  const [head, payload, signature] = reset.split('.')
  for (const forged of ['', 'a.b.c', user.token, `${head}.${payload}.`, `${head}.${payload}.${signature}x`]) {
    expect(await codeOf('users', 'confirm-password-reset', forged || 'x')).toBe('validation_invalid_token')
  }
  // A link token is not a login token.
  expect((await server.as({ token: reset }).get('/api/jobs')).status).toBe(401)

  clock.jump(1_800_000 + 31_000)
  expect(await codeOf('users', 'confirm-password-reset', reset)).toBe('validation_invalid_token')
  await call(server, 'users', 'request-password-reset', { email: user.email })
  expect(await codeOf('users', 'confirm-password-reset', tokenIn(await sink.mail(3)))).toBe(204)
  // It has verified the address as well, and invalidated the other link.
  expect((await findUser(server.db, user.id))?.verified).toBe(true)
  expect(await codeOf('users', 'confirm-verification', verify)).toBe('validation_invalid_token')
})

test('the pages of links work without scripts: opening one changes nothing, submitting its form does', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser()
  await call(server, 'users', 'request-password-reset', { email: user.email })
  const link = linkIn(await sink.mail())
  const page = await fetch(link)
  const markup = await page.text()
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*form-action 'self'/)
  expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
    'no-referrer',
    'no-store',
  ])
  expect(markup).toContain(`value="${link.searchParams.get('token')}"`)
  expect(markup).not.toContain('<script')
  expect((await server.as(user).get('/api/jobs')).status).toBe(200)

  const send = async (values: Record<string, string>) => {
    const token = link.searchParams.get('token') ?? ''
    const body = new URLSearchParams({ token, ...NEW, ...values })
    const response = await fetch(`${link.origin}${link.pathname}`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }
  const mismatch = await send({ passwordConfirm: 'other' })
  expect([mismatch.status, mismatch.text.includes('match')]).toEqual([400, true])
  const hostile = await send({ token: '"><img src=x onerror=alert(1)>' })
  expect([hostile.status, hostile.text.includes('<img')]).toEqual([400, false])
  expect((await send({})).text).toContain('Your new password is set')
  await login(server.guest, 'users', { email: user.email, password: NEW.password })
  expect((await send({})).text).toContain('expired or used')
})

test('the pages verify and change addresses too', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink)
  const user = await server.createUser()
  await unverified(server, user)
  const send = async (link: URL, values: Record<string, string> = {}) => {
    const body = new URLSearchParams({ token: link.searchParams.get('token') ?? '', ...values })
    return (await fetch(`${link.origin}${link.pathname}`, { method: 'POST', body })).status
  }
  await call(server, 'users', 'request-verification', { email: user.email })
  expect(await send(linkIn(await sink.mail()))).toBe(200)
  await server.as(user).post('/api/collections/users/request-email-change', { newEmail: 'new@example.org' })
  const link = linkIn(await sink.mail(2))
  expect([
    await send(link, { password: 'wrong password' }),
    await send(link, { password: user.password }),
  ]).toEqual([400, 200])
  expect(await findUser(server.db, user.id)).toMatchObject({ email: 'new@example.org', verified: true })
})

test('links begin with the public URL when it is configured', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink, { publicUrl: 'https://svc.example.org/lab/' })
  await call(server, '_superusers', 'request-password-reset', { email: server.superuser.email })
  expect(linkIn(await sink.mail()).href).toStartWith(
    'https://svc.example.org/lab/api/account-links/password-reset?token=',
  )
})

test('without a mail server the log names the requested link, and a superuser creates it', async () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  await using server = await openTestServer({ log })
  const user = await server.createUser()
  expect((await call(server, 'users', 'request-password-reset', { email: user.email })).status).toBe(204)
  const line = await until('the log line', () => lines.find((each) => each.includes('link not sent')))
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    route: 'POST /api/op/account-links',
    purpose: 'passwordReset',
    collection: 'users',
    id: user.id,
  })
  expect(line).not.toMatch(/eyJ|redacted/)

  const createLink = (body: object) => server.admin.post('/api/op/account-links', body)
  const created = await createLink({ id: user.id, purpose: 'password_reset' })
  const token = new URL(created.text('link')).searchParams.get('token')
  expect((await call(server, 'users', 'confirm-password-reset', { token, ...NEW })).status).toBe(204)
  const verify = await createLink({
    collection: '_superusers',
    id: server.superuser.id,
    purpose: 'verification',
  })
  expect(new URL(verify.text('link')).pathname).toBe('/api/account-links/verification')
  expect((await createLink({ id: 'nobody', purpose: 'verification' })).status).toBe(404)
  expect((await createLink({ id: user.id, purpose: 'emailChange' })).status).toBe(400)
  // The proxy user of the superuser is created now; a login as this user must not be possible.
  await server.admin.get('/api/jobs')
  const proxy = await server.db.read((tx) => tx.findBy(users, { unlimited: true }))
  expect(proxy?.email).toBe(server.superuser.email)
  expect((await createLink({ id: proxy?.id, purpose: 'password_reset' })).status).toBe(404)
  const audited = await server.db.read((tx) => ({
    acts: tx.all<{ act: string }>('SELECT act FROM audit_log ORDER BY seq').map(({ act }) => act),
    broken: readAuditChain(tx).broken,
  }))
  expect(audited.acts).toEqual(
    expect.arrayContaining(['account.link.password_reset', 'account.link.verification']),
  )
  expect(audited.broken).toBeUndefined()
})

test('with password login disabled, users cannot reset a password', async () => {
  await using server = await openTestServer({ settings: { disableEmailPasswordAuth: 'true' } })
  const request = (kind: Kind) => call(server, kind, 'request-password-reset', { email: 'a@example.org' })
  expect([(await request('users')).status, (await request('_superusers')).status]).toEqual([403, 204])
})

test('a new sign-up receives a verification link by mail; a user created by a superuser does not', async () => {
  await using sink = await openMailSink()
  await using server = await openMailServer(sink, { allowSignup: 'true', signupRate: '0.1:2' })
  const path = '/api/collections/users/records'
  const body = { email: 'new@example.org', ...NEW }
  await server.admin.post(path, { ...body, email: 'added@example.org', verified: false })
  const created = await server.guest.post(path, body)
  const mail = await sink.mail()
  expect(mail.to).toEqual(['new@example.org'])
  expect(linkIn(mail).pathname).toBe('/api/account-links/verification')
  expect((await call(server, 'users', 'confirm-verification', { token: tokenIn(mail) })).status).toBe(204)
  expect(await findUser(server.db, created.text('id'))).toMatchObject({ verified: true })

  // A refused attempt counts as well, so that addresses cannot be tried without limit.
  expect((await server.guest.post(path, body)).status).toBe(400)
  const third = await server.guest.post(path, { ...body, email: 'third@example.org' })
  expect([third.status, third.get('code')]).toEqual([429, 'limited'])
  const added = await server.admin.post(path, { ...body, email: 'third@example.org' })
  expect([added.status, sink.mails.length]).toEqual([200, 1])
})

test('a superuser impersonates a user with a token that expires and cannot be refreshed', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const user = await server.createUser()
  const impersonate = (kind: Kind, id: string, body: object = {}) =>
    server.admin.post(`/api/collections/${kind}/impersonate/${id}`, body)
  const response = await impersonate('users', user.id, { duration: 600 })
  expect(response.get('record')).toMatchObject({ id: user.id, email: user.email, collectionName: 'users' })
  const client = server.as({ token: response.text('token') })
  expect(decode(response.text('token')).payload).toMatchObject({
    id: user.id,
    type: 'auth',
    refreshable: false,
  })
  expect((await client.get(`/api/collections/users/records/${user.id}`)).status).toBe(200)
  expect((await client.get('/api/op/version')).status).toBe(403)
  const refreshed = await client.post('/api/collections/users/auth-refresh')
  expect([refreshed.status, refreshed.text('token')]).toEqual([200, response.text('token')])
  clock.jump(631_000)
  expect((await client.get('/api/jobs')).status).toBe(401)

  expect((await impersonate('users', 'nobody')).status).toBe(404)
  expect((await impersonate('users', user.id, { duration: -1 })).status).toBe(400)
  expect((await impersonate('users', user.id, { duration: 40_000_000 })).status).toBe(400)
  const asRoot = await impersonate('_superusers', server.superuser.id)
  expect((await server.as({ token: asRoot.text('token') }).get('/api/op/version')).status).toBe(200)
  const acts = await server.db.read((tx) =>
    tx.all<{ actor: string; subject: string }>(
      "SELECT actor, subject FROM audit_log WHERE act = 'account.impersonate' ORDER BY seq",
    ),
  )
  expect(acts).toEqual([
    { actor: `superuser:${server.superuser.id}`, subject: user.id },
    { actor: `superuser:${server.superuser.id}`, subject: server.superuser.id },
  ])
  // A disabled user cannot be impersonated either.
  const before = await impersonate('users', user.id)
  await server.db.write('disable', (tx) => tx.update(users, user.id, { disabled: true }))
  expect((await server.as({ token: before.text('token') }).get('/api/jobs')).status).toBe(401)
})
