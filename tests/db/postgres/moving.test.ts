import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDatabase } from '../../../src/db/index.ts'
import { readAuditChain } from '../../../src/db/journal/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { importRecords } from '../../../src/db/transfer/index.ts'
import { openOnServer, openTestDatabase, type TestDatabase } from '../../support/database.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'
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
})
