import { expect, spyOn, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import type { Params } from '../../../../src/db/engine/sql.ts'
import { openConnection } from '../../../../src/db/sqlite/connection.ts'
import { openWriteAheadLog } from '../../../../src/db/sqlite/durability/write-ahead-log.ts'
import { openOnDisk, type TestDatabase } from '../../../support/database.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

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
  await using test = await openOnDisk()
  const { db } = test
  const reader = openConnection(join(test.dir, 'svc.db'), 'read')
  reader.run('BEGIN')
  reader.one('SELECT count(*) FROM meta')
  await fill(test)
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  await db.files?.trimLog()
  expect(await db.files?.trimLog()).toBe(bytes(test))
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  reader.run('COMMIT')
  reader.close()
  await db.write('another', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('last', '')"))
  await db.files?.trimLog()
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  expect(await db.files?.trimLog()).toBe(0)
  expect(bytes(test)).toBe(0)
  await db.write('another', (tx) => tx.run("DELETE FROM meta WHERE key = 'last'"))
})

test('the log is emptied without waiting for its readers, unlike writes', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'svc.db')
  const writer = openConnection(path, 'write')
  const timeoutMs = () => writer.one<{ timeout: number }>('PRAGMA busy_timeout')?.timeout
  const ofWrites = timeoutMs()
  const timeouts: unknown[] = []
  const one = writer.one.bind(writer)
  spyOn(writer, 'one').mockImplementation(<T>(sql: string, params?: Params) => {
    if (sql.includes('wal_checkpoint(TRUNCATE)')) timeouts.push(timeoutMs())
    return one<T>(sql, params)
  })
  writer.run('CREATE TABLE t (a)')
  const log = openWriteAheadLog(writer, { clock: new FakeClock(), log: silentLog })
  const reader = openConnection(path, 'read')
  reader.run('BEGIN')
  reader.one('SELECT count(*) FROM t')
  writer.run('INSERT INTO t VALUES (1)')
  await log.finish()
  expect([timeouts, timeoutMs()]).toEqual([[0], ofWrites])
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  for (const each of [reader, writer, log]) each.close()
})

test('a small log is left alone', async () => {
  await using test = await openOnDisk()
  await test.db.files?.trimLog()
  expect(await test.db.files?.trimLog()).toBe(bytes(test))
  expect(bytes(test)).toBeGreaterThan(0)
})

test('a replicator empties the log, and gets a time without writes when it is large', async () => {
  await using test = await openOnDisk({ checkpoints: 'external' })
  const { db, clock } = test
  await fill(test)
  await db.files?.trimLog()
  expect(await db.files?.trimLog()).toBe(bytes(test))
  expect(bytes(test)).toBeGreaterThan(67_108_864)
  await clock.advance(2_000)
  let isWritten = false
  const late = db
    .write('late', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('last', '')"))
    .then(() => {
      isWritten = true
    })
  const replicator = openConnection(join(test.dir, 'svc.db'), 'write')
  replicator.run('BEGIN IMMEDIATE')
  expect(isWritten).toBe(false)
  replicator.run('COMMIT')
  replicator.one('PRAGMA wal_checkpoint(TRUNCATE)')
  replicator.close()
  await clock.advance(120)
  await late
  expect(bytes(test)).toBeLessThan(67_108_864)
  // A small log needs none.
  await clock.advance(2_000)
  await db.write('next', (tx) => tx.run("DELETE FROM meta WHERE key = 'last'"))
})
