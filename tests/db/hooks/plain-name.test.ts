import { expect, test } from 'bun:test'
import { refuseOddName } from '../../../src/db/hooks/plain-name.ts'
import { openTestServer } from '../../support/server/server.ts'

const ODD = [
  ...['=1+1', '+cmd', '-x', '@SUM', ' =1', '\uFF1Dx', '\t=x', '<b>ada</b>', 'a>b', 'a\u202Eb', 'a\u2066b'],
  ...['\u200Fa', '\uFEFFa', 'a\u0000b', 'a\nb', 'a\u2028b', 'a\u200Bb', 'a\u{E0041}b', 'a\uD800b'],
]
const PLAIN = [
  'ada',
  'Ada Lovelace',
  'ada-2',
  'a.b_c',
  "O'Brien",
  'Åsa',
  '李雷',
  'علی\u200Cرضا',
  'a=b',
  'a@b',
  '',
]

test('refuseOddName() refuses formulas, markup and what nobody sees, and nothing else', () => {
  for (const name of ODD) expect(() => refuseOddName('username', name)).toThrow('The name is not plain text')
  for (const name of PLAIN) refuseOddName('username', name)
})

test('a new user name is plain; a stored one stays, also when other fields change', async () => {
  await using server = await openTestServer()
  const { id } = await server.createUser({ username: 'ada' })
  const path = `/api/collections/users/records/${id}`
  const refused = await server.admin.patch(path, { username: '=1+1' })
  expect([refused.status, Object(refused.get('data')).username]).toMatchObject([
    400,
    { code: 'validation_invalid_value' },
  ])
  await server.db.write('t', (tx) => tx.run(`UPDATE users SET username = '=1+1' WHERE id = $id`, { id }))
  expect((await server.admin.patch(path, { emailVisibility: true, username: '=1+1' })).status).toBe(200)
  expect((await server.admin.get(path)).get('username')).toBe('=1+1')
})
