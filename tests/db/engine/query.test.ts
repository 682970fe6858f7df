import { expect, test } from 'bun:test'
import { firstOf } from '../../../src/db/engine/query.ts'
import { defineIntent } from '../../../src/db/index.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../support/database.ts'

const rename = defineIntent({
  name: 'rename',
  reads: ({ id }: { id: string; name: string }) => ({
    user: firstOf<{ username: string; at: string }>('SELECT username, $at AS at FROM users WHERE id = $id', {
      id,
    }),
    other: firstOf<{ id: string }>('SELECT id FROM users WHERE id <> $id', { id }),
  }),
  run(tx, { user, other }, { id, name }) {
    if (name === '') throw new RangeError('no name')
    tx.update(users, id, { username: name })
    return { before: user?.username, isAtOnce: user?.at === tx.at, other }
  },
})

test('an intent gets what it declares to read, as it was before it writes, and is undone as a whole', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const { id } = await db.write('add', (tx) => tx.insert(users, { username: 'ann' }))
  expect(await db.run(rename, { id, name: 'ben' })).toEqual({
    before: 'ann',
    isAtOnce: true,
    other: undefined,
  })
  await expect(db.run(rename, { id, name: '' })).rejects.toThrow('no name')
  expect(await db.run(rename, { id, name: 'cem' })).toMatchObject({ before: 'ben' })
})
