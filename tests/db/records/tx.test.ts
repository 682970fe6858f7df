import { expect, test } from 'bun:test'
import { users } from '../../../src/db/collections/users.ts'
import type { Change } from '../../../src/db/records/changes.ts'
import type { ReadTx, Tx } from '../../../src/db/records/tx.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'

const INSERT = "INSERT INTO meta (key, value) VALUES ($key, 'x')"
const COUNT = "SELECT count(*) AS n FROM meta WHERE value = 'x'"

const counting = (tx: ReadTx) => tx.ahead<{ n: number }>(COUNT)

test('what is read ahead is as it was when the read began, whenever its rows are asked for', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const counts = await db.write('test', (tx) => {
    const before = counting(tx)
    tx.post(INSERT, { key: 'a' })
    const first = counting(tx)
    tx.post(INSERT, { key: 'b' })
    return [counting(tx)(), first(), before()].map(([row]) => row?.n)
  })
  expect(counts).toEqual([2, 1, 0])
})

test('rows have their numbers, texts, truth values and bytes, whatever way they come', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const text = 'ä"\\ \u2028 ☃'
  const rows = await db.read((tx) => {
    const bytes = tx.ahead<object>(`SELECT ${tx.dialect.bytes('$text')} AS bytes, 1.5 AS half`, { text })
    const others = tx.ahead<object>('SELECT $text AS text, $large AS large, NULL AS none, 2 > 1 AS yes', {
      text,
      large: Number.MAX_VALUE,
    })
    const infinite = tx.ahead<object>('SELECT $infinite AS infinite', { infinite: Infinity })
    return [bytes, others, infinite].map((read) => read())
  })
  expect(rows[0]).toEqual([{ bytes: new Uint8Array(Buffer.from(text)), half: 1.5 }])
  expect(rows[1]).toEqual([{ text, large: Number.MAX_VALUE, none: null, yes: 1 }])
  expect(rows[2]).toEqual([{ infinite: Infinity }])
})

test('a read that nobody asks for leaves nothing behind', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  for (let at = 0; at < 2; at += 1) await db.read((tx) => void counting(tx))
  await db.write('test', (tx) => void counting(tx))
  expect(await db.read((tx) => counting(tx)())).toEqual([{ n: 0 }])
})

test('a statement that fails undoes its work, and no other, although its rows are not asked for', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const write = (key: string, statement = INSERT) =>
    db.write('test', (tx) => {
      tx.post(INSERT, { key })
      tx.ahead(`${statement} RETURNING key`, { key: `${key}2` })
    })
  const outcomes = await Promise.allSettled([
    write('a'),
    write('b', 'INSERT INTO meta (none) VALUES ($key)'),
    write('c'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await db.read((tx) => counting(tx)())).toEqual([{ n: 4 }])
})

test('updating() publishes each record as the statement left it, in the order of the changes', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const [ada, bob] = await db.write('users', (tx) =>
    ['ada', 'bob'].map((username) => tx.insert(users, { email: `${username}@example.org`, username }).id),
  )
  const published: Change[] = []
  db.changes.subscribe((changes) => published.push(...changes))
  const rename = (tx: Tx, id: string | undefined, name: string) =>
    tx.updating(users, 'UPDATE users SET username = $name WHERE id = $id', { id: id ?? '', name })
  await db.write('rename', (tx) => {
    const first = rename(tx, bob, 'bobby')
    rename(tx, 'nobody000000000', 'nobody')
    tx.update(users, ada ?? '', { username: 'adele' })
    expect(first().map(({ username }) => username)).toEqual(['bobby'])
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
