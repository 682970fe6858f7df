import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { openDatabase } from '../../../src/db/index.ts'
import { openConnection, quickCheck } from '../../../src/db/sqlite/connection.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('openConnection()', () => {
  test('sets every pragma of the reliability rules', () => {
    using folder = temporaryFolder()
    const connection = openConnection(join(folder.path, 'x.db'), 'write')
    const responses = [
      'busy_timeout',
      'journal_mode',
      'synchronous',
      'foreign_keys',
      'trusted_schema',
      'cell_size_check',
      'journal_size_limit',
      'temp_store',
    ].map((name) => Object.values(connection.one<object>(`PRAGMA ${name}`) ?? {})[0])
    connection.close()
    expect(responses).toEqual([5_000, 'wal', 2, 1, 0, 1, 67_108_864, 2])
  })

  test('maps a full disk to storage_full, rolls the whole transaction back and continues to read', () => {
    using folder = temporaryFolder()
    const connection = openConnection(join(folder.path, 'x.db'), 'write')
    connection.run('CREATE TABLE t (a TEXT) STRICT')
    const pages = connection.one<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
    connection.one(`PRAGMA max_page_count = ${pages + 2}`)
    const fill = () =>
      connection.transaction('write', () => {
        connection.run("INSERT INTO t VALUES ('small')")
        connection.run('INSERT INTO t VALUES ($a)', { a: 'x'.repeat(50_000) })
      })
    expect(fill).toThrow(expect.objectContaining({ code: 'storage_full', reason: 'storage_full' }))
    expect(connection.all('SELECT a FROM t')).toEqual([])
    connection.one(`PRAGMA max_page_count = ${pages + 1_000}`)
    fill()
    expect(connection.all('SELECT a FROM t')).toHaveLength(2)
    connection.close()
  })

  test('passes errors in statements through unchanged', () => {
    using folder = temporaryFolder()
    const connection = openConnection(join(folder.path, 'x.db'), 'write')
    expect(() => connection.run('SELEKT 1')).toThrow('syntax error')
    connection.close()
  })

  test('caches a limited number of statements', () => {
    using folder = temporaryFolder()
    const connection = openConnection(join(folder.path, 'x.db'), 'write')
    for (let each = 0; each < 1_200; each++) connection.one(`SELECT ${each} AS n`)
    expect(connection.one('SELECT 0 AS n')).toEqual({ n: 0 })
    connection.close()
  })
})

test('quickCheck() reports the damage in one line', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'x.db')
  const connection = openConnection(path, 'write')
  connection.run('CREATE TABLE t (a TEXT) STRICT')
  for (const a of ['first', 'second', 'third']) connection.run('INSERT INTO t VALUES ($a)', { a })
  connection.close()
  const bytes = await Bun.file(path).bytes()
  // The second page is the table; its first row replaces the second
  // (sqlite.org/fileformat.html#b_tree_pages).
  bytes.copyWithin(4_096 + 10, 4_096 + 8, 4_096 + 10)
  writeFileSync(path, bytes)
  const damaged = openConnection(path, 'write')
  expect(() => quickCheck(damaged)).toThrow(/^.*Rowid 1 out of order.*restore a backup.*$/)
  damaged.close()
})

describe('openDatabase()', () => {
  const open = (dir: string) => openDatabase({ dir, clock: new FakeClock(), log: silentLog })

  async function fill(dir: string): Promise<string> {
    const db = await open(dir)
    await db.write('fill', (tx) => {
      for (let each = 0; each < 500; each++)
        tx.insert(qpus, { name: `qpu_${each}`, executor_type: 'x'.repeat(90) })
    })
    await db.close()
    return join(dir, 'svc.db')
  }

  test('rejects a file that is not a database, with the remedy', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'svc.db'), 'not a database at all '.repeat(500))
    const opening = open(folder.path)
    await expect(opening).rejects.toMatchObject({ code: 'internal', reason: 'database_damaged' })
    await expect(opening).rejects.toThrow(/svc\.db is damaged .*restore a backup: svc restore BACKUP/)
  })

  test('rejects a file with overwritten pages and leaves the folder unlocked', async () => {
    using folder = temporaryFolder()
    const path = await fill(folder.path)
    const handle = openSync(path, 'r+')
    const pages = Math.floor(statSync(path).size / 4_096)
    for (let page = 2; page < pages; page += 3)
      writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096)
    closeSync(handle)
    await expect(open(folder.path)).rejects.toMatchObject({ reason: 'database_damaged' })
    // The error is again about the file, not about the lock.
    await expect(open(folder.path)).rejects.toMatchObject({ reason: 'database_damaged' })
  })

  test('rejects a file that was cut off', async () => {
    using folder = temporaryFolder()
    const path = await fill(folder.path)
    const bytes = await Bun.file(path).bytes()
    writeFileSync(path, bytes.slice(0, 4_096 * 5))
    await expect(open(folder.path)).rejects.toMatchObject({ reason: 'database_damaged' })
  })

  test('ignores a write-ahead log with garbage behind its last commit', async () => {
    using folder = temporaryFolder()
    const db = await open(folder.path)
    await db.write('add', (tx) => tx.insert(qpus, { name: 'north' }))
    // As after a crash: the log exists, and its tail is torn.
    const wal = join(folder.path, 'svc.db-wal')
    const copy = join(folder.path, 'copy')
    await Bun.write(join(copy, 'svc.db'), Bun.file(join(folder.path, 'svc.db')))
    await Bun.write(
      join(copy, 'svc.db-wal'),
      new Blob([await Bun.file(wal).bytes(), Buffer.alloc(3_000, 0xa5)]),
    )
    await db.close()
    const again = await open(copy)
    expect(await again.read((tx) => tx.list(qpus).map((qpu) => qpu.name))).toEqual(['north'])
    await again.close()
  })

  test('rejects a folder that cannot be created, or has no database although one is required', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'file')
    writeFileSync(file, '')
    await expect(open(join(file, 'data'))).rejects.toThrow('Cannot create the data folder')
    const missing = openDatabase({ dir: folder.path, clock: new FakeClock(), log: silentLog, create: false })
    await expect(missing).rejects.toMatchObject({ code: 'not_found', reason: 'no_database' })
    expect(existsSync(join(folder.path, 'svc.db'))).toBe(false)
    writeFileSync(join(folder.path, 'svc.lock'), 'garbage '.repeat(200))
    await expect(open(folder.path)).rejects.toThrow('remove svc.lock in it')
  })

  test('reports another program that writes as unavailable', () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'x.db')
    const [one, other] = [openConnection(path, 'write'), openConnection(path, 'write')]
    other.one('PRAGMA busy_timeout = 0')
    one.transaction('write', () => {
      expect(() => other.transaction('write', () => 1)).toThrow(
        expect.objectContaining({ code: 'unavailable', reason: 'database_busy' }),
      )
    })
    expect(other.transaction('write', () => 1)).toBe(1)
    one.close()
    other.close()
  })

  test('creates its folder for the owner only', async () => {
    using folder = temporaryFolder()
    const dir = join(folder.path, 'deep', 'data')
    await (await open(dir)).close()
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    const file = new Sqlite(join(dir, 'svc.db'), { readonly: true })
    expect(file.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    file.close()
  })
})
