import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getTokenPayload, isTokenExpired } from 'pocketbase'
import { externalAuths } from '../../src/db/store/accounts/index.ts'
import { openSdk, openSdkAs, openSdkAsSuperuser, refusal } from '../support/server/sdk.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'
import { until } from '../support/until.ts'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(() => server[Symbol.asyncDispose]())

test('authWithPassword() signs in by address and by user name', async () => {
  const user = await server.createUser({ username: 'ada', qpuSeconds: 12 })
  for (const identity of [user.email, 'ada']) {
    const pb = openSdk(server)
    const { record, token } = await pb.collection('users').authWithPassword(identity, user.password)
    expect(record).toMatchObject({ id: user.id, email: user.email, qpu_seconds: 12, collectionName: 'users' })
    expect(record).not.toHaveProperty('password')
    expect(record).not.toHaveProperty('tokenKey')
    expect(pb.authStore.token).toBe(token)
    expect([pb.authStore.isValid, pb.authStore.isSuperuser]).toEqual([true, false])
    expect(getTokenPayload(token)).toMatchObject({
      type: 'auth',
      id: user.id,
      collectionId: '_pb_users_auth_',
    })
    expect(isTokenExpired(token, 431_000)).toBe(false)
  }
})

test('authWithPassword() signs superusers in, by the current and the former name of their collection', async () => {
  const pb = openSdk(server)
  await pb.collection('_superusers').authWithPassword(server.superuser.email, server.superuser.password)
  expect([pb.authStore.isValid, pb.authStore.isSuperuser]).toEqual([true, true])
  expect(pb.authStore.record?.collectionId).toBe('pbc_3142635823')
  const old = openSdk(server)
  await old.admins.authWithPassword(server.superuser.email, server.superuser.password)
  expect(old.authStore.isSuperuser).toBe(true)
})

test("authWithPassword() renews a superuser's token automatically with autoRefreshThreshold", async () => {
  const pb = openSdk(server)
  const { email, password } = server.superuser
  const superusers = pb.collection('_superusers')
  const { token } = await superusers.authWithPassword(email, password, { autoRefreshThreshold: 2 * 86_400 })
  pb.authStore.onChange(() => undefined)
  // The token is valid for a day, so the threshold of two days makes each call renew it first. A renewed
  // token differs from the second after the login.
  await until('a renewed token', async () => {
    expect((await pb.collections.getList(1, 1)).items).toHaveLength(1)
    return pb.authStore.token !== token
  })
})

test('authWithPassword() accepts fields', async () => {
  const user = await server.createUser()
  const pb = openSdk(server)
  const response = await pb
    .collection('users')
    .authWithPassword(user.email, user.password, { fields: 'token,record.id' })
  expect(response).toEqual({ token: pb.authStore.token, record: { id: user.id } } as never)
})

test('a wrong password and an unknown account get the same error', async () => {
  const user = await server.createUser()
  const users = openSdk(server).collection('users')
  for (const identity of [user.email, 'nobody@example.org']) {
    const error = await refusal(users.authWithPassword(identity, 'not the password'))
    expect(error.status).toBe(400)
    expect(error.response).toMatchObject({ status: 400, message: 'Failed to authenticate.', data: {} })
    expect(error.message).toBe('Failed to authenticate.')
  }
  const blank = await refusal(users.authWithPassword('', ''))
  expect([blank.status, Object.keys(blank.data['data'])]).toEqual([400, ['identity', 'password']])
})

test('authRefresh() renews the token and the record of the store', async () => {
  const user = await server.createUser()
  const pb = await openSdkAs(server, user)
  await server.admin.patch(`/api/collections/users/records/${user.id}`, { username: 'renewed' })
  const { record, token } = await pb.collection('users').authRefresh()
  expect(record['username']).toBe('renewed')
  expect(pb.authStore.token).toBe(token)
  expect(pb.authStore.record?.['username']).toBe('renewed')
})

test('authRefresh() is refused without a token and with a token of the other kind', async () => {
  expect((await refusal(openSdk(server).collection('users').authRefresh())).status).toBe(401)
  const pb = await openSdkAsSuperuser(server)
  expect((await refusal(pb.collection('users').authRefresh())).status).toBe(403)
})

test('a new password ends all earlier tokens', async () => {
  const user = await server.createUser()
  const [pb, other] = [await openSdkAs(server, user), await openSdkAs(server, user)]
  const users = pb.collection('users')
  const change = { password: 'a new password', passwordConfirm: 'a new password' }
  const without = await refusal(users.update(user.id, change))
  expect(without.response['data']).toMatchObject({ oldPassword: { code: expect.any(String) } })
  const unequal = { ...change, passwordConfirm: 'another one', oldPassword: user.password }
  const mistyped = await refusal(users.update(user.id, unequal))
  expect(mistyped.response['data']).toMatchObject({ passwordConfirm: { code: 'validation_values_mismatch' } })
  await users.update(user.id, { ...change, oldPassword: user.password })
  expect((await refusal(other.collection('users').authRefresh())).status).toBe(401)
  await users.authWithPassword(user.email, 'a new password')
  expect(pb.authStore.isValid).toBe(true)
})

test('listAuthMethods() returns what the sign-in page shows', async () => {
  const methods = await openSdk(server).collection('users').listAuthMethods()
  expect(methods).toEqual({
    mfa: { enabled: false, duration: 0 },
    otp: { enabled: false, duration: 0 },
    password: { enabled: true, identityFields: ['email', 'username'] },
    oauth2: { enabled: false, providers: [] },
  })
})

test('impersonate() gives superusers a client that acts as a user for a limited time', async () => {
  const user = await server.createUser({ qpuSeconds: 5 })
  const pb = await openSdkAsSuperuser(server)
  const other = await pb.collection('users').impersonate(user.id, 60)
  expect(other.authStore.record?.id).toBe(user.id)
  expect(pb.authStore.isSuperuser).toBe(true)
  expect((await other.collection('users').getList()).items.map(({ id }) => id)).toEqual([user.id])
  expect(getTokenPayload(other.authStore.token)['refreshable']).toBe(false)
  const { token } = await other.collection('users').authRefresh()
  expect(token).toBe(other.authStore.token)
  expect(
    (await refusal((await openSdkAs(server, user)).collection('users').impersonate(user.id, 60))).status,
  ).toBe(403)
  expect((await refusal(pb.collection('users').impersonate('nobody000000000', 60))).status).toBe(404)
})

test('mail routes respond the same whether the address is known or not', async () => {
  const user = await server.createUser()
  const users = openSdk(server).collection('users')
  expect(await users.requestPasswordReset(user.email)).toBe(true)
  expect(await users.requestPasswordReset('nobody@example.org')).toBe(true)
  expect((await refusal(users.requestPasswordReset('no address'))).status).toBe(400)
  const confirmed = await refusal(users.confirmPasswordReset('wrong', 'a new password', 'a new password'))
  expect([confirmed.status, Object.keys(confirmed.response['data'])]).toEqual([400, ['token']])
})

test('one-time passwords are not available', async () => {
  const users = openSdk(server).collection('users')
  expect((await refusal(users.requestOTP('nobody@example.org'))).status).toBe(403)
  expect((await refusal(users.authWithOTP('nootp', '123456'))).status).toBe(403)
})

test('clear() makes the caller a guest, and so does a forged token', async () => {
  const pb = await openSdkAs(server, await server.createUser())
  const { token, record } = pb.authStore
  pb.authStore.clear()
  expect((await refusal(pb.collection('users').authRefresh())).status).toBe(401)
  pb.authStore.save(`${token.slice(0, -4)}AAAA`, record)
  expect((await pb.collection('users').getList()).items).toEqual([])
  expect((await refusal(pb.send('/api/jobs', {}))).status).toBe(401)
})

test('listExternalAuths() and unlinkExternalAuth() concern the own account only', async () => {
  const [ada, bob] = [await server.createUser(), await server.createUser()]
  await server.db.write('t', (tx) => {
    for (const provider of ['github', 'google']) {
      tx.insert(externalAuths, { recordRef: ada.id, provider, providerId: '17' })
    }
  })
  const [own, other] = [await openSdkAs(server, ada), await openSdkAs(server, bob)]
  const linked = await own.collection('users').listExternalAuths(ada.id)
  expect(linked.map(({ provider }) => provider).toSorted()).toEqual(['github', 'google'])
  expect(linked[0]).toMatchObject({
    ...{ collectionName: '_externalAuths', collectionRef: '_pb_users_auth_' },
    ...{ recordRef: ada.id, providerId: '17' },
  })
  expect(await other.collection('users').listExternalAuths(ada.id)).toEqual([])
  expect((await refusal(other.collection('users').unlinkExternalAuth(ada.id, 'github'))).status).toBe(404)
  expect(await own.collection('users').unlinkExternalAuth(ada.id, 'github')).toBe(true)
  const left = await own.collection('users').listExternalAuths(ada.id)
  expect(left.map(({ provider }) => provider)).toEqual(['google'])
})
