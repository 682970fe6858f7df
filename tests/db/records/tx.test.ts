import { expect, test } from 'bun:test'
import { users } from '../../../src/db/collections/users.ts'
import { allOf, firstOf, mapped } from '../../../src/db/engine/query.ts'
import type { Change } from '../../../src/db/records/changes.ts'
import type { Tx } from '../../../src/db/records/tx.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'

const INSERT = "INSERT INTO meta (key, value) VALUES ($key, 'x')"
const RENAME = 'UPDATE users SET username = $name WHERE id = $id'
const COUNT = "SELECT count(*) AS n FROM meta WHERE value = 'x'"

const COUNTED = mapped(firstOf<{ n: number }>(COUNT), (row) => row?.n)

test('reads have the form of what is asked for, and see what was posted before them', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const found = await db.write('test', (tx) => {
    const before = tx.read(COUNTED)
    tx.post(INSERT, { key: 'a' })
    const first = tx.read({ count: COUNTED, none: undefined, nested: [{ known: 7 }, { count: COUNTED }] })
    tx.post(INSERT, { key: 'b' })
    const keys = allOf<{ key: string }>("SELECT key FROM meta WHERE value = 'x' ORDER BY key")
    return { before, first, last: tx.read([COUNTED, keys] as const), empty: tx.read([]) }
  })
  expect(found).toEqual({
    before: 0,
    first: { count: 1, none: undefined, nested: [7, { count: 1 }] },
    last: [2, [{ key: 'a' }, { key: 'b' }]],
    empty: [],
  })
})

test('rows have their numbers, texts, truth values and bytes, whatever way they come', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const text = 'ä"\\ \u2028 ☃'
  const rows = await db.read((tx) =>
    tx.read([
      allOf(({ bytes }) => `SELECT ${bytes('$text')} AS bytes, 1.5 AS half`, { text }),
      allOf('SELECT $text AS text, $large AS large, NULL AS none, 2 > 1 AS yes', {
        text,
        large: Number.MAX_VALUE,
      }),
      allOf('SELECT $infinite AS infinite', { infinite: Infinity }),
    ]),
  )
  expect(rows[0]).toEqual([{ bytes: new Uint8Array(Buffer.from(text)), half: 1.5 }])
  expect(rows[1]).toEqual([{ text, large: Number.MAX_VALUE, none: null, yes: 1 }])
  expect(rows[2]).toEqual([{ infinite: Infinity }])
})

test('a statement that fails undoes its work, and no other, although nobody waits for it', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const write = (key: string, statement = INSERT) =>
    db.write('test', (tx) => {
      tx.post(INSERT, { key })
      tx.post(statement, { key: `${key}2` })
    })
  const outcomes = await Promise.allSettled([
    write('a'),
    write('b', 'INSERT INTO meta (none) VALUES ($key)'),
    write('c'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await db.read((tx) => tx.read(COUNTED))).toBe(4)
})

test('runUpdate() and postUpdate() publish each record as the statement left it, in the order of the changes', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const [ada, bob] = await db.write('users', (tx) =>
    ['ada', 'bob'].map((username) => tx.insert(users, { email: `${username}@example.org`, username }).id),
  )
  const published: Change[] = []
  db.changes.subscribe((changes) => published.push(...changes))
  const rename = (tx: Tx, id: string | undefined, name: string) =>
    tx.postUpdate(users, RENAME, { id: id ?? '', name })
  await db.write('rename', (tx) => {
    const first = tx.runUpdate(users, RENAME, { id: bob ?? '', name: 'bobby' })
    rename(tx, 'nobody000000000', 'nobody')
    tx.update(users, ada ?? '', { username: 'adele' })
    expect(first.map(({ username }) => username)).toEqual(['bobby'])
    rename(tx, bob, 'robert')
  })
  const names = published.map(({ id, record }) => `${id} ${(record as { username: string }).username}`)
  expect(names).toEqual([`${bob} bobby`, `${ada} adele`, `${bob} robert`])
})

test('a relation to a record that was read and removed since is refused', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const id = await db.write(
    'user',
    (tx) => tx.insert(users, { email: 'ada@example.org', username: 'ada' }).id,
  )
  const write = db.write('job', (tx) => {
    tx.find(users, id)
    tx.remove(users, id)
    tx.insert(quantumJobs, { user_id: id })
  })
  await expect(write).rejects.toThrow()
  expect(await db.read((tx) => tx.find(users, id))).toMatchObject({ id })
})
