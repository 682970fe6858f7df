import { expect, test } from 'bun:test'
import type { Database } from '../../../../src/db/index.ts'
import { appendTimeline } from '../../../../src/db/journal/timeline.ts'
import { RECORD_BYTES } from '../../../../src/db/schema/stored-bytes.ts'
import { storedBytesOf } from '../../../../src/db/store/accounts/index.ts'
import { findJob, quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import {
  createCancelledPayloadStep,
  type PruneStep,
  pruneJobs,
} from '../../../../src/db/store/maintenance/index.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { endNow, JobLab } from '../../../support/server/job-lab.ts'

const BEFORE = Date.UTC(2026, 0, 10, 12)
const EARLIER = '2026-01-10 11:59:59.999Z'
const LATER = '2026-01-10 12:00:00.000Z'
const LARGE = 'x'.repeat(2 * 1024 * 1024)

const step = (db: Database, prune: PruneStep, limit = 500) =>
  db.write('prune', (tx) => prune(tx, BEFORE, limit))

/** A job that was submitted on the first of January, with the last event of its timeline. */
function addJob(db: Database, values: object) {
  return db.write('t', (tx) => {
    const { id, status } = tx.insert(quantumJobs, values)
    tx.run("UPDATE quantum_jobs SET created = '2026-01-01 00:00:00.000Z' WHERE id = $id", { id })
    const event = status === 'pending' || status === 'running' ? 'submitted' : status
    appendTimeline(tx, id, { event, attempt: 0, detail: '' })
    return id
  })
}

const countJobs = (db: Database) => db.read((tx) => tx.list(quantumJobs).length)

test('pruneJobs() removes ended jobs with everything but their charge, oldest first, in batches', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const user = await lab.user(100)
  const attempt = await lab.running(user)
  await db.write('end', (tx) =>
    endNow(
      tx,
      {
        ...{ ...attempt, executionMs: 5_000 },
        outcome: { kind: 'completed', results: LARGE },
      },
      { maxAttempts: 5 },
    ),
  )
  const balance = await lab.balance(user)
  await db.write('t', (tx) =>
    tx.run("UPDATE quantum_jobs SET created = '2026-01-01 00:00:00.000Z', finished_at = $at", {
      at: EARLIER,
    }),
  )
  const kept = [
    await addJob(db, { user_id: user.id, status: 'pending' }),
    await addJob(db, { user_id: user.id, status: 'failed', finished_at: LATER }),
  ]
  await addJob(db, { user_id: user.id, status: 'cancelled', finished_at: EARLIER, payload: LARGE })
  expect([await step(db, pruneJobs, 1), await step(db, pruneJobs, 1), await step(db, pruneJobs, 1)]).toEqual([
    1, 1, 0,
  ])
  expect(await db.read((tx) => tx.list(quantumJobs).map(({ id }) => id))).toEqual(kept)
  expect(await lab.balance(user)).toBe(balance)
  const rows = (table: string) =>
    db.read((tx) => tx.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n)
  expect(await rows("qpu_ledger WHERE kind = 'charge'")).toBe(1)
  expect([await rows('quantum_jobs_large'), await rows('job_attempts')]).toEqual([0, 0])
  expect(await db.read((tx) => tx.read(storedBytesOf(user.id)))).toBe(2 * RECORD_BYTES)
})

test('the step for cancelled jobs removes the programs of cancelled jobs, small and large, and nothing else', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const user = await lab.user()
  const cancelled = { user_id: user.id, status: 'cancelled', finished_at: EARLIER }
  const small = await addJob(db, { ...cancelled, payload: { a: 1 } })
  const large = await addJob(db, { ...cancelled, payload: LARGE })
  const others = [
    await addJob(db, { ...cancelled, finished_at: LATER, payload: 'late' }),
    await addJob(db, { ...cancelled, status: 'failed', payload: 'ran' }),
  ]
  const prune = createCancelledPayloadStep()
  expect([await step(db, prune), await step(db, prune), await step(db, prune)]).toEqual([1, 1, 0])
  const payloads = await db.read((tx) =>
    [small, large, ...others].map((id) => findJob(tx, id)?.payload ?? null),
  )
  expect(payloads).toEqual([null, null, 'late', 'ran'])
  expect(await countJobs(db)).toBe(4)
  const texts = '"late"'.length + '"ran"'.length
  expect(await db.read((tx) => tx.read(storedBytesOf(user.id)))).toBe(4 * RECORD_BYTES + texts)
})

test('a step removes at most 4 MiB of values, or one job with more', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const user = await lab.user()
  const ended = { user_id: user.id, status: 'cancelled', finished_at: EARLIER }
  const half = 'x'.repeat(500_000)
  for (const payload of [LARGE + LARGE + LARGE, LARGE, half, half, half, half, LARGE]) {
    await addJob(db, { ...ended, payload })
  }
  const sizes: number[] = []
  for (let size = 1; size > 0; ) {
    size = await step(db, pruneJobs)
    sizes.push(size)
  }
  expect(sizes).toEqual([1, 5, 1, 0])
})

test.skipIf(onlySqlite('its plans'))(
  'the steps find their rows by index, without reading all jobs',
  async () => {
    await using lab = await JobLab.open()
    const seen: string[] = []
    await lab.db.write('plan', (tx) => {
      const spy: typeof tx = {
        ...tx,
        all: (sql, params) => {
          seen.push(...tx.explain(sql, params))
          return tx.all(sql, params)
        },
      }
      pruneJobs(spy, BEFORE, 10)
      createCancelledPayloadStep()(spy, BEFORE, 10)
    })
    expect(seen).toEqual([
      'SEARCH quantum_jobs USING INDEX quantum_jobs_created (created<?)',
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      expect.stringMatching(/^SEARCH quantum_jobs_large USING INDEX sqlite_autoindex_quantum_jobs_large_1/),
      'CO-ROUTINE part',
      'SEARCH quantum_jobs_large USING COVERING INDEX sqlite_autoindex_quantum_jobs_large_1 ((record,field)>(?,?))',
      'SCAN part',
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      'SEARCH quantum_jobs USING INDEX sqlite_autoindex_quantum_jobs_1 (id=?)',
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      'SEARCH quantum_jobs_large USING INDEX sqlite_autoindex_quantum_jobs_large_1 (record=? AND field=?)',
      'SEARCH quantum_jobs USING INDEX quantum_jobs_finished_at (finished_at<?)',
    ])
  },
)

test('the step for cancelled jobs reads a bounded part of the large values at a time', async () => {
  await using lab = await JobLab.open()
  const { db } = lab
  const user = await lab.user()
  // Three of them are below the 4 MiB of a step, in whatever order their ids stand.
  const payload = 'x'.repeat(1_200_000)
  const ids: string[] = []
  for (let n = 0; n < 12; n += 1) {
    const status = n % 2 === 0 ? 'cancelled' : 'failed'
    ids.push(await addJob(db, { user_id: user.id, status, finished_at: EARLIER, payload }))
  }
  const prune = createCancelledPayloadStep()
  const run = async () => {
    const sizes: number[] = []
    for (let size = 1; size > 0; ) {
      size = await step(db, prune, 3)
      sizes.push(size)
    }
    return sizes
  }
  expect(await run()).toEqual([3, 3, 3, 3, 0])
  const left = () => db.read((tx) => ids.filter((id) => findJob(tx, id)?.payload !== null))
  const failed = ids.filter((_, n) => n % 2 === 1)
  expect(await left()).toEqual(failed)
  // Jobs that were cancelled since then may stand anywhere: another run reads from the beginning.
  const late = await addJob(db, { user_id: user.id, status: 'cancelled', finished_at: EARLIER, payload })
  expect(await run()).toEqual([3, 3, 1, 0])
  expect(await db.read((tx) => findJob(tx, late)?.payload ?? null)).toBe(null)
  expect(await left()).toEqual(failed)
})
