import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Connection } from '../../../src/db/engine/connection.ts'
import { createGroupCommit, type WithCommit } from '../../../src/db/engine/group-commit.ts'
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

/** A connection that sends what is posted later, as one to a server does; `log`: what reaches the server. */
function postingOn(connection: Connection) {
  const log: string[] = []
  let waiting: (() => void)[] = []
  let posted = 0
  const send = () => {
    const sent = waiting
    waiting = []
    posted = 0
    for (const run of sent) run()
  }
  const posting: Connection = {
    ...{ dialect: connection.dialect, close: () => connection.close(), version: () => connection.version() },
    one: (sql, params) => connection.one(sql, params),
    all: (sql, params) => connection.all(sql, params),
    explain: (sql, params) => connection.explain(sql, params),
    batch: (statements) => connection.batch(statements),
    run: (sql, params) => connection.run(sql, params),
    attempt: (sql, params) => connection.attempt(sql, params),
    transaction: (mode, work) => connection.transaction(mode, work),
    inTransaction: () => connection.inTransaction(),
    begin: (mode) => connection.begin(mode),
    savepoint: () => connection.savepoint(),
    releaseSavepoint: () => void waiting.push(() => connection.releaseSavepoint()),
    rollbackToSavepoint() {
      waiting = []
      connection.rollbackToSavepoint()
    },
    post(sql, params, onRows) {
      posted += 1
      waiting.push(() => connection.post(sql, params, onRows))
      return 1
    },
    hasPosted: () => posted > 0,
    settle() {
      if (posted > 0) log.push('statements')
      send()
    },
    commit() {
      log.push(posted > 0 ? 'statements and COMMIT' : 'COMMIT')
      try {
        send()
        connection.commit()
      } catch (error) {
        connection.rollback()
        throw error
      }
    },
    rollback() {
      waiting = []
      connection.rollback()
    },
  }
  return { posting, log }
}

/** A group on such a connection, and works that post a row; `events`: in which order they are told of it. */
function openPostingGroup() {
  const file = openGroup()
  const { posting, log } = postingOn(file.connection)
  const group = createGroupCommit(posting, { clock: file.clock })
  const post = (a: string | null, when?: WithCommit) =>
    group.join(
      () => {
        const table = a === null ? 'none' : 't'
        posting.post(`INSERT INTO ${table} (a) VALUES ($a)`, { a })
        return posting.inTransaction()
      },
      { withCommit: () => when, onSent: () => void log.push(`sent ${a}`) },
    )
  return { file, group, log, post, [Symbol.dispose]: () => file[Symbol.dispose]() }
}

test('join() lets what a work alone in its group has posted leave with the COMMIT', async () => {
  using open = openPostingGroup()
  const { committed, isSent } = open.post('a', 'alone')
  expect(isSent).toBe(false)
  await committed
  expect(open.log).toEqual(['statements and COMMIT', 'sent a'])
  expect(open.file.committed()).toEqual(['a'])
})

test('join() sends what was kept before another work runs, and resolves them in their order', async () => {
  using open = openPostingGroup()
  const ends: string[] = []
  const works = (['a', 'b', 'c'] as const).map((name) => {
    const { committed } = open.post(name, name === 'c' ? 'last' : 'alone')
    return committed.then(() => void ends.push(name))
  })
  await Promise.all(works)
  expect(open.log).toEqual(['statements', 'sent a', 'statements', 'statements and COMMIT', 'sent c'])
  expect(ends).toEqual(['a', 'b', 'c'])
  expect(open.file.committed()).toEqual(['a', 'b', 'c'])
})

test.each([
  ['alone', ['later']],
  ['last', ['before', 'later']],
] as const)('join() undoes a work whose kept statements fail, and no other: %s', async (when, expected) => {
  using open = openPostingGroup()
  const before = when === 'last' ? open.post('before') : undefined
  const failing = open.post(null, when)
  const later = open.post('later')
  await expect(failing.committed).rejects.toThrow('no such table')
  await Promise.all([before?.committed, later.committed])
  expect(open.file.committed()).toEqual([...expected])
})

test('join() rejects a whole group when the kept statements of its last work fail', async () => {
  using open = openPostingGroup()
  const ends = await Promise.allSettled([open.post('before').committed, open.post(null, 'last').committed])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(open.file.connection.inTransaction()).toBe(false)
  await open.post('later', 'alone').committed
  expect(open.file.committed()).toEqual(['later'])
})
