import { expect, test } from 'bun:test'
import { KeptTotals } from '../../../src/db/query/kept-totals.ts'
import { openTestDatabase } from '../../support/database.ts'

const COUNT = { sql: 'SELECT count(*) AS n FROM meta WHERE key >= $from', params: { from: 'known' } }
const OTHER = { ...COUNT, params: { from: 'zzz' } }

test('a total is kept until something is written, and not if something was written while it was counted', async () => {
  await using lab = await openTestDatabase()
  const totals = new KeptTotals()
  const write = (key: string) =>
    lab.db.write('add', (tx) => tx.run('INSERT INTO meta (key, value) VALUES ($key, $key)', { key }))
  const find = (statement = COUNT) => lab.db.read((tx) => totals.find(tx, statement))
  const kept = async (statement = COUNT) => (await find(statement)).total
  const { total, keep } = await find()
  expect(total).toBeUndefined()
  await lab.db.read((tx) => keep(tx, 7))
  expect([await kept(), await kept(OTHER)]).toEqual([7, undefined])
  await write('known1')
  expect(await kept()).toBeUndefined()
  const late = await find()
  await write('known2')
  await lab.db.read((tx) => late.keep(tx, 8))
  expect(await kept()).toBeUndefined()
})
