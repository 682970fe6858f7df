import { expect, test } from 'bun:test'
import { KnownNumbers } from '../../../src/db/query/known-numbers.ts'
import { openTestDatabase } from '../../support/database.ts'

const COUNT = { sql: 'SELECT count(*) AS n FROM meta WHERE key >= $from', params: { from: 'known' } }

test('a number is read once until something is written', async () => {
  await using lab = await openTestDatabase()
  const totals = new KnownNumbers()
  let counts = 0
  const total = (params: { from: string } = COUNT.params) =>
    lab.db.read((tx) =>
      totals.get(tx, { ...COUNT, params }, () => {
        counts += 1
        return tx.one<{ n: number }>(COUNT.sql, params)?.n ?? 0
      }),
    )
  const before = await total()
  expect([await total(), await total({ from: 'zzz' }), counts]).toEqual([before, 0, 2])
  await lab.db.write('add', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('known1', '')"))
  expect([await total(), await total(), counts]).toEqual([before + 1, before + 1, 3])
})
