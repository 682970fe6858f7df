import { expect, test } from 'bun:test'
import { firstOf } from '../../../src/db/engine/query.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../support/database.ts'

const accounts = (id: string) => ({
  user: firstOf<{ username: string; at: string }>('SELECT username, $at AS at FROM users WHERE id = $id', {
    id,
  }),
  other: firstOf<{ id: string }>('SELECT id FROM users WHERE id <> $id', { id }),
})

test('queries are values: those of one read have the time of the transaction and see what it has written', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { id } = await db.write('add', (tx) => tx.insert(users, { username: 'ann' }))
  const names = await db.write('rename', (tx) => {
    const before = tx.read(accounts(id))
    tx.update(users, id, { username: 'ben' })
    const { after, ...others } = tx.read({ after: accounts(id), nothing: undefined, list: [{ known: 7 }] })
    expect({ other: before.other, ...others }).toEqual({ other: undefined, nothing: undefined, list: [7] })
    expect(before.user?.at).toBe(tx.at)
    return [before.user?.username, after.user?.username]
  })
  expect(names).toEqual(['ann', 'ben'])
})
