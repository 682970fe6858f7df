import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { checkInvariants, openDatabase, type ReadTx, type Schema } from '../../../src/db/index.ts'
import { defineCollection } from '../../../src/db/schema/collection.ts'
import { choice, integer, relation, text } from '../../../src/db/schema/fields/index.ts'
import type { Migration } from '../../../src/db/schema/migrate.ts'
import {
  type AttemptResult,
  attemptsOf,
  cancelJob,
  quantumJobs,
  requeueJob,
  requeueLost,
  timelineOf,
} from '../../../src/db/store/jobs/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { dropJobChecks, splitJobs } from '../../support/faults/earlier-schema.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { endNow, JobLab, RESULTS } from '../../support/server/job-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const rules = { list: null, view: null, create: null, update: null, remove: null }
const boxes = defineCollection({ name: 'boxes', fields: { label: text(), size: integer() }, rules })
const renamed = defineCollection({ name: 'boxes', fields: { title: text(), size: integer() }, rules })
const rename: Migration = {
  id: 1,
  name: 'rename-label',
  statements: ['ALTER TABLE boxes RENAME COLUMN label TO title', 'UPDATE boxes SET size = size * 10'],
}

function open(dir: string, collections: Schema['collections'], migrations: Migration[] = []) {
  return openDatabase({ dir, clock: new FakeClock(), log: silentLog }, { collections, migrations })
}

async function seeded(dir: string): Promise<void> {
  const db = await open(dir, [boxes])
  await db.write('add', (tx) => tx.insert(boxes, { label: 'red', size: 2 }))
  await db.close()
}

describe('migrate()', () => {
  test('moves data once, after a copy of the database', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    for (let start = 0; start < 2; start++) {
      const db = await open(folder.path, [renamed], [rename])
      expect(await db.read((tx) => tx.list(renamed))).toMatchObject([{ title: 'red', size: 20 }])
      expect(
        await db.read((tx) => tx.all('SELECT id, name, length(hash) AS length FROM migrations')),
      ).toEqual([{ id: 1, name: 'rename-label', length: 64 }])
      await db.close()
    }
    const copy = new Sqlite(join(folder.path, 'svc.db.before-0001'), { readonly: true })
    expect(copy.query('SELECT label, size FROM boxes').all()).toEqual([{ label: 'red', size: 2 }])
    copy.close()
    expect(existsSync(join(folder.path, 'svc.db.before-0001.tmp'))).toBe(false)
  })

  test('changes what a column accepts, and keeps its values', async () => {
    using folder = temporaryFolder()
    const colored = (...colors: string[]) =>
      defineCollection({
        name: 'boxes',
        fields: { label: choice(['red', ...colors], { default: 'red' }), size: integer() },
        rules,
      })
    const before = await open(folder.path, [colored()])
    await before.write('add', (tx) => tx.insert(colored(), { label: 'red', size: 2 }))
    await before.close()
    const changed = `"label" TEXT NOT NULL DEFAULT 'red' CHECK ("label" IN ('red', 'blue'))`
    const migration = { id: 1, name: 'blue', statements: [{ table: 'boxes', changed }] }
    const db = await open(folder.path, [colored('blue')], [migration])
    await db.write('add', (tx) => tx.insert(colored('blue'), { label: 'blue', size: 3 }))
    expect(await db.read((tx) => tx.list(colored('blue')).map(({ label }) => label))).toEqual(['red', 'blue'])
    await expect(db.write('no', (tx) => tx.run("UPDATE boxes SET label = 'green'"))).rejects.toThrow('label')
    await db.close()
  })

  test('only records migrations on a new database', async () => {
    using folder = temporaryFolder()
    const db = await open(folder.path, [renamed], [rename])
    expect(await db.read((tx) => tx.all('SELECT id FROM migrations'))).toEqual([{ id: 1 }])
    await db.close()
    expect(existsSync(join(folder.path, 'svc.db.before-0001'))).toBe(false)
  })

  test('rolls a migration that fails back completely, and can run it again', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    const failing = { ...rename, statements: [...rename.statements, 'INSERT INTO nowhere VALUES (1)'] }
    await expect(open(folder.path, [renamed], [failing])).rejects.toThrow('no such table: nowhere')
    const db = await open(folder.path, [boxes])
    expect(await db.read((tx) => tx.list(boxes))).toMatchObject([{ label: 'red', size: 2 }])
    await db.close()
    await (await open(folder.path, [renamed], [rename])).close()
  })

  test('rejects a migration that would break references, and enables foreign keys again', async () => {
    using folder = temporaryFolder()
    const lids = defineCollection({
      name: 'lids',
      fields: { box: relation('boxes', { required: true }) },
      rules,
    })
    const first = await open(folder.path, [boxes, lids])
    await first.write('add', (tx) => tx.insert(lids, { box: tx.insert(boxes, { label: 'red' }).id }))
    await first.close()
    const drop: Migration = { id: 1, name: 'drop-boxes', statements: ['DELETE FROM boxes'] }
    const opening = open(folder.path, [boxes, lids], [drop])
    await expect(opening).rejects.toThrow(
      'would leave 1 broken reference(s): lids → boxes; nothing was changed',
    )
    const db = await open(folder.path, [boxes, lids])
    expect(await db.read((tx) => tx.list(boxes))).toHaveLength(1)
    await expect(db.write('drop', (tx) => tx.run('DELETE FROM boxes'))).rejects.toThrow('FOREIGN KEY')
    await db.close()
  })

  test('runs a statement about a table unless the database is older than the table', async () => {
    using folder = temporaryFolder()
    const first = await open(folder.path, [boxes])
    await first.write('add', (tx) => tx.insert(boxes, { label: 'red' }))
    await first.close()
    const statementOf = (table: string) => ({ table, statement: `DELETE FROM ${table}` })
    const clear: Migration = { id: 1, name: 'clear', statements: ['boxes', 'lids'].map(statementOf) }
    const db = await open(folder.path, [boxes], [clear])
    expect(await db.read((tx) => tx.list(boxes))).toHaveLength(0)
    await db.close()
  })

  test('rejects a database of a newer version', async () => {
    using folder = temporaryFolder()
    await (await open(folder.path, [boxes], [rename])).close()
    const opening = open(folder.path, [boxes])
    await expect(opening).rejects.toMatchObject({ code: 'internal', reason: 'database_newer' })
    await expect(opening).rejects.toThrow('migration 1 rename-label')
  })

  test('names the copy that an older version can restore', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    await (await open(folder.path, [renamed], [rename])).close()
    const copy = join(folder.path, 'svc.db.before-0001')
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    await expect(open(folder.path, [boxes])).rejects.toThrow(`svc restore ${copy}`)
  })

  test('copies the database before it adds tables or columns without a migration', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    const fields = { label: text(), size: integer(), color: text() }
    const wider = defineCollection({ name: 'boxes', fields, rules })
    for (let start = 0; start < 2; start++) await (await open(folder.path, [wider])).close()
    const copies = readdirSync(folder.path).filter((name) => name.includes('.before-'))
    expect(copies).toHaveLength(1)
    const path = join(folder.path, copies[0] ?? '')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const copy = new Sqlite(path, { readonly: true })
    expect(copy.query('SELECT label, size FROM boxes').all()).toEqual([{ label: 'red', size: 2 }])
    copy.close()
    await expect(open(folder.path, [boxes])).rejects.toThrow('start that version or restore the copy')
  })

  test('rejects a migration whose text has changed since it ran', async () => {
    using folder = temporaryFolder()
    await (await open(folder.path, [boxes], [rename])).close()
    const edited = { ...rename, statements: ['UPDATE boxes SET size = 0'] }
    await expect(open(folder.path, [boxes], [edited])).rejects.toMatchObject({ reason: 'migration_changed' })
  })

  test('leaves the old database when the process is killed during a migration', async () => {
    using folder = temporaryFolder()
    await seeded(folder.path)
    const slow = [
      'UPDATE boxes SET size = 99',
      `INSERT INTO boxes (id, label, created, updated)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)
       SELECT 'n' || i, hex(randomblob(200)), '', '' FROM n`,
    ]
    const child = Bun.spawn([
      process.execPath,
      `${import.meta.dir}/migrate.child.ts`,
      folder.path,
      JSON.stringify(slow),
    ])
    // The log grows only after the slow statement has begun to write pages.
    const wal = Bun.file(join(folder.path, 'svc.db-wal'))
    await until('the log to grow', async () => (await wal.stat()).size >= 1_000_000)
    child.kill('SIGKILL')
    await child.exited
    const db = await open(folder.path, [boxes])
    expect(await db.read((tx) => tx.list(boxes))).toMatchObject([{ label: 'red', size: 2 }])
    await db.close()
  })
})

/** One bad row for each rule of the seventh migration, and what the message says of it. */
const BAD_JOBS = [
  {
    set: "status = 'completed', attempt = 1",
    says: 'A job has finished_at exactly if it is completed, failed or cancelled, but not in quantum_jobs: bad (status "completed", finished_at "")',
  },
  { set: "status = 'cancelled'", says: 'bad (status "cancelled", finished_at "")' },
  { set: "finished_at = '2026-01-31'", says: 'bad (status "pending", finished_at "2026-01-31")' },
  {
    set: "started_at = '2026-01-31'",
    says: 'A pending job has no started_at, but not in quantum_jobs: bad (status "pending", started_at "2026-01-31")',
  },
  {
    set: "driver = 'd'",
    says: 'A pending job has no driver, but not in quantum_jobs: bad (status "pending", driver "d")',
  },
  {
    set: "status = 'running'",
    says: 'A running job has an attempt, but not in quantum_jobs: bad (status "running", attempt 0)',
  },
]

describe('the checks of jobs', () => {
  test.each(BAD_JOBS)(
    'the migration names a row with $set and changes nothing; the table takes none',
    async ({ set, says }) => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'svc.db')
      const current = { dir: folder.path, clock: new FakeClock(), log: silentLog }
      await (await openDatabase(current)).close()
      const older = new Sqlite(path)
      dropJobChecks(older)
      older.run('DELETE FROM migrations WHERE id > 5')
      older.run("INSERT INTO quantum_jobs (id, created, updated) VALUES ('good', '', ''), ('bad', '', '')")
      const breakRow = `UPDATE quantum_jobs SET ${set} WHERE id = 'bad'`
      older.run(breakRow)
      const dump = () =>
        older
          .query('SELECT * FROM sqlite_master')
          .all()
          .concat(
            older.query('SELECT * FROM quantum_jobs').all(),
            older.query('SELECT * FROM migrations').all(),
          )
      const before = dump()
      const opening = openDatabase(current)
      await expect(opening).rejects.toMatchObject({ code: 'internal', reason: 'migration_failed' })
      await expect(opening).rejects.toThrow(
        `Migration 7 job-checks found rows that break a rule, and nothing was changed. `,
      )
      await expect(opening).rejects.toThrow(says)
      expect(dump()).toEqual(before)
      expect(readdirSync(folder.path).filter((name) => name.includes('.before-'))).toEqual([])
      older.run("DELETE FROM quantum_jobs WHERE id = 'bad'")
      older.close()
      const db = await openDatabase(current)
      await db.write('again', (tx) => tx.run("UPDATE quantum_jobs SET id = 'bad' WHERE id = 'good'"))
      await expect(db.write('break', (tx) => tx.run(breakRow))).rejects.toThrow(
        'CHECK constraint failed: quantum_jobs_',
      )
      await db.close()
    },
  )

  test('of many rows the first 20 are named', async () => {
    using folder = temporaryFolder()
    const current = { dir: folder.path, clock: new FakeClock(), log: silentLog }
    await (await openDatabase(current)).close()
    const older = new Sqlite(join(folder.path, 'svc.db'))
    dropJobChecks(older)
    older.run('DELETE FROM migrations WHERE id = 7')
    older.run(
      `INSERT INTO quantum_jobs (id, driver, created, updated)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT 'j' || i, 'd', '', '' FROM n`,
    )
    older.close()
    await expect(openDatabase(current)).rejects.toThrow('j20 (status "pending", driver "d"); and 5 more')
  })
})

test('the migrations bring a database of the first schema up to date', async () => {
  using folder = temporaryFolder()
  const current = { dir: folder.path, clock: new FakeClock(), log: silentLog }
  await (await openDatabase(current)).close()
  const old = new Sqlite(join(folder.path, 'svc.db'))
  dropJobChecks(old)
  const [{ sql } = { sql: '' }] = old
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_master WHERE name = 'job_attempts'")
    .all()
  old.run('DROP TABLE job_attempts')
  old.run(sql.replace(", 'requeued'", ''))
  old.run('ALTER TABLE calibration_results DROP COLUMN status')
  old.run(
    `ALTER TABLE calibration_results ADD COLUMN status TEXT NOT NULL DEFAULT ''
       CHECK (status IN ('', 'success', 'partial_failure', 'failed'))`,
  )
  old.run("INSERT INTO calibration_results (id, status, created, updated) VALUES ('r1', 'failed', '', '')")
  const abort = "UPDATE calibration_results SET status = 'aborted' WHERE status = 'failed'"
  expect(() => old.run(abort)).toThrow('CHECK')
  old.run('ALTER TABLE external_auths RENAME COLUMN "recordRef" TO "user"')
  old.run('ALTER TABLE external_auths RENAME COLUMN "providerId" TO "provider_id"')
  old.run('DROP TABLE user_bytes')
  old.run('DROP TABLE qpu_usage')
  old.run("INSERT INTO users (id, created, updated) VALUES ('u', '', '')")
  old.run(
    `INSERT INTO quantum_jobs (id, user_id, payload, created, updated)
     VALUES ('small', 'u', '"ä"', '', ''), ('large', 'u', NULL, '', ''), ('foreign', '', '"a"', '', '')`,
  )
  old.run("INSERT INTO quantum_jobs_large VALUES ('large', 'results', '0123456789')")
  old.run("INSERT INTO quantum_jobs (id, status, created, updated) VALUES ('moved', 'failed', '', 'then')")
  old.run("INSERT INTO job_timeline (id, job, at, event) VALUES ('t1', 'moved', '', 'imported')")
  old.run('DELETE FROM migrations')
  const add = (attempt: number, state: string) =>
    old.run(
      `INSERT INTO job_attempts (id, job, attempt, driver, qpu, epoch, state, claimed_at)
       VALUES ('a${attempt}', 'j', ${attempt}, 'd', 'q', 1, '${state}', '')`,
    )
  add(1, 'lost')
  expect(() => add(2, 'requeued')).toThrow('CHECK')
  old.close()
  const db = await openDatabase(current)
  await db.write('requeue', (tx) => tx.run("UPDATE job_attempts SET state = 'requeued'"))
  const rows = await db.read((tx) => tx.all('SELECT job, attempt, state FROM job_attempts'))
  expect(rows).toEqual([{ job: 'j', attempt: 1, state: 'requeued' }])
  const moved = await db.read((tx) => tx.one("SELECT finished_at FROM quantum_jobs WHERE id = 'moved'"))
  expect(moved).toEqual({ finished_at: 'then' })
  await db.write('abort', (tx) => tx.run(abort))
  expect(await db.read((tx) => tx.all('SELECT id, status FROM calibration_results'))).toEqual([
    { id: 'r1', status: 'aborted' },
  ])
  const bytes = await db.read((tx) => tx.all('SELECT id, job_bytes AS bytes FROM users'))
  expect(bytes).toEqual([{ id: 'u', bytes: 2 * 1_024 + '"ä"'.length + 1 + 10 }])
  await db.close()
})

test.skipIf(onlySqlite('its file'))(
  'jobs in every state keep their attempts and events when these move into their rows',
  async () => {
    const lab = await JobLab.open()
    const user = await lab.user()
    const ended = async (outcome: AttemptResult['outcome'], isLost = false) => {
      const attempt = await lab.running(user)
      await lab.clock.advance(1_000)
      await lab.db.write('end', (tx) => {
        if (isLost) requeueLost(tx, { ...attempt, reason: 'silence' }, { maxAttempts: 3 })
      })
      await lab.clock.advance(1_000)
      await lab.db.write('end', (tx) =>
        endNow(tx, { ...attempt, executionMs: 5, outcome }, { maxAttempts: 3 }),
      )
    }
    const completed = { kind: 'completed', results: RESULTS } as const
    await ended(completed)
    await ended(completed, true)
    await ended({ kind: 'failed', class: 'user', results: { error: 'no "such" gate' } })
    await ended({ kind: 'failed', class: 'device', results: { error: 'warm' } })
    const { job } = await lab.running(user)
    await lab.db.write('requeue', (tx) => requeueJob(tx, { job, actor: 'test', reason: 'a, b' }))
    await lab.running(user)
    const cancelled = await lab.submit(user)
    await lab.db.write('cancel', (tx) => cancelJob(tx, cancelled.id))
    const read = (tx: ReadTx) =>
      tx.list(quantumJobs).map(({ id, status, attempt }) => {
        return { id, status, attempt, attempts: tx.read(attemptsOf(id)), events: tx.read(timelineOf(id)) }
      })
    const before = await lab.db.read(read)
    expect(before.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'failed',
      'pending',
      'pending',
      'running',
      'cancelled',
    ])
    await lab.db.close()
    const old = new Sqlite(join(lab.dir, 'svc.db'))
    splitJobs(old)
    old.close()
    const db = await openDatabase({ dir: lab.dir, clock: lab.clock, log: silentLog })
    expect(await db.read(read)).toEqual(before)
    expect(await db.read((tx) => checkInvariants(tx))).toEqual([])
    await db.close()
  },
)
