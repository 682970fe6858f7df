import { expect, test } from 'bun:test'
import { Passwords } from '../../../src/server/auth/password.ts'

test('passwords are hashed with the minimum that OWASP recommends, unless a test asks for less', async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash('correct horse')
  expect(stored).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
  expect(await passwords.verify('correct horse', stored)).toBe(true)
  expect(await passwords.verify('correct Horse', stored)).toBe(false)
  const cheap = await new Passwords({ memoryCost: 8, timeCost: 1 }).hash('correct horse')
  expect(cheap).toStartWith('$argon2id$v=19$m=8,t=1,p=1$')
})

test('no password belongs to an account that does not exist', async () => {
  const passwords = new Passwords()
  expect(await passwords.verify('no account has this password', undefined)).toBe(false)
  expect(await passwords.verify('no account has this password', '')).toBe(false)
})
