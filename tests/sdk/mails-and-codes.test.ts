import { afterAll, beforeAll, expect, test } from 'bun:test'
import { findUser, users } from '../../src/db/store/accounts/index.ts'
import { type OidcProvider, openOidcProvider } from '../support/server/oidc.ts'
import { openSdk, openSdkAs, refusal } from '../support/server/sdk.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'
import { type MailSink, openMailSink } from '../support/server/smtp.ts'

let sink: MailSink
let provider: OidcProvider
let server: TestServer

beforeAll(async () => {
  sink = await openMailSink()
  provider = await openOidcProvider({ ada: { email: 'ada@example.org', email_verified: true, name: 'Ada' } })
  const settings = { ...sink.settings, oauth2Providers: JSON.stringify([provider.entry]) }
  server = await openTestServer({ settings })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

let mails = 0
/** The token in the next mail. */
async function mailedToken(): Promise<string> {
  mails += 1
  const { text } = await sink.mail(mails)
  return new URL(/https?:\/\/\S+\?token=\S+/.exec(text)?.[0] ?? '').searchParams.get('token') ?? ''
}

const stored = (id: string) => findUser(server.db, id)

test('requestPasswordReset() and confirmPasswordReset() set a new password and end old logins', async () => {
  const user = await server.createUser()
  const signedIn = await openSdkAs(server, user)
  const pb = openSdk(server)
  expect(await pb.collection('users').requestPasswordReset(user.email)).toBe(true)
  const token = await mailedToken()
  expect(await pb.collection('users').confirmPasswordReset(token, 'brand new words', 'brand new words')).toBe(
    true,
  )
  await openSdkAs(server, { ...user, password: 'brand new words' })
  expect((await refusal(signedIn.collection('users').authRefresh())).status).toBe(401)
})

test('requestVerification() and confirmVerification() verify the address', async () => {
  const user = await server.createUser()
  await server.db.write('unverified', (tx) => tx.update(users, user.id, { verified: false }))
  const pb = await openSdkAs(server, user)
  expect(await pb.collection('users').requestVerification(user.email)).toBe(true)
  expect(await pb.collection('users').confirmVerification(await mailedToken())).toBe(true)
  expect(await stored(user.id)).toMatchObject({ verified: true })
  // The SDK updates its own copy of the account.
  expect(pb.authStore.record?.['verified']).toBe(true)
})

test('requestEmailChange() and confirmEmailChange() change the address and sign out', async () => {
  const user = await server.createUser()
  const pb = await openSdkAs(server, user)
  expect(await pb.collection('users').requestEmailChange('new.address@example.org')).toBe(true)
  expect(await pb.collection('users').confirmEmailChange(await mailedToken(), user.password)).toBe(true)
  expect(await stored(user.id)).toMatchObject({ email: 'new.address@example.org' })
  expect(pb.authStore.isValid).toBe(false)
})

test('authWithOAuth2Code() signs in with the code that a provider sent back to the page', async () => {
  const pb = openSdk(server)
  const { oauth2 } = await pb.collection('users').listAuthMethods()
  const [offer] = oauth2.providers
  if (!offer) throw new Error('no provider offered')
  const page = `${server.url}/login`
  const back = await provider.visit(`${offer.authURL}${encodeURIComponent(page)}`, 'ada')
  expect(back.searchParams.get('state')).toBe(offer.state)
  const code = back.searchParams.get('code') ?? ''
  const response = await pb.collection('users').authWithOAuth2Code(offer.name, code, offer.codeVerifier, page)
  expect(response.record).toMatchObject({ email: 'ada@example.org' })
  expect(response.meta).toMatchObject({ isNew: true, name: 'Ada' })
  expect([pb.authStore.isValid, pb.authStore.token]).toEqual([true, response.token])
})
