import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openConnection } from '../../../src/db/sqlite/connection.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'

const bytes = ({ dir }: TestDatabase) => statSync(join(dir, 'svc.db-wal')).size

/** Writes 80 MiB during a read, so that SQLite cannot restart the log. */
async function fill({ db }: TestDatabase): Promise<void> {
  for (let part = 0; part < 20; part += 1) {
    await db.write('fill', (tx) =>
      tx.run('INSERT INTO meta (key, value) SELECT $key, hex(zeroblob(2097152))', { key: `part ${part}` }),
    )
  }
}

test('a large log is emptied once it has no reader and nothing has been written since the last call', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const reader = openConnection(join(test.dir, 'svc.db'), 'read')
  reader.run('BEGIN')
  reader.one('SELECT count(*) FROM meta')
  await fill(test)
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  await db.trimLog()
  const started = performance.now()
  expect(await db.trimLog()).toBe(bytes(test))
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  // Unlike writes, it does not wait for the reader.
  expect(performance.now() - started).toBeLessThan(4_000)
  reader.run('COMMIT')
  reader.close()
  await db.write('another', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('last', '')"))
  await db.trimLog()
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  expect(await db.trimLog()).toBe(0)
  expect(bytes(test)).toBe(0)
  await db.write('another', (tx) => tx.run("DELETE FROM meta WHERE key = 'last'"))
})

test('a small log is left alone', async () => {
  await using test = await openTestDatabase()
  await test.db.trimLog()
  expect(await test.db.trimLog()).toBe(bytes(test))
  expect(bytes(test)).toBeGreaterThan(0)
})
