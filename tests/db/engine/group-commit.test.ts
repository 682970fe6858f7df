import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createGroupCommit } from '../../../src/db/engine/group-commit.ts'
import { openConnection } from '../../../src/db/sqlite/connection.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A group on a file with one table, and a second connection that sees only committed data. */
function openGroup() {
  const folder = temporaryFolder()
  const path = join(folder.path, 'x.db')
  const connection = openConnection(path, 'write')
  connection.run('CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT')
  connection.run('CREATE TABLE t (a TEXT, parent INTEGER REFERENCES parent (id)) STRICT')
  const reader = openConnection(path, 'read')
  const clock = new FakeClock()
  const group = createGroupCommit(connection, { clock })
  return {
    clock,
    connection,
    group,
    add: (a: string) => () => connection.run('INSERT INTO t (a) VALUES ($a)', { a }),
    committed: () => reader.all<{ a: string }>('SELECT a FROM t ORDER BY rowid').map((row) => row.a),
    [Symbol.dispose]() {
      group.flush()
      connection.close()
      reader.close()
      folder[Symbol.dispose]()
    },
  }
}

test('join() runs at once and commits the works of one turn together', async () => {
  using file = openGroup()
  const first = file.group.join(file.add('first'))
  const second = file.group.join(() => file.connection.one('SELECT count(*) AS seen FROM t'))
  const third = file.group.join(file.add('third'))
  expect([first.value, second.value]).toEqual([1, { seen: 1 }])
  expect(file.committed()).toEqual([])
  await first.committed
  expect(file.committed()).toEqual(['first', 'third'])
  await third.committed
})

test.each([
  ['short', 4, ['committed', 'other 1']],
  ['long', 5, ['other 0', 'committed']],
])('other requests run between %s work and its commit as needed', async (_, ms, expected) => {
  using file = openGroup()
  const log: string[] = []
  const { committed } = file.group.join(() => {
    file.add('row')()
    void file.clock.advance(ms)
  })
  const other = new Promise<void>((resolve) => {
    setImmediate(() => resolve(void log.push(`other ${file.committed().length}`)))
  })
  await Promise.all([committed.then(() => log.push('committed')), other])
  expect(log).toEqual(expected)
})

test('join() in a later turn begins another group', async () => {
  using file = openGroup()
  await file.group.join(file.add('first')).committed
  const second = file.group.join(file.add('second'))
  expect(file.committed()).toEqual(['first'])
  await second.committed
  expect(file.committed()).toEqual(['first', 'second'])
})

test('join() rolls back a work that throws, and no other', async () => {
  using file = openGroup()
  const first = file.group.join(file.add('first'))
  const failing = () => {
    file.add('half')()
    throw new Error('no')
  }
  expect(() => file.group.join(failing)).toThrow('no')
  const third = file.group.join(file.add('third'))
  await Promise.all([first.committed, third.committed])
  expect(file.committed()).toEqual(['first', 'third'])
})

test('join() keeps no savepoint of a work that has ended, so that a long group does not grow', () => {
  using file = openGroup()
  const failing = () => {
    throw new Error('no')
  }
  file.group.join(file.add('first'))
  file.group.join(file.add('second'))
  expect(() => file.connection.run('RELEASE work')).toThrow('no such savepoint')
  expect(() => file.group.join(failing)).toThrow('no')
  expect(() => file.connection.run('RELEASE work')).toThrow('no such savepoint')
})

test('join() leaves no transaction open after a single failed work', async () => {
  using file = openGroup()
  const failing = () => {
    throw new Error('no')
  }
  expect(() => file.group.join(failing)).toThrow('no')
  await new Promise((resolve) => setImmediate(resolve))
  expect(file.connection.inTransaction()).toBe(false)
})

test('join() rejects every work of a group whose commit fails, and continues', async () => {
  using file = openGroup()
  const sound = file.group.join(file.add('sound'))
  const orphan = file.group.join(() => {
    file.connection.run('PRAGMA defer_foreign_keys = 1')
    file.connection.run("INSERT INTO t VALUES ('orphan', 7)")
  })
  const ends = await Promise.allSettled([sound.committed, orphan.committed])
  expect(ends.map((end) => end.status)).toEqual(['rejected', 'rejected'])
  expect(file.connection.inTransaction()).toBe(false)
  await file.group.join(file.add('later')).committed
  expect(file.committed()).toEqual(['later'])
})

test('join() rejects the whole group when a full disk rolls it back, and continues', async () => {
  using file = openGroup()
  const pages = file.connection.one<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
  const sound = file.group.join(file.add('sound'))
  const outcome = sound.committed.then(
    () => ['sound'],
    () => [],
  )
  file.connection.one(`PRAGMA max_page_count = ${pages + 2}`)
  const storageFull = expect.objectContaining({ code: 'storage_full' })
  expect(() => file.group.join(file.add('x'.repeat(50_000)))).toThrow(storageFull)
  file.connection.one(`PRAGMA max_page_count = ${pages + 1_000}`)
  await file.group.join(file.add('later')).committed
  expect(file.committed()).toEqual([...(await outcome), 'later'])
})

test('join() rejects a work inside a work', () => {
  using file = openGroup()
  const nested = () => file.group.join(file.add('inner'))
  expect(() => file.group.join(nested)).toThrow('a transaction is open already')
})

test('flush() commits at once', async () => {
  using file = openGroup()
  const { committed } = file.group.join(file.add('first'))
  file.group.flush()
  expect(file.committed()).toEqual(['first'])
  await committed
  file.group.flush()
})
