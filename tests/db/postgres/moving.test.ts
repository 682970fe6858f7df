import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { type DatabasePlace, openDatabase, openServerDatabase, readDatabase } from '../../../src/db/index.ts'
import { appendAudit, readAuditChain } from '../../../src/db/journal/index.ts'
import { readRecording } from '../../../src/db/recording/index.ts'
import { type AttemptResult, cancelJob, quantumJobs, requeueLost } from '../../../src/db/store/jobs/index.ts'
import {
  importRecords,
  importWhole,
  isWholeDatabase,
  toJsonLines,
  wholeDatabase,
} from '../../../src/db/transfer/index.ts'
import { openOnServer, openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
import { endNow, JobLab, RESULTS } from '../../support/server/job-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { exported, NO_JOBS, problemsOf, seed } from '../transfer/support.ts'

const START_MS = 60_000

async function move(lines: string, to: TestDatabase): Promise<string> {
  const path = join(to.dir, 'in.jsonl')
  writeFileSync(path, lines)
  expect(await importRecords(to.db, { path, readPayload: NO_JOBS })).toMatchObject({ errors: [] })
  expect(await problemsOf(to.db)).toEqual([])
  expect(readDatabase(to.place, 0, (tx) => readAuditChain(tx))).toMatchObject({
    entries: 1,
    broken: undefined,
  })
  return exported(to.place)
}

/** Jobs in every state, among them one with lost and repeated attempts. */
async function seedStates(lab: JobLab): Promise<void> {
  const user = await lab.user()
  const ended = async (outcome: AttemptResult['outcome'], isLost = false) => {
    const attempt = await lab.running(user)
    await lab.clock.advance(1_000)
    await lab.db.write('end', (tx) => {
      if (isLost) requeueLost(tx, { ...attempt, reason: 'silence' }, { maxAttempts: 3 })
      else endNow(tx, { ...attempt, executionMs: 5, outcome }, { maxAttempts: 3 })
    })
  }
  const completed = { kind: 'completed', results: RESULTS } as const
  await ended(completed)
  await ended(completed, true)
  await ended({ kind: 'failed', class: 'user', results: { error: 'no "such" gate' } })
  await lab.running(user)
  const cancelled = await lab.submit(user)
  await lab.db.write('cancel', (tx) => cancelJob(tx, cancelled.id))
  await lab.submit(user)
  await lab.db.write('note', (tx) =>
    appendAudit(tx, {
      actor: 'test',
      action: 'job.hold',
      subject: cancelled.id,
      detail: { reason: 'ü "x"' },
    }),
  )
  await lab.db.write('meta', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('some key', 'a secret')"))
}

/** The whole of a database as lines. */
async function whole(place: DatabasePlace): Promise<string> {
  return (await Array.fromAsync(toJsonLines(wholeDatabase(place)))).join('')
}

describe.skipIf(postgresMissing !== undefined)('moving', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  }, START_MS)
  afterAll(() => server?.[Symbol.asyncDispose]())

  test(
    'from a file to PostgreSQL and back keeps every record; only a running job waits again',
    async () => {
      await using file = await openTestDatabase()
      await seed(file.db)
      const before = await exported(file.place)
      await file.db.write('run', (tx) => {
        const [{ id } = { id: '' }] = tx.all<{ id: string }>(
          "SELECT id FROM quantum_jobs WHERE status = 'pending'",
        )
        const { updated } = tx.find(quantumJobs, id) ?? {}
        tx.run("UPDATE quantum_jobs SET status = 'running', attempt = 1, updated = $updated WHERE id = $id", {
          id,
          updated: updated ?? '',
        })
      })
      const running = await exported(file.place)
      expect(running).not.toBe(before)
      await using onServer = await openOnServer(server)
      expect(await move(running, onServer)).toBe(before)
      await using again = await openTestDatabase()
      expect(await move(await exported(onServer.place), again)).toBe(before)
    },
    START_MS,
  )

  test.skipIf(onlySqlite('its file'))(
    'of a whole database, or its dump, keeps every row: ledger, attempts, audit log and keys; and new rows follow',
    async () => {
      await using lab = await JobLab.open()
      await seedStates(lab)
      const clock = lab.clock
      const path = join(lab.dir, 'whole.jsonl')
      const before = await whole({ dir: lab.dir })
      for (const table of ['qpu_ledger', 'job_attempts', 'audit_log', 'meta', 'leases']) {
        expect(before).toMatch(new RegExp(`{"table":"${table}",.*\n\\[`))
      }
      writeFileSync(path, before)
      expect(isWholeDatabase(path)).toBe(true)
      const onServer = { server: await server.createDatabase() }
      const counts = await importWhole({ path, place: onServer, clock, log: silentLog })
      expect(counts['quantum_jobs']).toBe(6)
      expect(await whole(onServer)).toBe(before)
      expect(readRecording(onServer)).toEqual(readRecording(lab.place))
      const restored = { server: await server.dumpAndRestore(onServer.server) }
      expect(await whole(restored)).toBe(before)
      writeFileSync(path, await whole(onServer))
      using folder = temporaryFolder()
      const again = { dir: folder.path }
      await importWhole({ path, place: again, clock, log: silentLog })
      expect(await whole(again)).toBe(before)
      await expect(importWhole({ path, place: again, clock, log: silentLog })).rejects.toMatchObject({
        reason: 'database_not_empty',
      })
      for (const db of [
        await openServerDatabase({ ...onServer, clock, log: silentLog, patienceMs: START_MS }),
        await openServerDatabase({ ...restored, clock, log: silentLog, patienceMs: START_MS }),
        await openDatabase({ ...again, clock, log: silentLog }),
      ]) {
        expect(await problemsOf(db)).toEqual([])
        const highest = (await db.read((tx) => tx.list(quantumJobs))).length
        await db.write('more', (tx) => tx.insert(quantumJobs, { status: 'cancelled', finished_at: tx.at }))
        expect(await db.read((tx) => tx.list(quantumJobs))).toHaveLength(highest + 1)
        await db.close()
      }
    },
    START_MS,
  )

  test('of a file that is cut off, damaged or of another version changes nothing', async () => {
    await using file = await openTestDatabase()
    await seed(file.db)
    const lines = (await whole(file.place)).trimEnd().split('\n')
    const users = lines.findIndex((line) => line.startsWith('{"table":"users"'))
    for (const [content, problem] of [
      [lines.slice(0, -1), 'has no end'],
      [lines.toSpliced(users + 1, 1), 'is damaged'],
      [lines.toSpliced(users + 1, 0, '[1, 2]'), 'is no row'],
      [lines.with(users, '{"table":"users","columns":["seq"]}'), 'of another version'],
      [[...lines, '[]'], 'follows the end'],
    ] as const) {
      using folder = temporaryFolder()
      const path = join(folder.path, 'whole.jsonl')
      writeFileSync(path, content.join('\n'))
      const options = { path, place: { dir: folder.path }, clock: file.clock, log: silentLog }
      await expect(importWhole(options)).rejects.toThrow(problem)
      writeFileSync(path, lines.join('\n'))
      await importWhole(options)
    }
  })
})
