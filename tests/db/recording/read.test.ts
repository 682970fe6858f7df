import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { openDatabase } from '../../../src/db/index.ts'
import { readRecording } from '../../../src/db/recording/index.ts'
import { writeBackup } from '../../../src/db/sqlite/backup/index.ts'
import { postLedger } from '../../../src/db/store/accounts/index.ts'
import { cancelJob, holdJob, requeueLost } from '../../../src/db/store/jobs/index.ts'
import { setDraining, setMaintenance, setQpuEnabled } from '../../../src/db/store/qpus/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { claimNow, JobLab } from '../../support/server/job-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('readRecording()', () => {
  test('reads the submissions, run times, switches and grants of each user', async () => {
    await using lab = await JobLab.open()
    const [qpu, unused] = [await lab.qpu({ numQubits: 5 }), await lab.qpu()]
    const server = await lab.attach(qpu.driver)
    const [user, start] = [await lab.user(100), lab.clock.now()]
    const job = await lab.submit(user, qpu.id)
    const taken = await lab.submit(user)
    await lab.clock.advance(1_000)
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    await lab.clock.advance(2_000)
    const lost = { job: job.id, attempt: 1, driver: server.driver, reason: 'test' }
    await lab.db.write('lose', (tx) => requeueLost(tx, lost, { maxAttempts: 0 }))
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    await lab.db.write('hold', (tx) => holdJob(tx, { job: taken.id, actor: 'test', reason: '' }))
    await lab.db.write('cancel', (tx) => cancelJob(tx, taken.id))
    await lab.clock.advance(500)
    await lab.complete(job.id)
    await lab.db.write('grant', (tx) =>
      postLedger(tx, { user: user.id, kind: 'admin', sourceId: 'act', deltaMs: 7_000 }),
    )
    await setDraining(lab.db, 'test', qpu.id, { draining: true, reason: '' })
    await setMaintenance(lab.db, 'test', qpu.id, true, 'new pump')
    await setQpuEnabled(lab.db, 'test', qpu.id, false)
    const now = start + 3_500
    const recording = readRecording(lab.place)
    expect(recording).toMatchObject({
      ...{ from: start, to: now, slots: [] },
      users: [
        {
          ...{ id: user.id, unlimited: false },
          credits: [
            { at: start, deltaMs: 100_000 },
            { at: now, deltaMs: 7_000 },
          ],
        },
      ],
      jobs: [
        {
          ...{
            id: job.id,
            user: user.id,
            target: qpu.id,
            needs: { qubits: 2, shots: 0, executions: 0, features: 0 },
            submittedAt: start,
            cancelledAt: undefined,
          },
          attempts: [
            { qpu: qpu.id, startedAt: start + 1_000, ms: 2_000, end: 'lost', chargedMs: 0 },
            { qpu: qpu.id, startedAt: start + 3_000, ms: 500, end: 'ok', chargedMs: 10 },
          ],
        },
        {
          id: taken.id,
          target: '',
          cancelledAt: start + 3_000,
          attempts: [],
          actions: [{ at: start + 3_000, act: 'held' }],
        },
      ],
    })
    const found = recording.qpus.map(({ qpu: { id, enabled, maintenance }, usedFrom, changes }) => ({
      ...{ id, enabled, maintenance, usedFrom, changes },
    }))
    expect(found).toEqual([
      { id: unused.id, enabled: true, maintenance: false, usedFrom: undefined, changes: [] },
      {
        ...{ id: qpu.id, enabled: true, maintenance: false, usedFrom: start },
        changes: [
          { at: now, patch: { draining: true } },
          { at: now, patch: { maintenance: true } },
          { at: now, patch: { enabled: false } },
        ],
      },
    ])
  })

  test('ignores a change of a switch to its current state', async () => {
    await using lab = await JobLab.open()
    const { id, driver } = await lab.qpu()
    const server = await lab.attach(driver)
    const job = await lab.submit(await lab.user(), id)
    await lab.db.write('claim', (tx) => claimNow(tx, job.id, server))
    await lab.clock.advance(1_000)
    await setQpuEnabled(lab.db, 'test', id, true)
    await setMaintenance(lab.db, 'test', id, false, '')
    await setDraining(lab.db, 'test', id, { draining: false, reason: '' })
    const [{ qpu } = {}] = readRecording(lab.place).qpus
    expect(qpu).toMatchObject({ enabled: true, maintenance: false, draining: false })
  })

  test('has jobs in the order of their submission, also when an import brought older ones later', async () => {
    await using lab = await JobLab.open()
    const user = await lab.user()
    const [newer, older] = [await lab.submit(user), await lab.submit(user)]
    const at = '2020-01-01 00:00:00.000Z'
    await lab.db.write('date back', (tx) =>
      tx.run('UPDATE quantum_jobs SET created = $at WHERE id = $id', { at, id: older.id }),
    )
    const { jobs, from, to } = readRecording(lab.place)
    expect(jobs.map(({ id }) => id)).toEqual([older.id, newer.id])
    expect([from, to]).toEqual([Date.UTC(2020, 0), lab.clock.now()])
  })

  test('reads the submissions of a time range; other charges are part of the balances', async () => {
    await using lab = await JobLab.open()
    const server = await lab.attach((await lab.qpu()).driver)
    const user = await lab.user(100)
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const { id } = await lab.submit(user)
      await lab.db.write('claim', (tx) => claimNow(tx, id, server))
      await lab.clock.advance(10)
      await lab.complete(id)
      await lab.clock.advance(990)
      ids.push(id)
    }
    const now = lab.clock.now()
    const { jobs, users } = readRecording(lab.place, { since: now - 2_000, until: now - 1_000 })
    expect(jobs.map(({ id }) => id)).toEqual(ids.slice(1, 2))
    expect(users[0]?.credits.map(({ deltaMs }) => deltaMs)).toEqual([100_000, -10, -10])
  })

  test.skipIf(onlySqlite('its file'))(
    'reads the file of a running server, copies of it and backups, and writes nothing next to them',
    async () => {
      await using lab = await JobLab.open()
      using folder = temporaryFolder()
      const { id } = await lab.submit(await lab.user())
      const live = join(lab.dir, 'svc.db')
      const inFolder = (name: string) => join(folder.path, name)
      mkdirSync(inFolder('whole'))
      for (const end of ['', '-wal']) copyFileSync(live + end, inFolder(`whole/copy.db${end}`))
      await writeBackup(lab.dir, inFolder('backup.db'))
      const before = [live, ...listed(folder.path), ...listed(lab.dir)]
      for (const path of [live, lab.dir, inFolder('whole/copy.db'), inFolder('backup.db')]) {
        expect(readRecording({ path }).jobs.map((job) => job.id)).toEqual([id])
      }
      expect([live, ...listed(folder.path), ...listed(lab.dir)]).toEqual(before)
    },
  )

  test('reads the bare file that a stopped server left, and writes nothing next to it', async () => {
    using folder = temporaryFolder()
    const db = await openDatabase({ dir: folder.path, clock: new FakeClock(), log: silentLog })
    await db.close()
    mkdirSync(join(folder.path, 'bare'))
    const copy = join(folder.path, 'bare/svc.db')
    copyFileSync(join(folder.path, 'svc.db'), copy)
    expect(readRecording({ path: copy })).toMatchObject({ from: 0, to: 0, jobs: [] })
    expect(listed(join(folder.path, 'bare'))).toEqual(['svc.db'])
  })

  test('leaves no partial copy behind', async () => {
    using folder = temporaryFolder()
    const db = await openDatabase({ dir: folder.path, clock: new FakeClock(), log: silentLog })
    await db.close()
    // A log that cannot be copied, as on a full disk.
    mkdirSync(join(folder.path, 'svc.db-wal'))
    using temporary = temporaryFolder()
    const before = process.env['TMPDIR'] ?? tmpdir()
    process.env['TMPDIR'] = temporary.path
    try {
      expect(() => readRecording({ path: folder.path })).toThrow()
    } finally {
      process.env['TMPDIR'] = before
    }
    expect(listed(temporary.path)).toEqual([])
  })

  test('rejects a file that is not a database of this version, with a remedy', () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'thing.db')
    expect(() => readRecording({ path })).toThrow(`There is no file ${path}`)
    expect(() => readRecording({ path: folder.path })).toThrow(`There is no svc.db in ${folder.path}`)
    writeFileSync(path, '')
    expect(() => readRecording({ path })).toThrow(`${path} is not a database of svc`)
    writeFileSync(path, 'this is no database at all, by far'.repeat(100))
    expect(() => readRecording({ path })).toThrow('is not a database of svc, but ')
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})

function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}
