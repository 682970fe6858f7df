import { expect, test } from 'bun:test'
import { newSecret } from '../../../../src/base/index.ts'
import type { Database } from '../../../../src/db/index.ts'
import {
  type Account,
  type AccountKind,
  changeEmail,
  findAccount,
  findAccountByEmail,
  findSuperuser,
  findUser,
  proxyUserOf,
  resetPassword,
  saveSuperuser,
  signInExternally,
  users,
  verifyEmail,
} from '../../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const proof = (kind: AccountKind, { id, tokenKey }: Account) => ({ kind, id, tokenKey })
const addUser = (db: Database, email: string, verified = false) =>
  db.write('user', (tx) => tx.insert(users, { email, password: 'hash', tokenKey: newSecret(), verified }))

test('resetPassword() works once per link, even when it is used twice at the same time', async () => {
  await using test = await openTestDatabase()
  const user = await addUser(test.db, 'ada@example.org')
  const superuser = await saveSuperuser(test.db, {
    email: 'root@x.org',
    passwordHash: 'h',
    mode: 'create',
    actor: 'test',
  })
  for (const [kind, account] of [
    ['users', user],
    ['superusers', superuser],
  ] as const) {
    const reset = () =>
      resetPassword(test.db, proof(kind, account), { passwordHash: 'new', email: account.email })
    expect((await Promise.all([reset(), reset()])).sort()).toEqual([false, true])
    const after = await findAccount(test.db, kind, account.id)
    expect(after?.password).toBe('new')
    expect(after?.tokenKey).not.toBe(account.tokenKey)
  }
})

test('resetPassword() with the address of an unverified user verifies it and invalidates earlier links', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const link = (signedIn: string) =>
    signInExternally(db, {
      identity: { provider: 'lab', providerId: '1', email: '' },
      signedIn,
      create: () => {
        throw new Error('no account is linked')
      },
    })
  const user = await addUser(db, 'ada@example.org')
  await link(user.id)
  const before = await findUser(db, user.id)
  await resetPassword(db, proof('users', before ?? user), { passwordHash: 'new', email: user.email })
  expect((await findUser(db, user.id))?.verified).toBe(true)
  await expect(
    signInExternally(db, {
      identity: { provider: 'lab', providerId: '1', email: '' },
      signedIn: undefined,
      create: () => {
        throw new Error('no account is linked')
      },
    }),
  ).rejects.toThrow('no account is linked')

  const other = await addUser(db, 'bob@example.org')
  await resetPassword(db, proof('users', other), { passwordHash: 'new', email: 'earlier@example.org' })
  expect((await findUser(db, other.id))?.verified).toBe(false)
})

test('verifyEmail() is valid only for the address and the key of the link', async () => {
  await using test = await openTestDatabase()
  const user = await addUser(test.db, 'ada@example.org')
  expect(await verifyEmail(test.db, proof('users', user), 'other@example.org')).toBe(false)
  expect(await verifyEmail(test.db, { ...proof('users', user), tokenKey: 'old' }, user.email)).toBe(false)
  expect(await verifyEmail(test.db, proof('users', user), user.email)).toBe(true)
  expect(await findUser(test.db, user.id)).toMatchObject({ verified: true, tokenKey: user.tokenKey })
})

test('changeEmail() ends the sessions, rejects taken addresses and updates the proxy user', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const user = await addUser(db, 'ada@example.org')
  await addUser(db, 'taken@example.org')
  await expect(changeEmail(db, proof('users', user), 'taken@example.org')).rejects.toMatchObject({
    fields: { email: { code: 'validation_not_unique' } },
  })
  expect(await changeEmail(db, proof('users', user), 'new@example.org')).toBe(true)
  expect(await changeEmail(db, proof('users', user), 'newer@example.org')).toBe(false)
  const after = await findUser(db, user.id)
  expect([after?.email, after?.verified, after?.tokenKey === user.tokenKey]).toEqual([
    'new@example.org',
    true,
    false,
  ])

  const superuser = await saveSuperuser(db, {
    email: 'root@x.org',
    passwordHash: 'h',
    mode: 'create',
    actor: 'test',
  })
  const proxy = await proxyUserOf(db, superuser)
  await changeEmail(db, proof('superusers', superuser), 'boss@x.org')
  expect((await findUser(db, proxy.id))?.email).toBe('boss@x.org')
  const boss = await findSuperuser(db, superuser.id)
  await changeEmail(db, proof('superusers', boss ?? superuser), 'new@example.org')
  expect((await findUser(db, proxy.id))?.email).toBe('')
})

test('findAccountByEmail() never finds the proxy user of a superuser', async () => {
  await using test = await openTestDatabase()
  const superuser = await saveSuperuser(test.db, {
    email: 'root@x.org',
    passwordHash: 'h',
    mode: 'create',
    actor: 'test',
  })
  await proxyUserOf(test.db, superuser)
  expect(await findAccountByEmail(test.db, 'users', 'root@x.org')).toBeUndefined()
  expect((await findAccountByEmail(test.db, 'superusers', 'ROOT@x.org'))?.id).toBe(superuser.id)
  expect(await findAccountByEmail(test.db, 'users', '')).toBeUndefined()
})

test('any change of password or address by a write ends the logins', async () => {
  await using test = await openTestDatabase()
  const user = await addUser(test.db, 'ada@example.org')
  const keyAfter = async (patch: object) => {
    await test.db.write('patch', (tx) => tx.update(users, user.id, patch))
    return (await findUser(test.db, user.id))?.tokenKey
  }
  expect(await keyAfter({ username: 'ada', verified: true })).toBe(user.tokenKey)
  const second = await keyAfter({ password: 'other' })
  expect(second).not.toBe(user.tokenKey)
  expect(await keyAfter({ email: 'b@example.org' })).not.toBe(second)
})
