import { expect, test } from 'bun:test'
import { newSecret } from '../../../../src/base/index.ts'
import type { Database } from '../../../../src/db/index.ts'
import {
  createApiToken,
  type ExternalIdentity,
  externalAuths,
  findByApiToken,
  findUser,
  proxyUserOf,
  saveSuperuser,
  signInExternally,
  users,
} from '../../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const ADA: ExternalIdentity = { provider: 'lab', providerId: '17', email: 'ada@example.org' }

const signIn = (db: Database, identity: ExternalIdentity, signedIn?: string) =>
  signInExternally(db, {
    identity,
    signedIn,
    create: (tx) => tx.insert(users, { tokenKey: 'new', email: identity.email, verified: true }),
  })

const addUser = (db: Database, { email = '', verified = false } = {}) =>
  db.write('user', (tx) => tx.insert(users, { email, password: 'hash', tokenKey: newSecret(), verified }))

test('signInExternally() creates one user for an account, however often it logs in', async () => {
  await using test = await openTestDatabase()
  const [first, second, third] = await Promise.all([
    signIn(test.db, ADA),
    signIn(test.db, ADA),
    signIn(test.db, ADA),
  ])
  expect(first?.isNew).toBe(true)
  expect([second?.isNew, third?.isNew]).toEqual([false, false])
  expect([second?.user.id, third?.user.id]).toEqual([first?.user.id, first?.user.id])
  const other = await signIn(test.db, { ...ADA, provider: 'other', email: '' })
  expect([other.isNew, other.user.id === first?.user.id]).toEqual([true, false])
})

test('signInExternally() prefers the linked user to the logged-in user, and the logged-in user to the address', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const byAddress = await addUser(db, { email: ADA.email, verified: true })
  const loggedIn = await addUser(db)
  expect((await signIn(db, ADA, loggedIn.id)).user.id).toBe(loggedIn.id)
  // The address is taken, so the user without one remains so.
  expect((await findUser(db, loggedIn.id))?.email).toBe('')
  expect((await signIn(db, ADA, byAddress.id)).user.id).toBe(loggedIn.id)
  const second = await signIn(db, { ...ADA, providerId: '18' })
  expect([second.user.id, second.isNew]).toEqual([byAddress.id, false])
  expect(second.user.password).toBe('hash')
})

test('signInExternally() transfers an account with an unverified address to the owner of the address', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const squatter = await addUser(db, { email: ADA.email })
  await signIn(db, { provider: 'lab', providerId: 'squatter', email: '' }, squatter.id)
  const token = { user: squatter.id, name: 'kept', hash: 'abc', expiresAt: '', scope: 'all' } as const
  await createApiToken(db, token, { actor: 'test' })
  const { user, isNew } = await signIn(db, ADA)
  expect([user.id, isNew, user.verified, user.password]).toEqual([squatter.id, false, true, ''])
  expect(user.tokenKey).not.toBe(squatter.tokenKey)
  expect(await findByApiToken(db, 'abc')).toBeUndefined()
  const links = await db.read((tx) => tx.list(externalAuths, {}))
  expect(links.map((link) => link.providerId)).toEqual([ADA.providerId])
})

test('signInExternally() sets the verified address of a user without one', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const user = await addUser(db)
  const linked = await signIn(db, ADA, user.id)
  expect([linked.user.email, linked.user.verified]).toEqual([ADA.email, true])
})

test('signInExternally() rejects disabled users and proxy users', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const superuser = await saveSuperuser(db, {
    email: ADA.email,
    passwordHash: 'hash',
    mode: 'create',
    actor: 'test',
  })
  await proxyUserOf(db, superuser)
  await expect(signIn(db, ADA)).rejects.toThrow('belongs to a superuser')
  const { user } = await signIn(db, { ...ADA, email: 'bob@example.org' })
  await db.write('disable', (tx) => tx.update(users, user.id, { disabled: true }))
  await expect(signIn(db, { ...ADA, email: 'bob@example.org' })).rejects.toThrow('Failed to authenticate')
  await expect(signIn(db, { ...ADA, providerId: '2', email: 'bob@example.org' })).rejects.toThrow()
  expect(await db.read((tx) => tx.list(externalAuths, {}))).toHaveLength(1)
})

test('the links of a removed user are removed too', async () => {
  await using test = await openTestDatabase()
  const { user } = await signIn(test.db, ADA)
  await test.db.write('remove', (tx) => tx.remove(users, user.id))
  expect(await test.db.read((tx) => tx.list(externalAuths, {}))).toEqual([])
  expect((await signIn(test.db, ADA)).isNew).toBe(true)
})
