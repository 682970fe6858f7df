import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../../src/base/index.ts'
import { type Database, openDatabase } from '../../../../src/db/index.ts'
import { listAudit } from '../../../../src/db/journal/index.ts'
import { checkBackup, restoreBackup, writeBackup } from '../../../../src/db/sqlite/backup/index.ts'
import { qpus } from '../../../../src/db/store/qpus/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const parts = { clock: new FakeClock(), log: silentLog }
const open = (dir: string) => openDatabase({ dir, ...parts })
const add = (db: Database, name: string) => db.write('add', (tx) => tx.insert(qpus, { name }))
const names = (db: Database) => db.read((tx) => tx.list(qpus).map(({ name }) => name))

/** A stopped database with one QPU and its backup, in its own folder. */
async function installation() {
  const folder = temporaryFolder()
  const dir = join(folder.path, 'data')
  const file = join(folder.path, 'backup.db')
  const db = await open(dir)
  await add(db, 'north')
  expect(await writeBackup(dir, file)).toEqual({ findings: [], isOlder: false })
  await add(db, 'south')
  await db.close()
  return { path: folder.path, dir, file, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

async function stored(dir: string): Promise<string[]> {
  const db = await open(dir)
  return names(db).finally(() => db.close())
}

describe('writeBackup()', () => {
  test('copies an open database at one moment into a file for its owner only', async () => {
    using lab = await installation()
    expect(statSync(lab.file).mode & 0o777).toBe(0o600)
    expect(readdirSync(lab.path).toSorted()).toEqual(['backup.db', 'data'])
    expect(checkBackup(lab.file)).toEqual({ findings: [], isOlder: false })
    using file = new Sqlite(lab.file, { readonly: true })
    expect(file.query('SELECT name FROM qpus').all()).toEqual([{ name: 'north' }])
  })

  test('calls onStage before each long phase', async () => {
    using lab = await installation()
    const stages: string[] = []
    await writeBackup(lab.dir, join(lab.path, 'again.db'), (text) => stages.push(text))
    await restoreBackup({ file: lab.file, dir: lab.dir, ...parts, onStage: (text) => stages.push(text) })
    expect(stages).toEqual([
      expect.stringMatching(/^copying \d+\.\d MB$/),
      expect.stringMatching(/^checking the copy of \d+\.\d MB$/),
      'writing the copy to the disk',
      'checking the backup',
      'copying it and bringing it up to date',
    ])
  })

  test('overwrites nothing and leaves nothing behind after a failure', async () => {
    using lab = await installation()
    const write = (target: string) => writeBackup(lab.dir, target)
    await expect(write(lab.file)).rejects.toThrow('backup.db exists; choose another name')
    await expect(write(join(lab.dir, 'svc.db'))).rejects.toThrow('svc.db exists')
    await expect(write(join(lab.path, 'none', 'b.db'))).rejects.toThrow(
      `Cannot write ${lab.path}/none/b.db: there is no folder ${lab.path}/none; create it first`,
    )
    await expect(writeBackup(lab.path, join(lab.path, 'b.db'))).rejects.toThrow('There is no database in')
    writeFileSync(join(lab.path, 'svc.db'), 'not a database at all'.repeat(100))
    await expect(writeBackup(lab.path, join(lab.path, 'b.db'))).rejects.toThrow('is damaged')
    expect(readdirSync(lab.path).toSorted()).toEqual(['backup.db', 'data', 'svc.db'])
  })

  test('reports the violated invariants, and keeps the copy', async () => {
    using lab = await installation()
    const db = await open(lab.dir)
    await db.write('break', (tx) =>
      tx.run(
        `INSERT INTO users (id, email, username, qpu_ms, created, updated)
         VALUES ('poor00000000000', 'p@example.org', 'p', 5, '', '')`,
      ),
    )
    await db.close()
    const target = join(lab.path, 'broken.db')
    expect((await writeBackup(lab.dir, target)).findings.map(({ id }) => id)).toEqual(['I11'])
    expect(existsSync(target)).toBe(true)
  })
})

describe('checkBackup()', () => {
  test('distinguishes a damaged file, a newer one and one of another program', async () => {
    using lab = await installation()
    const check = (name: string) => () => checkBackup(join(lab.path, name))
    expect(check('none.db')).toThrow('There is no file')
    const bytes = readFileSync(lab.file)
    const scribbled = Buffer.from(bytes)
    for (let page = 4096; page < scribbled.length; page += 4096) scribbled.fill(0x5a, page + 8, page + 200)
    writeFileSync(join(lab.path, 'scribbled.db'), scribbled)
    expect(check('scribbled.db')).toThrow(/scribbled\.db is damaged .*use another one/)
    writeFileSync(join(lab.path, 'short.db'), bytes.subarray(0, bytes.length - 8_192))
    expect(check('short.db')).toThrow('short.db is damaged')
    writeFileSync(join(lab.path, 'text.db'), 'hello'.repeat(1_000))
    expect(check('text.db')).toThrow('text.db is not a backup of svc, but other text')
    writeFileSync(join(lab.path, 'empty.db'), '')
    expect(check('empty.db')).toThrow('empty.db is not a backup of svc')
    const altered = (name: string, sql: string) => {
      writeFileSync(join(lab.path, name), bytes)
      using file = new Sqlite(join(lab.path, name))
      file.run(sql)
      return check(name)
    }
    expect(altered('newer.db', 'ALTER TABLE qpus ADD COLUMN color TEXT')).toThrow(
      'written by a newer version',
    )
    expect(altered('later.db', "INSERT INTO migrations VALUES (999, 'x', 'y', 'z')")).toThrow('newer version')
    expect(altered('older.db', 'ALTER TABLE qpus DROP COLUMN maintenance_reason')()).toEqual({
      findings: [],
      isOlder: true,
    })
  })
})

describe('restoreBackup()', () => {
  test('adds an entry to the restored audit log', async () => {
    using lab = await installation()
    await restoreBackup({ file: lab.file, dir: lab.dir, ...parts })
    const db = await open(lab.dir)
    const entries = await db.read((tx) => listAudit(tx, { limit: 10 }))
    expect(entries).toMatchObject([{ actor: 'cli', act: 'restore', subject: 'backup.db' }])
    await db.close()
  })

  test('replaces the database and keeps each replaced one under another name', async () => {
    using lab = await installation()
    const kept = join(lab.dir, 'svc.db.before-restore')
    expect(await restoreBackup({ ...lab, ...parts })).toEqual({ replaced: kept, findings: [] })
    expect(await stored(lab.dir)).toEqual(['north'])
    expect((await restoreBackup({ ...lab, ...parts })).replaced).toBe(`${kept}.2`)
    expect(await restoreBackup({ dir: lab.dir, file: kept, ...parts })).toMatchObject({ findings: [] })
    expect(await stored(lab.dir)).toEqual(['north', 'south'])
    expect(readdirSync(lab.dir).filter((name) => name.startsWith('restore-'))).toEqual([])
    expect(statSync(join(lab.dir, 'svc.db')).mode & 0o777).toBe(0o600)
  })

  test('fills a folder that has no database, and migrates an older one', async () => {
    using lab = await installation()
    using file = new Sqlite(lab.file)
    file.run('ALTER TABLE qpus DROP COLUMN maintenance_reason')
    file.close()
    const dir = join(lab.path, 'new')
    expect(await restoreBackup({ file: lab.file, dir, ...parts })).toEqual({
      replaced: undefined,
      findings: [],
    })
    expect(await stored(dir)).toEqual(['north'])
  })

  test('includes the last writes of a killed server in the database that it keeps', async () => {
    using lab = await installation()
    using file = new Sqlite(join(lab.dir, 'svc.db'))
    file.run("UPDATE qpus SET name = 'late' WHERE name = 'south'")
    const wal = readFileSync(join(lab.dir, 'svc.db-wal'))
    const before = readFileSync(join(lab.dir, 'svc.db'))
    file.close()
    writeFileSync(join(lab.dir, 'svc.db'), before)
    writeFileSync(join(lab.dir, 'svc.db-wal'), wal)
    const { replaced } = await restoreBackup({ ...lab, ...parts })
    expect(await stored(lab.dir)).toEqual(['north'])
    using kept = new Sqlite(replaced ?? '')
    expect(kept.query('SELECT name FROM qpus ORDER BY seq').all()).toEqual([
      { name: 'north' },
      { name: 'late' },
    ])
  })

  test('replaces a database that cannot be opened, and keeps it with its log', async () => {
    using lab = await installation()
    writeFileSync(join(lab.dir, 'svc.db'), 'x'.repeat(10_000))
    writeFileSync(join(lab.dir, 'svc.db-wal'), 'a log')
    const { replaced = '' } = await restoreBackup({ ...lab, ...parts })
    expect(await stored(lab.dir)).toEqual(['north'])
    expect(readFileSync(replaced, 'utf8')).toBe('x'.repeat(10_000))
    expect(readFileSync(`${replaced}-wal`, 'utf8')).toBe('a log')
  })

  test('changes nothing when a server runs, or the backup is damaged, newer or the database itself', async () => {
    using lab = await installation()
    const restoring = (file: string) => restoreBackup({ dir: lab.dir, file, ...parts })
    await expect(restoring(join(lab.dir, 'svc.db'))).rejects.toThrow('is the database itself')
    const db = await open(lab.dir)
    await expect(restoring(lab.file)).rejects.toMatchObject({ reason: 'folder_in_use' })
    await db.close()
    const bytes = readFileSync(lab.file)
    const newer = join(lab.path, 'newer.db')
    writeFileSync(newer, bytes)
    using file = new Sqlite(newer)
    file.run('CREATE TABLE news (x)')
    file.close()
    await expect(restoring(newer)).rejects.toMatchObject({ reason: 'database_newer' })
    truncateSync(lab.file, bytes.length - 4_096)
    await expect(restoring(lab.file)).rejects.toMatchObject({ reason: 'database_damaged' })
    expect(await stored(lab.dir)).toEqual(['north', 'south'])
    expect(readdirSync(lab.dir).toSorted()).toEqual(['svc.db', 'svc.db-shm', 'svc.lock'])
  })
})
